import Testing

/// What makes documents or holds them is in the laboratory, which is linked into no program of a shop.
@Suite("The laboratory")
struct LaboratoryTests {
    /// Everything that a shop or a chain installs, and what apps link.
    private static let installed = [
        "countersign", "countersignd", "countersign-portrait", "countersign-accessories", "countersign-hub",
        "countersign-qrcode", "TapToPresent", "ProximityReader",
    ]

    /// The targets of the laboratory that are linked with a target.
    private func laboratory(in name: String, of targets: [ManifestTarget] = Manifest.targets) -> Set<String> {
        Set(Manifest.closure(of: name, in: targets).filter { $0.layer == .laboratory }.map(\.name))
    }

    @Test("No program of a shop, and no library for apps, links the laboratory", arguments: installed)
    func products(_ name: String) throws {
        try #require(Manifest.byName[name] != nil)
        #expect(laboratory(in: name) == [])
    }

    @Test("OpenSSL is called by OpenSSLCrypto alone in what a shop installs", arguments: installed)
    func calls(_ name: String) {
        let callers = Manifest.closure(of: name).filter { $0.dependencies.contains("COpenSSL") }
        #expect(Set(callers.map(\.name)).isSubset(of: ["OpenSSLCrypto"]))
    }

    @Test("The laboratory is whole in its own program, and only tests use it besides")
    func program() {
        let all = Manifest.targets.filter { $0.layer == .laboratory }
        #expect(laboratory(in: "countersign-lab") == Set(all.map(\.name)))
        #expect(all.map(\.name).contains("MdocWallet"))
        let modules = Set(all.map(\.module))
        for target in Manifest.targets where target.layer != nil && target.layer != .laboratory {
            #expect(
                target.name == "countersign-lab" || target.dependencies.isDisjoint(with: modules),
                "\(target.name)")
        }
    }

    @Test("The twin: a program that reaches the laboratory through another target is found")
    func twin() {
        let targets = Manifest.targets(
            in: """
                let libraries: KeyValuePairs<String, Imports> = [
                    "Sources/Laboratory": ["Wallet": []],
                    "Sources/Service": ["Between": ["Wallet"], "Beside": []],
                ]
                let programs: KeyValuePairs<String, Imports> = [
                    "Sources/Commands": ["shop-program": ["Between"], "other": ["Beside"]],
                ]
                """)
        #expect(laboratory(in: "shop-program", of: targets) == ["Wallet"])
        #expect(laboratory(in: "other", of: targets) == [])
    }
}
