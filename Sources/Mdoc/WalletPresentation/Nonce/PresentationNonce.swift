internal import CBOR

/// What makes one request another than all others: bytes that the wallet takes into the transcript.
package struct PresentationNonce: Hashable, Sendable, RedactedDescription {
    /// The most bytes that PassKit takes.
    package static let maximumSize = 64
    /// The fewest that ISO/IEC TS 18013-7 Annex C takes.
    package static let minimumSizeOnTheWeb = 16
    /// How many bytes those have that we issue.
    package static let issuedSize = 32

    package let bytes: [UInt8]

    /// Throws `nonceSizeWrong` for none or more than `maximumSize` bytes.
    package init(_ bytes: [UInt8]) throws(WalletPresentationError) {
        guard (1...Self.maximumSize).contains(bytes.count) else { throw .nonceSizeWrong }
        self.bytes = bytes
    }
}
