internal import OpenSSLCrypto

/// The conditions under which DER, a certificate or a CRL is refused. Offsets count from the start of the received buffer.
package enum PKIXError: Error, Equatable, Sendable {
    // DER (X.690)

    /// The encoding ends inside an element.
    case truncated(at: Int)
    /// Bytes are left over after the last element.
    case trailingBytes(at: Int)
    /// An element has another tag than its place asks for.
    case unexpectedTag(at: Int)
    /// A length is indefinite, or not in its shortest form.
    case lengthNotDistinguished(at: Int)
    /// Constructed elements nest deeper than `DERReader.maximumDepth`.
    case nestedTooDeeply(at: Int)
    /// The contents of an element are not a distinguished encoding of its type.
    case valueMalformed(at: Int)

    // X.509 (RFC 5280)

    /// The version is not v1, v2 or v3, or has fields that do not belong to it.
    case certificateVersionWrong
    /// The signature algorithm inside the signed part is another than outside (RFC 5280, 4.1.1.2).
    case signatureAlgorithmsDiffer
    /// An extension occurs twice (RFC 5280, 4.2).
    case duplicateExtension(at: Int)
    /// A list or a certificate exceeds the limit of this parser.
    case limitExceeded(at: Int)

    // CRLs (RFC 5280, 5)

    /// The version of the CRL is not v2 (RFC 5280, 5.1.2.1).
    case crlVersionWrong
    case crlNextUpdateMissing
    /// The CRL lists changes to another one.
    case deltaCRL
    /// The CRL lists certificates of other issuers.
    case indirectCRL
    /// The CRL leaves out document signers or reasons.
    case crlOfOtherScope
    /// A part of a CRL beside its entries that cannot be read, and why.
    indirect case crlPartUnreadable(CRLPart, PKIXError)
    /// A critical extension of a CRL or of an entry that is not understood.
    case unknownCriticalExtension(ObjectIdentifier)

    // Files

    /// The text is not PEM with certificates (RFC 7468).
    case pemMalformed
    /// The certificates are inside PKCS #7 (RFC 2315), which is not read.
    case pkcs7
}

extension PKIXError {
    /// In plain words.
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
        case .indirectCRL: "the CRL lists certificates of other issuers"
        case .crlOfOtherScope: "the CRL does not cover every document signer and every reason"
        case .crlPartUnreadable(let part, let error): "\(part.name) cannot be read: \(error.explanation)"
        case .unknownCriticalExtension(let oid): "the CRL has an unknown critical extension, \(oid)"
        case .pemMalformed: "the text is not PEM with certificates"
        case .pkcs7:
            "it is PKCS #7, which is not supported: `openssl pkcs7 -print_certs` writes its certificates as PEM"
        }
    }

    /// Where in the bytes it went wrong.
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
