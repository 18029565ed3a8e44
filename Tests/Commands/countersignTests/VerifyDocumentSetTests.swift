import CommandBench
import MdocModel
import TestCredentials
import Testing

/// `verify` on requests of several documents, of which some come.
@Suite("verify, several documents")
struct VerifyDocumentSetTests {
    enum Kind: String, CaseIterable, Sendable {
        case licence = "org.iso.18013.5.1.mDL"
        case photoID = "org.iso.23220.photoid.1"
        case photoIDInCapitals = "org.iso.23220.photoID.1"
        case personID = "eu.europa.ec.eudi.pid.1"
        case club = "org.example.club.1"

        fileprivate var nameSpace: String {
            ElementName.inMainNameSpace("family_name", of: rawValue).nameSpace
        }

        func request(_ identifiers: [String]) -> ItemsRequest {
            ItemsRequest(
                docType: rawValue,
                nameSpaces: [
                    .init(
                        name: nameSpace,
                        elements: identifiers.map { .init(identifier: $0, intentToRetain: false) })
                ])
        }

        fileprivate func document(_ identifiers: [String], isOver21: Bool) throws -> TestDocument {
            var document = try TestDocument(
                identifiers.map { identifier in
                    let value =
                        switch identifier {
                        case "age_over_21": Encoded.boolean(isOver21)
                        case "expiry_date": Encoded.day("2030-01-01")
                        default: Encoded.text("Quillfeather")
                        }
                    return TestDocument.Item(identifier, value, in: nameSpace)
                })
            document.docType = rawValue
            return document
        }
    }

    /// A stored transaction: what each document was asked for, which of them came, and of those that came the
    /// answer to the age.
    private struct Stored {
        var asked: [(kind: Kind, elements: [String])]
        var useCases: [DeviceRequestInfo.UseCase] = []
        var came: [Kind]
        var underAge: Set<Kind> = []

        func verify() throws -> (run: CommandRun, missing: [String], outcome: String) {
            let folder = try TemporaryFolder()
            let issuer = try TestIssuer(authority: TestAuthority.ofACountry())
            let session = try TestSession()
            let documents = try came.map { kind in
                try kind.document(
                    asked.filter { $0.kind == kind }.flatMap(\.elements), isOver21: !underAge.contains(kind))
            }
            let request = try DeviceRequestDraft(
                asked.map { $0.kind.request($0.elements) }, useCases: useCases
            ).encode(for: .extendedRequest, in: session.transcript)
            let run = try CommandRun(
                "verify", "--json", "--response",
                folder.write(issuer.response(documents, in: session.transcript), as: "r"), "--transcript",
                folder.write(Array(session.transcript.encoded), as: "t"), "--request",
                folder.write(request, as: "q"), "--trust",
                folder.write(issuer.authority.der, as: "root.der"), "--at", TrustScene.time)
            let json = try run.json()
            let missing = try #require(json["missing"] as? [[String: String]], "\(run.everything)")
            return (run, missing.compactMap { $0["element"] }, try #require(json["outcome"] as? String))
        }

        func expect(
            _ outcome: String, missing: [String] = [], at location: SourceLocation = #_sourceLocation
        ) throws {
            let found = try verify()
            #expect(found.outcome == outcome, "\(found.run.everything)", sourceLocation: location)
            #expect(found.missing == missing, "\(found.run.everything)", sourceLocation: location)
            #expect(found.run.status == (outcome == "allow" ? 0 : 1), sourceLocation: location)
        }
    }

    private static let name = "family_name"
    private static let age = "age_over_21"
    private static let photoName = "org.iso.23220.1/family_name"

    private static func useCase(_ sets: [[Int]], isMandatory: Bool = true) -> DeviceRequestInfo.UseCase {
        .init(isMandatory: isMandatory, documentSets: sets)
    }

    @Test("Q243 A document that was asked for in no use case is needed: all that was asked of it is missing")
    func withoutUseCase() throws {
        var stored = Stored(
            asked: [(.licence, [Self.age]), (.photoID, [Self.name, "given_name"])],
            came: [.licence, .photoID])
        try stored.expect("allow")
        stored.came = [.licence]
        try stored.expect("unclear", missing: [Self.photoName, "org.iso.23220.1/given_name"])
        stored.came = [.photoID]
        try stored.expect("unclear", missing: ["org.iso.18013.5.1/age_over_21"])
        stored.asked[1] = (.club, ["member"])
        stored.came = [.licence]
        try stored.expect("unclear", missing: ["org.example.club.1/member"])
    }

    @Test("Q243 Two spellings of one type are alternatives, also without a use case")
    func spellings() throws {
        for came in [Kind.photoID, .photoIDInCapitals] {
            try Stored(
                asked: [(.photoID, [Self.age]), (.photoIDInCapitals, [Self.age])], came: [came]
            ).expect("allow")
        }
    }

    @Test("Q243 Within a use case one set of documents is enough, and has to come whole")
    func sets() throws {
        var stored = Stored(
            asked: [(.licence, [Self.age]), (.photoID, [Self.name]), (.personID, [Self.age])],
            useCases: [Self.useCase([[0, 1], [2]])], came: [.personID])
        try stored.expect("allow")
        stored.came = [.licence, .photoID]
        try stored.expect("allow")
        stored.came = [.licence]
        try stored.expect("unclear", missing: [Self.photoName])
        stored.came = [.photoID]
        try stored.expect("unclear", missing: ["org.iso.18013.5.1/age_over_21"])
    }

    @Test("Q243 Alternatives of one use case excuse no document of another, nor one that stands in none")
    func severalUseCases() throws {
        var stored = Stored(
            asked: [(.licence, [Self.age]), (.personID, [Self.age]), (.photoID, [Self.name])],
            useCases: [Self.useCase([[0], [1]]), Self.useCase([[2]])], came: [.licence, .photoID])
        try stored.expect("allow")
        stored.came = [.personID, .photoID]
        try stored.expect("allow")
        for useCases in [stored.useCases, [stored.useCases[0]]] {
            stored.useCases = useCases
            stored.came = [.licence]
            try stored.expect("unclear", missing: [Self.photoName])
            stored.came = [.photoID]
            try stored.expect("unclear", missing: ["org.iso.18013.5.1/age_over_21"])
        }
    }

    @Test("Q243 An optional use case needs nothing; what comes of it is judged all the same")
    func optional() throws {
        var stored = Stored(
            asked: [(.licence, [Self.age]), (.photoID, [Self.age, Self.name])],
            useCases: [Self.useCase([[0]]), Self.useCase([[1]], isMandatory: false)], came: [.licence])
        for useCases in [stored.useCases, [stored.useCases[1]]] {
            stored.useCases = useCases
            stored.came = [.licence]
            stored.underAge = []
            try stored.expect("allow")
            stored.came = [.licence, .photoID]
            try stored.expect("allow")
            stored.underAge = [.photoID]
            try stored.expect("deny")
            stored.underAge = []
            stored.came = [.photoID]
            try stored.expect("unclear", missing: ["org.iso.18013.5.1/age_over_21"])
        }
    }

    @Test("Q243 Where every use case is optional one of them is needed whole")
    func allOptional() throws {
        var stored = Stored(
            asked: [(.licence, [Self.age]), (.photoID, [Self.name]), (.personID, [Self.name])],
            useCases: [
                Self.useCase([[0, 1]], isMandatory: false), Self.useCase([[2]], isMandatory: false),
            ], came: [.personID])
        try stored.expect("allow")
        stored.came = [.licence, .photoID]
        try stored.expect("allow")
        stored.came = [.licence]
        try stored.expect("unclear", missing: [Self.photoName])
    }

    @Test("Of alternatives that both came each has to say yes")
    func bothCame() throws {
        var stored = Stored(
            asked: [(.licence, [Self.age]), (.personID, [Self.age])],
            useCases: [Self.useCase([[0], [1]])], came: [.licence, .personID])
        try stored.expect("allow")
        stored.underAge = [.personID]
        try stored.expect("deny")
    }
}
