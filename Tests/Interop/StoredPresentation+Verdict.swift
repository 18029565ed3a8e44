import COSE
import MdocModel
import MdocSession
import MdocTrust
import MdocVerification
import OpenSSLCrypto
import PKIX
import Testing
import VectorFiles

extension StoredPresentation {
    func readHandover() throws -> Handover {
        guard files["handover_select.ndef"] != nil else { return .qr }
        let request = files["handover_request.ndef"] == nil ? nil : try bytes("handover_request.ndef")
        return .nfc(select: try bytes("handover_select.ndef"), request: request)
    }

    func keyPair(_ scalar: String) throws -> COSEKeyPair {
        COSEKeyPair(try PrivateKey(curve: .p256, scalar: [UInt8](hex: scalar)[...]))
    }

    /// The presentation's root as the only anchor, and the manifest's clock.
    func context(_ rules: VerificationRules) throws -> VerificationContext {
        let now = try #require(DateText(verifyAt.utf8))
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
            engagement: DeviceEngagement(bytes("device_engagement.cbor")[...]), handover: readHandover(),
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

    func asksForAge(_ years: Int) -> Bool {
        requests.contains { $0.nameSpaces.values.contains { $0["age_over_\(years)"] != nil } }
    }
}

struct NotDelivered: Error {}
