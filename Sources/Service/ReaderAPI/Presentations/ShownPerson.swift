internal import OpenSSLCrypto
internal import PortraitDecoding

/// What a clerk sees of a person beside the answers, until the clerk decides: the only personal data of a display
/// request. The portrait is wiped when this object is released.
final class ShownPerson: Sendable {
    let portrait: Portrait?
    let name: Name?

    struct Name: Sendable {
        let given: String?
        let family: String?
    }

    init?(portrait: Portrait?, name: Name?) {
        guard portrait != nil || name != nil else { return nil }
        self.portrait = portrait
        self.name = name
    }
}

/// A verified portrait in memory that is overwritten when its last owner goes.
package final class Portrait: Sendable {
    /// `image/jpeg` or `image/png`.
    package let mediaType: String
    private let bytes: SecretBytes

    init(_ shown: ShownPortrait) {
        mediaType = shown.mediaType
        bytes = SecretBytes(copying: shown.bytes[...])
    }

    /// Lends the bytes, which are overwritten afterwards unless they were copied.
    package func withBytes<Value>(_ body: (ArraySlice<UInt8>) -> Value) -> Value {
        bytes.withUnprotectedBytes { bytes in body(bytes) }
    }
}
