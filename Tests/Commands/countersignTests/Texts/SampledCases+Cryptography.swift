import COSE
import OpenSSLCrypto
import PKIX

extension UserFacingTexts {
    static let cryptography: [TextGroup] = [
        TextGroup(OpenSSLCryptoError.samples, .cryptography) { $0.explanation },
        TextGroup(PKIXError.samples, .cryptography) { $0.explanation },
        TextGroup(CertificateChainError.samples, .cryptography) { $0.explanation },
        TextGroup(COSEError.samples, .cryptography) { $0.explanation },
    ]
}

extension OpenSSLCryptoError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .keyMalformed
        case .keyMalformed?: .pointNotOnCurve
        case .pointNotOnCurve?: .scalarOutOfRange
        case .scalarOutOfRange?: .unsupportedKey
        case .unsupportedKey?: .curvesDoNotAgree
        case .curvesDoNotAgree?: .keyAgreementFailed
        case .keyAgreementFailed?: .pemMalformed
        case .pemMalformed?: .tpmProviderMissing
        case .tpmProviderMissing?: .tpmUnreachable
        case .tpmUnreachable?: .tpmRefused
        case .tpmRefused?: .keyStaysInTPM
        case .keyStaysInTPM?: .algorithmDoesNotFitKey
        case .algorithmDoesNotFitKey?: .signatureMalformed
        case .signatureMalformed?: .signatureInvalid
        case .signatureInvalid?: .unsupportedSignatureAlgorithm
        case .unsupportedSignatureAlgorithm?: .keySizeWrong
        case .keySizeWrong?: .authenticationFailed
        case .authenticationFailed?: .keySpent
        case .keySpent?: .tooLong
        case .tooLong?: .openSSLFailed
        case .openSSLFailed?: nil
        }
    }
}

extension PKIXError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .truncated(at: 7)
        case .truncated?: .trailingBytes(at: 7)
        case .trailingBytes?: .unexpectedTag(at: 7)
        case .unexpectedTag?: .lengthNotDistinguished(at: 7)
        case .lengthNotDistinguished?: .nestedTooDeeply(at: 7)
        case .nestedTooDeeply?: .valueMalformed(at: 7)
        case .valueMalformed?: .certificateVersionWrong
        case .certificateVersionWrong?: .signatureAlgorithmsDiffer
        case .signatureAlgorithmsDiffer?: .duplicateExtension(at: 7)
        case .duplicateExtension?: .limitExceeded(at: 7)
        case .limitExceeded?: .crlVersionWrong
        case .crlVersionWrong?: .crlNextUpdateMissing
        case .crlNextUpdateMissing?: .deltaCRL
        case .deltaCRL?: .indirectCRL
        case .indirectCRL?: .crlOfOtherScope
        case .crlOfOtherScope?: .crlPartUnreadable(.nextUpdate, .valueMalformed(at: 7))
        case .crlPartUnreadable(.nextUpdate, _)?: .crlPartUnreadable(.extensions, .truncated(at: 7))
        case .crlPartUnreadable(.extensions, _)?:
            .crlPartUnreadable(.authorityKeyIdentifier, .unexpectedTag(at: 7))
        case .crlPartUnreadable(.authorityKeyIdentifier, _)?:
            .crlPartUnreadable(.number, .valueMalformed(at: 7))
        case .crlPartUnreadable(.number, _)?:
            .crlPartUnreadable(.issuingDistributionPoint, .valueMalformed(at: 7))
        case .crlPartUnreadable(.issuingDistributionPoint, _)?:
            .crlPartUnreadable(
                .otherExtension(ObjectIdentifier("2.5.29.46")), .valueMalformed(at: 7))
        case .crlPartUnreadable(.otherExtension(_?), _)?:
            .crlPartUnreadable(.otherExtension(nil), .valueMalformed(at: 7))
        case .crlPartUnreadable(.otherExtension(nil), _)?:
            .unknownCriticalExtension(ObjectIdentifier("2.5.29.30"))
        case .unknownCriticalExtension?: .pemMalformed
        case .pemMalformed?: .pkcs7
        case .pkcs7?: nil
        }
    }
}

extension CertificateChainError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .empty
        case .empty?: .tooLong(limit: 8)
        case .tooLong?: .notSignedByNext(1)
        case .notSignedByNext?: .leafSelfSigned
        case .leafSelfSigned?: .keyNotOfLeaf
        case .keyNotOfLeaf?: .keyCannotSign
        case .keyCannotSign?: nil
        }
    }
}

extension COSEError: SampledCases {
    static func sample(after previous: Self?) -> Self? {
        switch previous {
        case nil: .malformed(.sign1)
        case .malformed(.sign1)?: .malformed(.mac0)
        case .malformed(.mac0)?: .malformed(.key)
        case .malformed(.key)?: .labelInBothHeaders(33)
        case .labelInBothHeaders?: .textLabelInBothHeaders
        case .textLabelInBothHeaders?: .algorithmMissing
        case .algorithmMissing?: .algorithmNotAllowed(-257)
        case .algorithmNotAllowed?: .criticalHeaderNotUnderstood
        case .criticalHeaderNotUnderstood?: .payloadMisplaced
        case .payloadMisplaced?: .keyNotUsable
        case .keyNotUsable?: .coordinateTooShort(count: 31, size: 32)
        case .coordinateTooShort?: .privateKeyPresent
        case .privateKeyPresent?: .certificateChainMalformed
        case .certificateChainMalformed?: .signatureInvalid
        case .signatureInvalid?: .signatureMalformed
        case .signatureMalformed?: .cryptography(.openSSLFailed)
        case .cryptography?: nil
        }
    }
}
