import CBOR
import COSE
import MdocModel
import MdocTrust
import OpenSSLCrypto
import TestCredentials
import Testing

@testable import MdocVerification

/// One response with what it is judged by.
struct Presentation {
    var issuer: TestIssuer
    /// Where it is not the issuer alone that is trusted.
    var trust: TrustStore?
    var session: TestSession
    var documents: [TestDocument]
    var requests: [ItemsRequest]?
    var now: String = "2026-11-01T12:00:00Z"
    /// The day at the premises, where it is not that in UTC.
    var day: FullDate?
    var clockSkew: Int64 = 60
    var hasReaderKey = true
    var moreMembers: [(String, [UInt8])] = []

    /// Asks for the items of the first document, or for what is said.
    init(
        _ documents: TestDocument..., asking identifiers: [String]? = nil, issuer: TestIssuer? = nil
    ) throws {
        self.documents = documents
        self.issuer = try issuer ?? TestIssuer()
        session = try TestSession()
        requests = [
            Presentation.request(identifiers ?? documents.flatMap { $0.items.map(\.identifier) })
        ]
    }

    static func request(
        _ identifiers: [String], docType: String = TestDocument.mDL,
        in nameSpace: String = TestDocument.nameSpace
    ) -> ItemsRequest {
        ItemsRequest(
            docType: docType,
            nameSpaces: [
                .init(
                    name: nameSpace,
                    elements: identifiers.map { .init(identifier: $0, intentToRetain: false) })
            ])
    }

    func response() throws -> [UInt8] {
        let documents = try documents.map { try $0.encoded(issuer: issuer, session: session) }
        return Encoded.map(
            [("version", Encoded.text("1.0"))]
                + (documents.isEmpty ? [] : [("documents", Encoded.array(documents))])
                + moreMembers + (moreMembers.contains { $0.0 == "status" } ? [] : [("status", [0x00])]))
    }

    func context(_ rules: VerificationRules = .interoperable) throws -> VerificationContext {
        VerificationContext(
            transcript: session.transcript, comparison: requests.map { .requested($0) } ?? .notCompared,
            readerKey: hasReaderKey ? session.readerKey : nil,
            trust: try trust ?? issuer.authority.store(),
            now: try #require(DateText(now.utf8)).instant, day: day,
            policy: VerificationPolicy(rules: rules, clockSkew: clockSkew))
    }

    /// - Parameter response: in place of the one that is made of the documents.
    func verdict(
        _ rules: VerificationRules = .interoperable, on response: [UInt8]? = nil
    ) throws -> Judgement {
        try UnverifiedResponse((response ?? self.response())[...]).verify(in: context(rules))
    }

    func verified(_ rules: VerificationRules = .interoperable) throws -> VerifiedResponse {
        switch try verdict(rules) {
        case .verified(let response): return response
        case .rejected(let rejected): throw Rejected(failures: rejected.allFailures)
        }
    }

    func rejected(
        _ rules: VerificationRules = .interoperable, on response: [UInt8]? = nil
    ) throws -> RejectedResponse {
        guard case .rejected(let rejected) = try verdict(rules, on: response) else { throw FalselyVerified() }
        return rejected
    }

    /// The checks that failed, of all documents.
    func failures(_ rules: VerificationRules = .interoperable) throws -> [CheckReport] {
        switch try verdict(rules) {
        case .verified: []
        case .rejected(let rejected): rejected.allFailures
        }
    }

    struct Rejected: Error { let failures: [CheckReport] }
    struct FalselyVerified: Error {}
}

extension RejectedResponse {
    /// Nothing is asked about revocation where signer or signature are not believed; that says no more than they do.
    var allFailures: [CheckReport] {
        reports.flatMap(\.checks).filter {
            $0.outcome != .passed && $0 != CheckReport(id: .revocation, outcome: .skipped)
        }
    }
}

extension CheckReport {
    static func failed(_ id: CheckID, _ failure: CheckFailure) -> CheckReport {
        CheckReport(id: id, outcome: .failed(failure))
    }
}

extension TestDocument.Item {
    static func age(_ years: Int, _ value: Bool) -> Self {
        Self("age_over_\(years < 10 ? "0" : "")\(years)", Encoded.boolean(value))
    }

    static let familyName = Self("family_name", Encoded.text("Mustermann"))
    /// A grey JPEG image of 8 × 8 pixels.
    static let portrait = Self(
        "portrait",
        Encoded.bytes(
            [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f]
                + [0, 0xd2, 0xcf, 0xff, 0xd9]))
}

extension ElementName {
    static func mDL(_ identifier: String) -> ElementName {
        ElementName(nameSpace: TestDocument.nameSpace, identifier: identifier)
    }
}
