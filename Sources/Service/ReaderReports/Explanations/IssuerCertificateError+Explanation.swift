package import MdocTrust
package import OpenSSLCrypto

extension IssuerCertificateError {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .misshapen(let error): "the document signer's certificate cannot be read: \(error.explanation)"
        case .encodingIrregular: "the document signer's certificate is encoded in a way that RFC 5280 forbids"
        case .anchorNotFound(let issuer): "issuer not in your trust list: \(Terminal.safe(issuer))"
        case .authorityKeyIdentifierMismatch:
            "a root of the issuer's name is trusted, but the certificate points to another key, or to none"
        case .issuerNameMismatch:
            "the certificate points to the key of a trusted root and names another issuer"
        case .signatureInvalid:
            "a root of this name is trusted, but did not sign the document signer's certificate"
        case .notYetValid: "the document signer's certificate is not valid yet"
        case .expired: "the document signer's certificate has expired"
        case .anchorOutsideValidity: "the trusted root that issued the certificate is not valid now"
        case .docTypeNotTrusted(let docType):
            "the issuer is in your trust list, but not for documents of type "
                + "\(Terminal.safe(docType, limit: 80))"
        case .isCertificateAuthority:
            "an authority's certificate signed the document; it may only issue signers"
        case .keyUsageWrong: "the document signer's key usage does not allow digital signatures"
        case .extendedKeyUsageWrong: "the certificate is not for signing mdocs (1.0.18013.5.1.2)"
        case .countryMissing: "the document signer's certificate names no country"
        case .countryMismatch: "the country of the document signer differs from its root's"
        case .unknownCriticalExtension(let oid):
            "the document signer's certificate has an unknown critical extension, \(oid)"
        case .forbiddenExtension(let oid):
            "the document signer's certificate has extension \(oid), which has no place in one"
        }
    }
}

extension OpenSSLCryptoError {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .keyMisshapen, .pointNotOnCurve, .scalarOutOfRange: "the key is none of its curve"
        case .unsupportedKey: "the key is of a kind or on a curve that is not supported"
        case .curvesDoNotAgree, .keyAgreementFailed: "the two keys do not agree on a secret"
        case .pemMisshapen: "it is not PEM of the kind looked for"
        case .algorithmDoesNotFitKey: "the algorithm does not fit the key's curve"
        case .signatureMisshapen: "the signature has not the form of its algorithm"
        case .signatureInvalid, .authenticationFailed: "it does not verify"
        case .unsupportedSignatureAlgorithm: "the signature algorithm is not supported"
        case .keySizeWrong, .keySpent: "the session key cannot be used"
        case .tooLong: "it is longer than allowed"
        case .truncated(let offset): "the DER ends inside an element (byte \(offset))"
        case .trailingBytes(let offset): "bytes follow the DER (byte \(offset))"
        case .unexpectedTag(let offset): "another DER element was due at byte \(offset)"
        case .lengthNotDistinguished(let offset): "a length at byte \(offset) is not DER"
        case .nestedTooDeeply(let offset): "DER elements nest too deeply (byte \(offset))"
        case .valueMisshapen(let offset): "the element at byte \(offset) is not DER of its type"
        case .certificateVersionWrong: "the certificate's version is unknown or does not fit its fields"
        case .signatureAlgorithmsDiffer: "the certificate names two different signature algorithms"
        case .duplicateExtension(let offset): "an extension stands twice (byte \(offset))"
        case .limitExceeded(let offset): "it exceeds a limit of this reader (byte \(offset))"
        case .crlVersionWrong: "the CRL is not of version 2"
        case .crlNextUpdateMissing: "the CRL does not say when the next is due"
        case .deltaCRL: "it lists only changes to another CRL"
        case .indirectCRL: "it lists certificates of other issuers"
        case .crlOfOtherScope: "it does not list every document signer and reason"
        case .unknownCriticalExtension(let oid): "it has an unknown critical extension, \(oid)"
        case .tpmProviderMissing:
            "OpenSSL has no provider for TPM 2.0 here: apt install tpm2-openssl"
        case .tpmUnreachable:
            "no TPM 2.0 answers: is there one (/dev/tpmrm0), and may you use it (group tss)? "
                + "TPM2OPENSSL_TCTI names another"
        case .tpmRefused:
            "the TPM does not make or load the key: another TPM's, a curve it lacks, or no room"
        case .keyStaysInTPM: "the key stays in the TPM, which signs with it and does nothing else"
        case .openSSLFailed: "OpenSSL could not carry out the computation"
        }
    }

    /// Where in the bytes it went wrong.
    package var offset: Int? {
        switch self {
        case .truncated(let offset), .trailingBytes(let offset), .unexpectedTag(let offset),
            .lengthNotDistinguished(let offset), .nestedTooDeeply(let offset), .valueMisshapen(let offset),
            .duplicateExtension(let offset), .limitExceeded(let offset):
            offset
        default: nil
        }
    }
}
