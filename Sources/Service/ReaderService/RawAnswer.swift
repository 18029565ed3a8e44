internal import CBOR
package import COSE
package import MdocModel
internal import MdocSession

/// An answer as it came, unverified, with what a verification elsewhere needs.
package struct RawAnswer: Sendable, RedactedDescription {
    /// The DeviceResponse (ISO/IEC 18013-5 8.3.2.1.2.2).
    package let response: [UInt8]
    package let transcript: SessionTranscript
    /// The reader's ephemeral key, by whose private half a MAC is checked (ISO/IEC 18013-5 9.1.3.5).
    package let readerKey: COSEKeyPair

    init(_ response: [UInt8], in session: borrowing ReaderSession) {
        self.response = response
        transcript = session.transcript
        readerKey = session.eReaderKey
    }
}
