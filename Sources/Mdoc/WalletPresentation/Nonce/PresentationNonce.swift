internal import CBOR

/// The random bytes that make a request unique. The wallet binds its answer to them through the transcript.
package struct PresentationNonce: Hashable, Sendable, RedactedDescription {
    /// The maximum number of bytes that PassKit accepts.
    package static let maximumSize = 64
    /// The minimum number of bytes in ISO/IEC TS 18013-7 Annex C.
    package static let minimumSizeOnTheWeb = 16
    /// The number of bytes in a nonce that this program issues.
    package static let issuedSize = 32

    package let bytes: [UInt8]

    /// Makes a nonce of `bytes`.
    ///
    /// - Throws: `WalletPresentationError.nonceSizeWrong` for no bytes, or for more than `maximumSize`.
    package init(_ bytes: [UInt8]) throws(WalletPresentationError) {
        guard (1...Self.maximumSize).contains(bytes.count) else { throw .nonceSizeWrong }
        self.bytes = bytes
    }
}
