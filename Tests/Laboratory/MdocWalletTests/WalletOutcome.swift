import COSE
import MdocModel
import MdocSession
import MdocTrust
import MdocVerification
import MdocWallet
import OpenSSLCrypto
import PKIX
import Testing
import VectorFiles

/// What a reader makes of a presentation.
enum WalletOutcome {
    case verdict(Judgement)
    case malformed(MdocModelError)
    case ended(SessionEnd, terminationStatus: SessionStatus?)
}

/// A case as it was made.
struct WrittenCase {
    static let now = Timestamp(secondsSince1970: 1_793_534_400)

    let written: CorpusCase

    init(_ presentation: PresentationCase, entropy: TestEntropy = .seed("MdocWalletTests")) throws {
        written = try CorpusCase(presentation, entropy: entropy, at: Self.now, instant: .now)
    }

    func bytes(_ name: String) throws -> ArraySlice<UInt8> {
        try #require(written.files.first { $0.name == name }).bytes[...]
    }

    func judge(_ rules: VerificationRules) throws -> WalletOutcome {
        try CaseFiles(written).judge(rules)
    }
}

/// The files of a case and the reader's key: a verdict follows from nothing else.
struct CaseFiles {
    private let files: [String: [UInt8]]
    private let readerKeyScalar: String

    init(_ written: CorpusCase) {
        files = Dictionary(uniqueKeysWithValues: written.files.map { ($0.name, $0.bytes) })
        readerKeyScalar = written.entry.eReaderKeyPrivate
    }

    init(_ stored: StoredPresentation) throws {
        files = try Dictionary(uniqueKeysWithValues: stored.files.keys.map { ($0, try stored.bytes($0)) })
        readerKeyScalar = stored.eReaderKeyPrivate
    }

    private func bytes(_ name: String) throws -> ArraySlice<UInt8> {
        try #require(files[name])[...]
    }

    private var handover: Handover {
        guard let select = files["handover_select.ndef"] else { return .qr }
        return .nfc(select: select, request: files["handover_request.ndef"])
    }

    private func readerKey() throws -> COSEKeyPair {
        let engagement = try DeviceEngagement(bytes("device_engagement.cbor"))
        let scalar = [UInt8](hex: readerKeyScalar)
        return COSEKeyPair(try PrivateKey(curve: engagement.eDeviceKey.curve, scalar: scalar[...]))
    }

    func judge(_ rules: VerificationRules) throws -> WalletOutcome {
        let readerKey = try readerKey()
        var session = try ReaderSession(
            engagement: DeviceEngagement(bytes("device_engagement.cbor")), handover: handover,
            eReaderKey: readerKey)
        #expect(session.transcript.encoded == (try bytes("session_transcript.cbor")))
        _ = try session.send(bytes("device_request.cbor"), now: .now)
        switch session.receive(try bytes("session_data.cbor"), now: .now) {
        case .transmit: throw UnexpectedAction()
        case .end(let end, let terminationMessage):
            return .ended(
                end, terminationStatus: try terminationMessage.flatMap { try SessionData($0[...]).status })
        case .deliver(let response, _):
            #expect(response[...] == (try bytes("device_response.cbor")))
            return try judge(response[...], readerKey: readerKey, rules)
        }
    }

    private func judge(
        _ response: ArraySlice<UInt8>, readerKey: COSEKeyPair, _ rules: VerificationRules
    ) throws -> WalletOutcome {
        let request = try DeviceRequest(bytes("device_request.cbor"))
        let context = VerificationContext(
            transcript: try SessionTranscript(stored: bytes("session_transcript.cbor")),
            comparison: .requested(request.docRequests.map(\.itemsRequest)), readerKey: readerKey,
            trust: TrustStore(anchors: [try TrustAnchor(Certificate(der: bytes("iaca.der")))]),
            now: WrittenCase.now, policy: VerificationPolicy(rules: rules))
        do {
            return .verdict(try UnverifiedResponse(response).verify(in: context))
        } catch {
            return .malformed(error)
        }
    }
}

struct UnexpectedAction: Error {}

extension WalletOutcome {
    /// The outcome and its reasons by name, without places in the bytes.
    var summary: [String] {
        switch self {
        case .verdict(.verified(let response)):
            ["verified"] + response.reports.flatMap(\.deviations).map(\.rawValue)
        case .verdict(.rejected(let response)):
            ["rejected"] + response.failures.map { "\($0)" }
                + response.reports.failures.keys.map(\.rawValue).sorted()
        case .malformed(.malformed(let structure, _)): ["malformed", "\(structure)"]
        case .malformed(let error): ["malformed", "\(error)"]
        case .ended(.failed(.malformed(.malformed(let structure, _))), _): ["ended", "\(structure)"]
        case .ended(let end, let status): ["ended", "\(end)", "\(String(describing: status))"]
        }
    }

    /// The response, where every check passed.
    func verified(_ location: SourceLocation = #_sourceLocation) -> VerifiedResponse? {
        if case .verdict(.verified(let response)) = self { return response }
        Issue.record("not verified: \(self)", sourceLocation: location)
        return nil
    }
}

extension Sequence where Element == DocumentReport {
    /// The checks that failed, of all documents.
    var failures: [CheckID: CheckFailure] {
        reduce(into: [:]) { failures, report in
            for check in report.checks {
                if case .failed(let failure) = check.outcome { failures[check.id] = failure }
            }
        }
    }
}
