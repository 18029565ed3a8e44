import Testing

/// The code for chains of shops is a layer that a single counter does without.
@Suite("The fleet")
struct FleetLayerTests {
    /// Programs and libraries that work at one counter.
    private static let withoutFleet = [
        "countersign", "countersign-lab", "countersign-portrait", "TapToPresent", "ProximityReader",
    ]
    /// The daemon puts a kiosk together, the hub's program a hub.
    private static let composers: Set = ["countersignd", "countersign-hub"]

    /// The targets outside of the fleet that name one of its targets.
    private func importers(in targets: [ManifestTarget] = Manifest.targets) -> Set<String> {
        let fleet = Set(targets.filter { $0.layer == .fleet }.map(\.module))
        return Set(
            targets.filter {
                $0.layer != nil && $0.layer != .fleet && !$0.dependencies.isDisjoint(with: fleet)
            }
            .map(\.name))
    }

    @Test("Only the daemon and the hub's program name the fleet")
    func importers() {
        #expect(importers() == Self.composers)
    }

    @Test("No program and no library of a single counter links the fleet", arguments: withoutFleet)
    func products(_ name: String) throws {
        try #require(Manifest.byName[name] != nil)
        #expect(!Manifest.closure(of: name).contains { $0.layer == .fleet })
    }

    @Test("A hub serves HTTP and links nothing of a counter's presentations")
    func hub() {
        let linked = Set(Manifest.closure(of: "countersign-hub").map(\.name))
        #expect(linked.isSuperset(of: ["FleetHub", "HTTPServing"]))
        #expect(linked.isDisjoint(with: ["ReaderAPI", "PresentationService"]))
        #expect(Manifest.closure(of: "countersignd").map(\.name).contains("ReaderAPI"))
    }

    @Test("The twin: a service that names the fleet is found")
    func twin() {
        let targets = Manifest.targets(
            in: """
                let libraries: KeyValuePairs<String, Imports> = [
                    "Sources/Fleet": ["Hub": []],
                    "Sources/Service": ["Counter": ["Hub"], "Beside": []],
                ]
                """)
        #expect(importers(in: targets) == ["Counter"])
    }
}
