import CommandBench
import COSE
import Foundation
import MdocModel
import MdocWallet
import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing

@Suite("request, by intent")
struct IntentTests {
    private static let age = "age over 21 with portrait for a human to compare"
    private static let rental = "rental: name, licence number, categories B, expiry, portrait"

    @Test("An age with a portrait: planned to the least, answered, exit code 0")
    func age() async throws {
        let run = try await WalletAtLink().request([Self.age, "--json"])
        #expect(run.status == 0, "\(run.errors)")
        let report = try run.report()
        let request = try #require(report.request)
        #expect(request.intent == "age over 21, portrait for a human to compare")
        #expect(request.keep == "nothing")
        #expect(request.docTypes == ["org.iso.18013.5.1.mDL"])
        #expect(request.identity == nil)
        #expect(request.readerAuthentication == "none")
        #expect(report.documents[0].family == "mdl")
        #expect(report.documents[0].ageOver == ["21": "yes"])
        #expect(report.documents[0].mayDrive == [:])
        let elements = try run.elements()
        #expect(elements == ["age_over_21", "portrait"])
    }

    @Test("A rental: whether category B may be driven today, with the reason, and no date of birth")
    func rental() async throws {
        let run = try await WalletAtLink().request([Self.rental, "--json", "--keep", "consented"])
        #expect(run.status == 0, "\(run.errors)")
        let report = try run.report()
        #expect(report.request?.keep == "consented")
        #expect(report.documents[0].mayDrive == ["B": "yes"])
        #expect(report.documents[0].mayDriveReason["B"]?.hasPrefix("until 20") == true)
        #expect(
            try run.elements() == [
                "family_name", "given_name", "document_number", "driving_privileges", "expiry_date",
                "portrait",
            ])
    }

    @Test("A category that is not granted: exit code 1, with the reason, in text too")
    func notGranted() async throws {
        let run = try await WalletAtLink().request(["rental: categories B C1"])
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.output.contains("may drive B today: yes (until 20"))
        #expect(
            run.output.contains(
                "may drive C1 today: no (the document does not grant this category or class)"))
        #expect(run.output.contains("request: not signed"))
    }

    @Test("Q158 The exit code is 1 if a required portrait does not come")
    func noPortrait() async throws {
        let run = try await WalletAtLink(["--fault", "response.no_portrait"]).request([Self.age])
        #expect(run.status == 1, "\(run.errors)")
        #expect(run.output.contains("over 21: yes"))
        #expect(run.output.contains("portrait to compare: cannot tell"))
    }

    @Test(
        "Q160 What stands in for an age that a licence lacks is reported, where the wallet knows alternatives",
        arguments: [
            ("generic", ["18", "25"], 0, "age_over_25"), ("apple", ["18"], 0, "age_in_years"),
            ("generic", ["18"], 1, nil),
        ])
    func neighbour(_ profile: String, attested: [String], status: Int32, by identifier: String?) async throws
    {
        let run = try await WalletAtLink(
            ["--profile", profile, "--handover", "qr"] + attested.flatMap { ["--attests", $0] }
        ).request(["age over 21", "--json"])
        #expect(run.status == status, "\(run.errors)")
        let reason = try run.report().documents[0].ageReason["21"]
        if let identifier {
            #expect(reason == "org.iso.18013.5.1/\(identifier)")
        } else {
            #expect(reason?.contains("/") == false)
        }
    }

    @Test(
        "Whichever document answers is named by its family, and counts",
        arguments: ["mdl", "photoid", "pid", "av", "mnc"], ["generic", "apple"])
    func family(_ held: String, profile: String) async throws {
        let link = try await WalletAtLink(["--holds", held, "--profile", profile, "--handover", "qr"])
        let run = try await link.request(["age over 18; from mdl or pid or photoid or av or mnc", "--json"])
        #expect(run.status == 0, "\(run.errors)")
        let report = try run.report()
        #expect(report.documents.map(\.family) == [held])
        #expect(report.documents[0].ageOver == ["18": "yes"])
    }

    @Test("None of the documents: exit code 3, declined")
    func noDocument() async throws {
        let run = try await WalletAtLink(["--holds", "pid"]).request([
            "age over 18; from mdl or av", "--json",
        ])
        #expect(run.status == 3)
        #expect(try run.report().errors.map(\.id) == ["declined"])
    }

    @Test(
        "Asking for too much is refused by the name of the rule: exit code 64, and nobody is asked",
        arguments: [
            (["birth date"], "age.attestation_answers"),
            (["identity: age over 18, birth date"], "age.attestation_answers"),
            (["age over 18, age over 21, age over 65"], "age.two_at_most"),
            (["age over 21, portrait"], "portrait.nobody_compares"),
            (["age over 21, name"], "purpose.not_needed"), (["rental: address"], "purpose.not_needed"),
            (["elements: org.iso.18013.5.1/biometric_template_face"], "element.biometric_template"),
            (["--age-over", "21", "--element", "org.iso.18013.5.1/birth_date"], "age.attestation_answers"),
            (["--age-over", "18", "--age-over", "21", "--age-over", "65"], "age.two_at_most"),
            (["--element", "org.iso.18013.5.1/biometric_template_iris"], "element.biometric_template"),
        ] as [([String], String)])
    func overAsking(_ arguments: [String], rule: String) async throws {
        let run = try await execute(
            ["request", "--connect", "tcp://127.0.0.1:1"] + arguments + ["--trust", "/tmp"])
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.errors.contains("[\(rule)]"))
        #expect(run.output.isEmpty)
    }

    @Test(
        "What is not understood is wrong usage, and so is an intent beside elements",
        arguments: [
            ["age above 21"], [""], ["age over 100"], ["age over 21; from nowhere"],
            ["age over 21; else guess"],
            ["age over 18, portrait for a human to compare; from av"], ["age over 21", "--portrait"],
            ["age over 21", "--element", "org.iso.18013.5.1/sex"], ["age over 21", "--doc-type", "a.b"],
            ["age over 21", "--save-portrait", "/nonexistent/portrait"],
            ["age over 21", "--keep", "everything"],
            ["age over 21", "--identity", "nobody"], ["age over 21", "--identity", "../../etc"],
            ["age over 21", "--identity", "a", "--brand", "b"],
        ])
    func usage(_ arguments: [String]) async throws {
        let run = try await execute(
            ["request", "--connect", "tcp://127.0.0.1:1"] + arguments + ["--trust", "/tmp"])
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.output.isEmpty)
    }
}

@Suite("request, in somebody's name")
struct IdentityRequestTests {
    @Test(
        "Q168 Q172 A wallet that insists on a known reader answers who is named, and is notified of it",
        arguments: [("generic", "documents"), ("apple", "all")])
    func signed(_ profile: String, authentication: String) async throws {
        let store = try ReaderStoreFolder("counter-1")
        let link = try await WalletAtLink(
            ["--profile", profile, "--handover", "qr", "--reader-roots", store.root])
        let run = try await store.request(link, ["age over 21", "--identity", "counter-1", "--json"])
        #expect(run.status == 0, "\(run.errors)")
        let request = try run.report().request
        #expect(request?.identity == "counter-1")
        #expect(request?.readerAuthentication == authentication)
    }

    @Test("In text it is said who asked")
    func text() async throws {
        let store = try ReaderStoreFolder("counter-1")
        let run = try await store.request(
            WalletAtLink(), ["age over 21", "--identity", "counter-1"])
        #expect(run.status == 0)
        #expect(run.output.contains("request: signed by identity counter-1, one signature for each document"))
    }

    @Test(
        "Q172 Unsigned, or by a reader of another root, it is refused: exit code 3", arguments: [true, false])
    func refused(_ isSigned: Bool) async throws {
        let store = try ReaderStoreFolder(isSigned ? "counter-1" : nil)
        let other = try ReaderStoreFolder("other")
        let link = try await WalletAtLink(["--reader-roots", other.root])
        let run = try await store.request(
            link, ["age over 21", "--json"] + (isSigned ? ["--identity", "counter-1"] : []))
        #expect(run.status == 3, "\(run.errors)")
        let report = try run.report()
        #expect(report.errors.map(\.id) == ["declined"])
        #expect(report.request?.identity == (isSigned ? "counter-1" : nil))
    }

    @Test("A wallet that only looks at signatures that are there answers an unsigned request")
    func policy() async throws {
        let store = try ReaderStoreFolder(nil)
        let link = try await WalletAtLink(
            ["--reader-roots", store.root, "--reader-policy", "enforceIfPresent"])
        #expect(try await store.request(link, ["age over 21"]).status == 0)
    }
}

/// A store with one reader identity or none, and a root that certifies readers.
private final class ReaderStoreFolder {
    let root: String
    private let folder: TemporaryFolder

    init(_ name: String?) throws {
        folder = try TemporaryFolder()
        let now = Int64(Date.now.timeIntervalSince1970)
        let authority = try TestAuthority(
            [(.commonName, "\(name ?? "nobody's") root")], notBefore: now - 900 * TestAuthority.day,
            notAfter: now + 900 * TestAuthority.day)
        root = try folder.write(authority.der, as: "root.der")
        _ = try folder.write(Array(#"{"acceptTestDocuments": true}"#.utf8), as: "policy.json")
        guard let name else { return }
        let identity = "identities/\(name)"
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: identity), withIntermediateDirectories: true)
        let key = try TestKey()
        var leaf = try authority.reader(for: key)
        (leaf.notBefore, leaf.notAfter) = (now - 30 * TestAuthority.day, now + 300 * TestAuthority.day)
        _ = try folder.write(
            PEM.encode(authority.sign(leaf)[...], label: "CERTIFICATE"), as: "\(identity)/certificates.pem")
        let keyFile = try folder.write(
            key.privateKey.unprotectedPEM().withUnprotectedBytes(Array.init), as: "\(identity)/key.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keyFile)
    }

    /// `request` to a wallet, with this store.
    func request(_ link: WalletAtLink, _ arguments: [String]) async throws -> CommandRun {
        try await execute(
            link.arguments(arguments), environment: ["COUNTERSIGN_STORE": folder.url.path])
    }
}

extension CommandRun {
    /// The names of the first document's elements, in their order of coming.
    fileprivate func elements() throws -> Set<String> {
        let document = try #require((try json()["documents"] as? [[String: Any]])?.first)
        let elements = try #require(document["elements"] as? [String: [String: Any]])
        return Set(elements.values.flatMap(\.keys))
    }
}
