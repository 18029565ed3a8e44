package import COSE
package import MdocModel
package import OpenSSLCrypto

/// Why a phone cannot answer a request.
package enum HolderError: Error, Equatable, Sendable {
    /// The request is not one.
    case request(MdocModelError)
    /// The reader's ephemeral key cannot be used, or is not on the device key's curve, which a MAC needs.
    case readerKey(COSEError)
    case readerKeyOnOtherCurve
    case cryptography(OpenSSLCryptoError)
}
