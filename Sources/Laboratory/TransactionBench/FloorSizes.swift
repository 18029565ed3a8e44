internal import CBOR
internal import COSE
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// What the cryptography under one response covers, in bytes. Both floors take it.
struct FloorSizes {
    /// In what a response comes.
    enum Wrapper {
        /// A session, which also seals a request of this many bytes.
        case session(request: Int)
        /// HPKE to a key that lasts, with the transcript as its info.
        case envelope
    }

    let wrapper: Wrapper
    let response: Int
    let transcript: Int
    let items: [Int]
    /// What the certificate's, the issuer's and the device's signature cover.
    let certificate: Int
    let issuer: Int
    let device: Int

    init(
        _ wrapper: Wrapper, response: Int, of document: UnverifiedDocument, issuerAuth: CBORItem,
        in transcript: SessionTranscript
    ) throws {
        let signature = try COSESign1(issuerAuth)
        let structureHead = 24
        self.wrapper = wrapper
        self.response = response
        self.transcript = transcript.encoded.count
        items = document.nameSpaces.flatMap { $0.items.map(\.bytes.bytes.count) }
        certificate = try Certificate(der: signature.headers.x5chain()[0]).tbsCertificate.count
        issuer = (signature.payload?.count ?? 0) + structureHead
        device = transcript.encoded.count + document.docType.utf8.count + 2 * structureHead
    }
}
