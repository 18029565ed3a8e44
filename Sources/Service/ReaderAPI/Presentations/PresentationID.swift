internal import MdocModel
internal import OpenSSLCrypto

/// A presentation's name: drawn at random, so that nobody can guess another's.
package struct PresentationID: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init() throws(OpenSSLCryptoError) {
        description = try randomBytes(16).hexadecimal
    }

    /// As it comes in a path. One that was never drawn names nothing.
    init(_ text: String) {
        description = text
    }
}
