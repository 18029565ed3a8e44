import COSE
import Foundation
import MdocModel
import MdocSession
import MdocTrust
import MdocVerification
import OpenSSLCrypto
import PKIX
import Testing
import VectorFiles

/// One presentation of the shared corpus, as its manifest describes it.
struct CorpusCase: Decodable, Sendable, CustomTestStringConvertible {
    enum Level: String, Decodable { case must, profile, robust }
    enum Layer: String, Decodable { case response, session }
    enum Expectation: String, Decodable { case accept, reject }

    struct Request: Decodable {
        let docType: String
        let nameSpaces: [String: [String: Bool]]
    }

    let name: String
    let expect: Expectation
    let level: Level
    let layer: Layer
    let rule: String
    let qr: String?
    let requests: [Request]
    let files: [String: String]
    let eReaderKeyPrivate: String
    let eDeviceKeyPrivate: String

    var testDescription: String { "\(name) (\(rule))" }
}

/// The shared corpus, where the checkout has it beside it.
struct Corpus: Decodable {
    let verifyAt: String
    let cases: [CorpusCase]

    static let folder = VectorFiles.shared?.appending(path: "corpus")
    static let isHere = folder.map { FileManager.default.fileExists(atPath: $0.path) } ?? false

    static let loaded: Corpus? = {
        guard isHere, let folder else { return nil }
        return try? VectorFiles.json(at: folder.appending(path: "manifest.json"))
    }()

    static let all = loaded?.cases ?? []
}

extension CorpusCase {
    func bytes(_ file: String) throws -> [UInt8] {
        let folder = try #require(Corpus.folder)
        return try VectorFiles.bytes(of: folder.appending(path: name).appending(path: file))
    }

    func handover() throws -> Handover {
        guard files["handover_select.ndef"] != nil else { return .qr }
        let request = files["handover_request.ndef"] == nil ? nil : try bytes("handover_request.ndef")
        return .nfc(select: try bytes("handover_select.ndef"), request: request)
    }

    func keyPair(_ scalar: String) throws -> COSEKeyPair {
        COSEKeyPair(try PrivateKey(curve: .p256, scalar: [UInt8](hex: scalar)[...]))
    }

    /// The case's own IACA as the one anchor, and the manifest's clock.
    func context(_ rules: VerificationRules) throws -> VerificationContext {
        let now = try #require(DateText(Corpus.loaded?.verifyAt.utf8 ?? "".utf8))
        let anchor = try TrustAnchor(Certificate(der: bytes("iaca.der")[...]))
        let request = try DeviceRequest(bytes("device_request.cbor")[...])
        return VerificationContext(
            transcript: try SessionTranscript(stored: bytes("session_transcript.cbor")[...]),
            comparison: .requested(request.docRequests.map(\.itemsRequest)),
            readerKey: try keyPair(eReaderKeyPrivate), trust: TrustStore(anchors: [anchor]), now: now.instant,
            policy: VerificationPolicy(rules: rules))
    }

    /// What the reader makes of the stored SessionData, with the session set up from the stored engagement.
    func receiveSessionData() throws -> ReaderSession.Action {
        let now = ContinuousClock.now
        var session = try ReaderSession(
            engagement: DeviceEngagement(bytes("device_engagement.cbor")[...]), handover: handover(),
            eReaderKey: keyPair(eReaderKeyPrivate))
        #expect(try Array(session.transcript.encoded) == bytes("session_transcript.cbor"))
        _ = try session.send(bytes("device_request.cbor")[...], now: now)
        return try session.receive(bytes("session_data.cbor")[...], now: now)
    }

    /// The verdict, from `device_response.cbor` or through decryption where the case is about it.
    func verdict(_ rules: VerificationRules) throws -> Judgement {
        var response = try bytes("device_response.cbor")
        if layer == .session {
            guard case .deliver(let opened, _) = try receiveSessionData() else { throw NotDelivered() }
            response = opened
        }
        return try UnverifiedResponse(response[...]).verify(in: context(rules))
    }
}

struct NotDelivered: Error {}
