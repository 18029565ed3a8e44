package import PKIX
package import CBOR
package import COSE
package import MdocModel
internal import OpenSSLCrypto

/// Why a VICAL is not believed (ISO/IEC 18013-5 Annex C).
package enum VICALError: Error, Equatable, Sendable {
    case malformed(CBORError)
    case cose(COSEError)
    /// A malformed date.
    case dateMalformed(MdocModelError)
    /// A version whose major number is not 1.
    case versionUnknown
    /// A certificate of the signer's chain that cannot be read.
    case signerMalformed(PKIXError)
    /// The signer does not lead to a pinned provider.
    case signerNotTrusted(CertificatePathError)
    /// The signer's certificate breaks these rules.
    case signerProfile([ProfileFinding])
    /// A CRL of its root lists the signer's certificate.
    case signerRevoked
    /// Its date lies ahead.
    case notYetValid
    /// It is past its nextUpdate.
    case expired
}

extension VICALError {
    static func mapping<Value>(_ body: () throws(CBORError) -> Value) throws(VICALError) -> Value {
        do throws(CBORError) { return try body() } catch { throw .malformed(error) }
    }

    static func mapping<Value>(_ body: () throws(COSEError) -> Value) throws(VICALError) -> Value {
        do throws(COSEError) { return try body() } catch { throw .cose(error) }
    }
}
