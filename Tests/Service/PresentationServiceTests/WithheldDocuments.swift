import COSE
import Foundation
import JSON
import MdocModel
import MdocTrust
import MdocWallet
import OpenSSLCrypto
import PKIX
import ReaderStore
import RequestPlanner

@testable import MdocVerification
@testable import PresentationService
@testable import Reports
@testable import WalletPresentation

/// A holder whose document says one thing that matters to an answer.
enum HolderKind: String, CaseIterable, Sendable {
    case honest
    /// The document expired; the category is good for years.
    case expired
    /// Document and category have expired.
    case expiredWholly
    case notYetGranted, otherCategory, underAge
    /// No attestations; the age in years is that of the day of issue.
    case withoutAttestations
    /// The document's number is null.
    case numberOfWrongType
    /// The document's number is a blank.
    case blankNumber
    /// Height and sex are null.
    case nullMeasures
    /// The portrait has no bytes.
    case emptyPortrait
    /// The category has a null for its last day and for its conditions.
    case nullLimits

    fileprivate var licence: TestLicence {
        var licence = TestLicence()
        switch self {
        case .expiredWholly: licence.yearsToExpiry = -1
        case .underAge: licence.age = 17
        case .withoutAttestations: (licence.age, licence.attestedAges) = (20, [])
        case .honest, .expired, .notYetGranted, .otherCategory, .numberOfWrongType, .blankNumber,
            .nullMeasures, .emptyPortrait, .nullLimits:
            break
        }
        return licence
    }

    fileprivate func change(_ document: inout TestDocument) {
        switch self {
        case .expired: document["expiry_date"] = .fullDate("2025-01-01")
        case .notYetGranted: document["driving_privileges"] = Self.privilege("B", from: "2030-01-01")
        case .otherCategory: document["driving_privileges"] = Self.privilege("A", from: "2020-01-01")
        case .numberOfWrongType: document["document_number"] = .null
        case .emptyPortrait: document["portrait"] = .bytes([])
        case .blankNumber: document["document_number"] = " \u{200b}"
        case .nullLimits:
            document["driving_privileges"] = [
                ["vehicle_category_code": "B", "expiry_date": .null, "codes": .null]
            ]
        case .nullMeasures: for name in ["height", "sex"] { document[name] = .null }
        case .honest, .expiredWholly, .underAge, .withoutAttestations: break
        }
    }

    private static func privilege(_ code: String, from day: String) -> CBORDraft {
        [
            [
                "vehicle_category_code": .text(code), "issue_date": .fullDate(day),
                "expiry_date": .fullDate("2035-01-01"),
            ]
        ]
    }
}

/// One phone with every kind of document of a holder, and what its answers are judged by.
struct WithholdingBench {
    static let now = Timestamp(secondsSince1970: 1_793_534_400)
    static var day: FullDate { now.dayInUTC }

    private let documents: [IssuedDocument]
    private let trust: TrustStore
    private let transcript: SessionTranscript

    init(_ kind: HolderKind) throws {
        let issuer = try TestIssuer(entropy: .seed("withheld"), now: Self.now)
        documents = try TestDocumentKind.allCases.map { document in
            var content = document.document(for: kind.licence, on: Self.day)
            kind.change(&content)
            return try issuer.issue(content, for: COSEKeyPair(PrivateKey.generate(.p256)))
        }
        trust = TrustStore(anchors: [try TrustAnchor(Certificate(der: issuer.root[...]))])
        transcript = SessionTranscript(
            deviceEngagement: [UInt8](repeating: 7, count: 30),
            eReaderKey: COSEKeyPair(try PrivateKey.generate(.p256)).publicKeyBytes, handover: .qr)
    }

    /// Every element of every document.
    var everything: Set<ElementName> {
        Set(
            documents.flatMap(\.items).map { ElementName(nameSpace: $0.nameSpace, identifier: $0.identifier) }
        )
    }

    /// What every channel makes of the answer to a request, with these elements unticked.
    ///
    /// - Parameter docTypes: the types of the documents that the phone returns; nil leaves that to the request.
    func answer(
        to requests: DeviceRequestDraft, withholding names: Set<ElementName>,
        returning docTypes: Set<String>? = nil
    ) throws -> VerifiedResponse {
        let holder = Holder(documents: documents.map { $0.withholding(names) })
        let returned = docTypes.map { docTypes in
            DeviceRequestDraft(requests.documents.filter { docTypes.contains($0.docType) })
        }
        let request = try (returned ?? requests).encode(for: .extendedRequest, in: transcript)
        guard case .response(let bytes) = try holder.answer(request[...], transcript: transcript) else {
            throw NotVerified()
        }
        var policy = VerificationPolicy()
        policy.acceptsTestDocuments = true
        let context = VerificationContext(
            transcript: transcript, comparison: .requested(requests.documents), readerKey: nil, trust: trust,
            now: Self.now, policy: policy)
        guard case .verified(let response) = try UnverifiedResponse(bytes[...]).verify(in: context) else {
            throw NotVerified()
        }
        return response
    }

    struct NotVerified: Error {}
}

/// An answer as each channel judges it.
struct JudgedByAll {
    let answers: [Question.Subject: Answer]
    let missing: Set<String>
    let docTypes: Set<String>
    /// By channel.
    let outcomes: [String: Outcome?]

    /// - Parameter plan: nil for an app, which has none.
    init(
        _ answer: VerifiedResponse, _ expectation: AnswerExpectation, plan: RequestPlan?
    ) {
        let near = TransactionReport(.verified(answer), expecting: expectation, requestCompared: true)
        var compared = Conclusion.Evidence(near, asksPerson: true)
        if compared.person == .awaited { compared.person = .decided(.approved) }
        let channel = ChannelReport(
            .verified(
                VerifiedPresentation(answer, isReplayChecked: true, comparison: .notCompared)),
            requestCompared: true, expecting: expectation)
        var outcomes: [String: Outcome?] = [
            "data, display, exit code": near.conclusion.outcome,
            "display with a person's approval": compared.conclusion?.outcome,
            "page, app": channel.conclusion.outcome,
            "the JSON of a page": Self.outcome(in: channel.json(portrait: .size)),
            "receipts and pages without elements": near.withoutElements.conclusion.outcome,
        ]
        if let plan {
            let isYes = plan.isAnsweredYes(by: answer, on: WithholdingBench.day)
            outcomes["what is asked next"] = isYes ? .allow : near.conclusion.outcome
        }
        self.outcomes = outcomes
        answers = Dictionary(
            near.questions.map { ($0.subject, near.answer(to: $0)) },
            uniquingKeysWith: { first, _ in first })
        docTypes = Set(near.documents.map(\.report.docType))
        missing = Set(near.missing.map(\.name.identifier))
    }

    private static func outcome(in json: JSONValue) -> Outcome? {
        let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        return (object?["outcome"] as? String).flatMap { Outcome(rawValue: $0) }
    }

    /// The outcome, where every channel has the same.
    var outcome: Outcome? {
        let all = Set(outcomes.values)
        return all.count == 1 ? all.first ?? nil : nil
    }
}
