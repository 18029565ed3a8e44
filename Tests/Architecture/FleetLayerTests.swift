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

    /// The targets outside of the fleet that are linked with a target and name the MQTT client.
    private func clients(in name: String, of targets: [ManifestTarget] = Manifest.targets) -> Set<String> {
        Set(
            Manifest.closure(of: name, in: targets)
                .filter { $0.layer != .fleet && $0.dependencies.contains("MQTTClient") }.map(\.name))
    }

    @Test("Only the fleet and the program of accessories connect to an MQTT broker")
    func brokers() throws {
        try #require(Manifest.byName["MQTTClient"] != nil)
        let importers = Manifest.targets.filter {
            $0.layer != nil && $0.dependencies.contains("MQTTClient")
        }
        #expect(Set(importers.map(\.name)) == ["Fleet", "FleetHub", "countersign-accessories"])
    }

    @Test("No program of a single counter links mosquitto; the daemon links it with the fleet alone")
    func mosquitto() {
        for name in Self.withoutFleet + ["PresentationService", "ReaderAPI", "Accessories"] {
            #expect(!Manifest.closure(of: name).contains { $0.name == "CMosquitto" }, "\(name)")
        }
        #expect(clients(in: "countersignd") == [])
        #expect(clients(in: "countersign-accessories") == ["countersign-accessories"])
    }

    @Test("The twin: a daemon whose service connects to a broker is found")
    func mosquittoTwin() {
        let targets = Manifest.targets(
            in: """
                let libraries: KeyValuePairs<String, Imports> = [
                    "Sources/Service": ["MQTTClient": [], "Counter": ["MQTTClient"]],
                    "Sources/Fleet": ["Kiosk": ["MQTTClient"]],
                ]
                let programs: KeyValuePairs<String, Imports> = [
                    "Sources/Commands": ["daemon": ["Counter", "Kiosk"], "other": ["Kiosk"]],
                ]
                """)
        #expect(clients(in: "daemon", of: targets) == ["Counter"])
        #expect(clients(in: "other", of: targets) == [])
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
