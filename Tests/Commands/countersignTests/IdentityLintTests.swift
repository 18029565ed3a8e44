import CommandBench
import PKIX
import TestCredentials
import Testing

/// Each rule of the reader's profile through the command; the twin of all is the certificate that breaks none.
@Suite("countersign identity lint")
struct IdentityLintTests {
    /// A rule, whether wallets are known for it, and a certificate that breaks it.
    struct Case: CustomTestStringConvertible, Sendable {
        let rule: String
        let isWallets: Bool
        let change: @Sendable (CertificateTemplate) -> CertificateTemplate
        var testDescription: String { rule }

        init(
            _ rule: String, wallets: Bool = false,
            _ change: @escaping @Sendable (CertificateTemplate) -> CertificateTemplate
        ) {
            self.rule = rule
            isWallets = wallets
            self.change = change
        }
    }

    private static func oid(_ text: StaticString) -> ObjectIdentifier { ObjectIdentifier(text) }

    static let cases: [Case] = [
        Case("authority_key_identifier", wallets: true) { $0.with(.authorityKeyIdentifier([1, 2, 3])) },
        Case("authority_key_identifier", wallets: true) { $0.without(.authorityKeyIdentifier) },
        Case("common_name", wallets: true) { template in
            var other = template
            other.subject = DistinguishedName([(.organizationName, "Shop")])
            return other
        },
        Case("forbidden_extension", wallets: true) {
            $0.with(CertificateExtension(oid("2.5.29.36")) { $0.write(DERTag.sequence) { _ in } })
        },
        Case("extended_key_usage", wallets: true) { $0.with(.extendedKeyUsage([oid("1.0.18013.5.1.2")])) },
        Case("extended_key_usage", wallets: true) { $0.without(.extendedKeyUsage) },
        Case("key_usage", wallets: true) { $0.with(.keyUsage(.contentCommitment)) },
        Case("key_usage", wallets: true) { $0.without(.keyUsage) },
        Case("distribution_point", wallets: true) { $0.without(.crlDistributionPoints) },
        Case("validity_period", wallets: true) { template in
            var other = template
            other.notAfter = other.notBefore + 1187 * TestAuthority.day + 1
            return other
        },
        Case("subject_key_identifier", wallets: true) { $0.without(.subjectKeyIdentifier) },
        Case("subject_key_identifier_digest") { $0.with(.subjectKeyIdentifier([1, 2, 3])) },
        Case("serial_number") { template in
            var other = template
            other.serialNumber = [1]
            return other
        },
        Case("unknown_critical_extension") {
            $0.with(CertificateExtension(oid("1.2.3.4"), isCritical: true) { $0.writeBoolean(true) })
        },
        Case("no_authority") { $0.with(.basicConstraints(BasicConstraints(isCA: true, pathLength: nil))) },
        Case("key_usage_only") { $0.with(.keyUsage([.digitalSignature, .contentCommitment])) },
        Case("extended_key_usage_only") {
            $0.with(.extendedKeyUsage([oid("1.0.18013.5.1.6"), oid("1.3.6.1.5.5.7.3.2")]))
        },
        Case("extended_key_usage_critical") {
            $0.with(.extendedKeyUsage([oid("1.0.18013.5.1.6")], isCritical: false))
        },
    ]

    let store: IdentityStore

    init() throws {
        store = try IdentityStore()
    }

    @Test(
        "Q170 A certificate that breaks a rule of the profile is refused with the rule's name",
        arguments: cases)
    func rule(_ test: Case) async throws {
        #expect(try await store.run("init", "counter").status == 0)
        let broken = try await store.run("import", "counter", store.certify("counter", test.change))
        #expect(broken.status == 2, "\(broken.everything)")
        let line = try #require(
            broken.errors.split(separator: "\n").first { $0.contains("  \(test.rule): ") })
        #expect(line.hasSuffix("(wallets refuse this)") == test.isWallets)
        // Nothing was taken in.
        #expect(try await store.run("lint").output.contains("no certificate yet"))
        // The twin: the same certificate with the rule kept.
        let sound = try await store.run("import", "counter", store.certify("counter"))
        #expect(sound.status == 0, "\(sound.everything)")
        #expect(try await store.run("lint").status == 0)
    }

    @Test("Q170 The validity may have 1187 days and no second more")
    func longest() async throws {
        #expect(try await store.run("init", "counter").status == 0)
        let run = try await store.run(
            "import", "counter",
            store.certify("counter") { template in
                var other = template
                other.notAfter = other.notBefore + 1187 * TestAuthority.day
                return other
            })
        #expect(run.status == 0, "\(run.everything)")
    }

    @Test("--lenient takes in what some wallets refuse, tells it, and never what is no reader's")
    func lenient() async throws {
        #expect(try await store.run("init", "counter").status == 0)
        let departing = try await store.certify("counter") { $0.without(.crlDistributionPoints) }
        let taken = try await store.run("import", "counter", departing, "--lenient")
        #expect(taken.status == 0 && taken.output.contains("  distribution_point: "))
        let lint = try await store.run("lint")
        #expect(lint.status == 2 && lint.output.contains("counter: fails\n  distribution_point: "))
        let told = try await store.run("lint", "--lenient")
        #expect(told.status == 0 && told.output.contains("counter: in order\n  distribution_point: "))
        let signer = try await store.certify("counter") {
            $0.with(.extendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.2")]))
        }
        #expect(try await store.run("import", "counter", signer, "--lenient").status == 2)
    }

    @Test("Q173 An expiry is reported 30 days ahead, or as many as --warn says, with an exit code of its own")
    func expiry() async throws {
        // Valid until 2027-08-28T12:00:00Z.
        try await store.make("counter")
        #expect(try await store.run("lint", at: "2027-07-29T12:00:00Z").status == 0)
        let soon = try await store.run("lint", at: "2027-07-29T12:00:01Z")
        #expect(soon.status == 1 && soon.output.contains("29 days left"))
        let list = try await store.run("list", at: "2027-08-28T11:00:00Z")
        #expect(list.status == 0 && list.output.contains("counter (expires soon)"))
        #expect(list.output.contains("expires today"))
        #expect(try await store.run("lint", "--warn", "29", at: "2027-07-29T12:00:01Z").status == 0)
        #expect(try await store.run("lint", "--warn", "400").status == 1)
        #expect(try await store.run("lint", "--warn", "-1").status == 64)
        let json = try await store.run("lint", "--warn", "400", "--json")
        #expect(json.status == 1)
        #expect(try json.json()["passed"] as? Bool == true)
        #expect(try json.list().first?["state"] as? String == "expires_soon")
    }

    @Test("One bad identity among good ones fails the run, by name; nobody at all is wrong usage")
    func several() async throws {
        #expect(try await store.run("lint").status == 64)
        try await store.make("good")
        try await store.make("bad") { $0.without(.crlDistributionPoints) }
        let run = try await store.run("lint", "--json")
        #expect(run.status == 2)
        let passed = try run.list().map { ($0["name"] as? String, $0["passed"] as? Bool) }
        #expect(passed.map(\.0) == ["bad", "good"] && passed.map(\.1) == [false, true])
        let finding = try #require((try run.list().first?["findings"] as? [[String: Any]])?.first)
        #expect(
            finding["rule"] as? String == "distribution_point"
                && finding["enforcedByWallets"] as? Bool == true)
        #expect(try await store.run("lint", "good").status == 0)
        #expect(try await store.run("lint", "good", "nobody").status == 64)
    }
}
