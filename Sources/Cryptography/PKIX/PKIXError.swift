internal import OpenSSLCrypto

/// The reason why DER, a certificate or a CRL is refused. Offsets count from the start of the received
/// buffer.
package enum PKIXError: Error, Equatable, Sendable {
    // DER (X.690)

    /// The encoding ends inside an element.
    case truncated(at: Int)
    /// Bytes follow the last element.
    case trailingBytes(at: Int)
    /// An element does not have the tag that is expected at its position.
    case unexpectedTag(at: Int)
    /// A length is indefinite, or not in its shortest form.
    case lengthNotDistinguished(at: Int)
    /// Constructed elements nest deeper than `DERReader.maximumDepth`.
    case nestedTooDeeply(at: Int)
    /// The contents of an element are not a distinguished encoding of its type.
    case valueMalformed(at: Int)

    // X.509 (RFC 5280)

    /// The version is not 1, 2 or 3, or the certificate has fields of a later version.
    case certificateVersionWrong
    /// The signature algorithms inside and outside the signed part differ (RFC 5280 4.1.1.2).
    case signatureAlgorithmsDiffer
    /// An extension occurs twice (RFC 5280, 4.2).
    case duplicateExtension(at: Int)
    /// The encoding, or a part of it, exceeds a limit of this parser: a size or a number of entries.
    case limitExceeded(at: Int)

    // CRLs (RFC 5280, 5)

    /// The version of the CRL is not v2 (RFC 5280, 5.1.2.1).
    case crlVersionWrong
    /// The CRL has no nextUpdate.
    case crlNextUpdateMissing
    /// The CRL is a delta CRL: it lists only changes to another CRL.
    case deltaCRL
    /// The CRL is indirect: it lists certificates of other issuers.
    case indirectCRL
    /// The CRL does not cover all document signers and all reasons for revocation.
    case crlOfOtherScope
    /// A part of a CRL other than its entries cannot be read, for the given reason.
    indirect case crlPartUnreadable(CRLPart, PKIXError)
    /// A critical extension of a CRL, or of one of its entries, is unknown.
    case unknownCriticalExtension(ObjectIdentifier)

    // Files

    /// The text is not PEM with certificates (RFC 7468).
    case pemMalformed
    /// The certificates are inside PKCS #7 (RFC 2315), which this parser does not support.
    case pkcs7
}

extension PKIXError {
    /// A text that describes the error.
    package var explanation: String {
        switch self {
        case .truncated(let offset): "the DER ends inside an element (byte \(offset))"
        case .trailingBytes(let offset): "bytes follow the DER (byte \(offset))"
        case .unexpectedTag(let offset): "the DER element at byte \(offset) is not the expected one"
        case .lengthNotDistinguished(let offset):
            "the length at byte \(offset) is not encoded as DER requires"
        case .nestedTooDeeply(let offset): "DER elements are nested too deeply (byte \(offset))"
        case .valueMalformed(let offset): "the value at byte \(offset) is not valid DER of its type"
        case .certificateVersionWrong: "the certificate's version is unknown or does not fit its fields"
        case .signatureAlgorithmsDiffer: "the certificate names two different signature algorithms"
        case .duplicateExtension(let offset): "an extension occurs twice (byte \(offset))"
        case .limitExceeded(let offset):
            "a list or a certificate exceeds a limit of this reader (byte \(offset))"
        case .crlVersionWrong: "the CRL is not of version 2"
        case .crlNextUpdateMissing: "the CRL has no nextUpdate"
        case .deltaCRL: "the CRL lists only changes to another CRL (a delta CRL): give the complete CRL"
        case .indirectCRL:
            "the CRL may also list certificates of other issuers (an indirect CRL), which is not supported"
        case .crlOfOtherScope: "the CRL does not cover all document signers and all reasons for revocation"
        case .crlPartUnreadable(let part, let error): "\(part.name) cannot be read: \(error.explanation)"
        case .unknownCriticalExtension(let oid): "the CRL has an unknown critical extension, \(oid)"
        case .pemMalformed: "the text is not PEM with certificates"
        case .pkcs7:
            "the certificates are in PKCS #7, which is not supported: convert them to PEM with `openssl pkcs7 -print_certs`"
        }
    }

    /// The offset of the fault; `nil` if the fault has no position.
    package var offset: Int? {
        switch self {
        case .truncated(let offset), .trailingBytes(let offset), .unexpectedTag(let offset),
            .lengthNotDistinguished(let offset), .nestedTooDeeply(let offset), .valueMalformed(let offset),
            .duplicateExtension(let offset), .limitExceeded(let offset):
            offset
        case .crlPartUnreadable(_, let error): error.offset
        default: nil
        }
    }
}
