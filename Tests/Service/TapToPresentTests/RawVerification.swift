import COSE
import Foundation
import MdocModel
import MdocTrust
import MdocVerification
import OpenSSLCrypto
import PKIX
import TapToPresent

/// What a server makes of a raw answer: every check, with nothing but what the app handed it.
struct RawVerification {
    let isVerified: Bool

    init(
        _ response: MobileDocumentRawDataResponse, root: [UInt8], key: [UInt8]? = nil
    ) throws {
        let transcript = try SessionTranscript(stored: [UInt8](response.sessionTranscript)[...])
        let scalar = key ?? [UInt8](response.ephemeralReaderKey)
        let anchor = try TrustAnchor(Certificate(der: root[...]))
        let context = VerificationContext(
            transcript: transcript, comparison: .notCompared,
            readerKey: COSEKeyPair(try PrivateKey(curve: .p256, scalar: scalar[...])),
            trust: TrustStore(anchors: [anchor]), now: TapStage.now, policy: VerificationPolicy())
        let verdict = try UnverifiedResponse([UInt8](response.responseData)[...]).verify(in: context)
        if case .verified = verdict { isVerified = true } else { isVerified = false }
    }
}
