internal import COSE
internal import ErrorMapping
public import Foundation
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderService

/// An answer as the phone sent it. **Nothing of it is verified**: whoever takes it makes every check of
/// ISO/IEC 18013-5 9.3, or has `countersign verify` make them.
public struct MobileDocumentRawDataResponse: Hashable, Sendable {
    /// The DeviceResponse in CBOR (ISO/IEC 18013-5 8.3.2.1.2.2).
    public let responseData: Data
    /// The SessionTranscript in CBOR, the bare array (9.1.5.1).
    public let sessionTranscript: Data
    /// The private half of the reader's ephemeral key, by which an answer with a MAC is checked (9.1.3.5): its scalar,
    /// big-endian, on the curve of the key in the transcript.
    public let ephemeralReaderKey: Data

    init(_ answer: RawAnswer) throws(MobileDocumentReaderError) {
        responseData = Data(answer.response)
        sessionTranscript = Data(answer.transcript.encoded)
        ephemeralReaderKey = try mapping(answer.readerKey.privateKey.withUnprotectedScalar { Data($0) }) {
            (_: OpenSSLCryptoError) in MobileDocumentReaderError.unknown(.internalFault)
        }
    }
}

extension MobileDocumentRawDataResponse: CustomStringConvertible, CustomReflectable {
    /// The type's name alone: what came is personal.
    public var description: String { "MobileDocumentRawDataResponse(redacted)" }
    /// Empty, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
