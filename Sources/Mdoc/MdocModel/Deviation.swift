/// A harmless deviation from the ISO/IEC 18013-5 profile, which real wallets or issuers show.
///
/// By default a document with the deviation is accepted, and the deviation is reported under its id. Under
/// strict rules the document is refused.
package enum Deviation: String, CaseIterable, Sendable {
    /// An IssuerSignedItem with a string, array or map of indefinite length.
    case indefiniteItem = "cbor.indefinite_item_map"
    /// An MSO with a string, array or map of indefinite length.
    case indefiniteMSO = "cbor.indefinite_mso"
    /// The response has an array or map of indefinite length outside the signed parts.
    case indefiniteResponse = "cbor.indefinite_response"
    /// The byte string in tag 24 is encoded in chunks, with indefinite length.
    case chunkedItem = "cbor.chunked_item"
    /// An IssuerSignedItem with an integer or length in more bytes than needed.
    case longerHeadInItem = "cbor.nonminimal_int"
    /// An MSO with an integer or length in more bytes than needed.
    case longerHeadInMSO = "cbor.nonminimal_mso"
    /// An optional member of the response is null or undefined instead of absent.
    case nullMember = "cbor.null_member"
    /// An entry of `errors` or `documentErrors` cannot be read. The other entries are reported.
    case unreadableErrors = "response.errors_unreadable"
    /// issuerAuth carries tag 18.
    case issuerAuthTagged = "issuer_auth.tagged"
    /// The issuer's certificate is in the protected header.
    case x5chainProtected = "issuer_auth.x5chain_protected"
    /// issuerAuth names its algorithm by one of the newer identifiers that include the curve.
    case issuerAlgorithmFullySpecified = "issuer_auth.alg_fully_specified"
    /// x5chain holds more than the document signer's certificate.
    case x5chainWithOtherCertificates = "issuer_auth.x5chain_extra"
    /// An MSO date with fractional seconds, an offset, a missing tag, another tag, or no time.
    case dateFormInMSO = "mso.date_form"
    /// A date element, or a date in driving privileges, without its tag or in another form.
    case dateFormInElement = "element.date_form"
    /// The value of an element is readable, but not in the form of the data model.
    case elementForm = "element.form"
    /// The value of an element is empty, or not of the type of the data model. An answer that needs the
    /// element is unknown.
    case elementWrongType = "element.wrong_type"
    case issuedAfterValidFrom = "mso.issue_date"
    /// An IssuerSignedItem whose random is shorter than 16 bytes.
    case shortRandom = "item.short_random"
    /// issuing_country differs from the document signer's country, in a document type for which ISO/IEC
    /// 18013-5 does not require the two to be equal.
    case issuingCountry = "element.issuing_country"
    /// issuing_jurisdiction differs from the state or province of the document signer's certificate.
    case jurisdiction = "mso.issuing_jurisdiction"
    /// The device signature or MAC carries a COSE tag.
    case deviceAuthTagged = "device.tagged"
    /// The device signature names its algorithm by one of the newer identifiers that include the curve.
    case deviceAlgorithmFullySpecified = "device.alg_fully_specified"
    /// The response has an issuer-signed element that was not requested. The value of that element is not
    /// reported.
    case unrequestedElement = "response.unrequested_element"
    /// The portrait was requested and is missing, although other elements of its namespace were returned.
    case portraitMissing = "response.no_portrait"
    /// The document signer's state or province differs from the state or province of its issuer.
    case dsState = "x509.ds_state"
    case dsExtendedKeyUsageNotCritical = "x509.ds_eku_not_critical"
    case dsFurtherExtendedKeyUsage = "x509.ds_eku_extra"
    case dsKeyUsageNotCritical = "x509.ds_key_usage_not_critical"
    /// The document signer's certificate has other key usages in addition to the required one. None of these
    /// further usages permits it to sign certificates or CRLs.
    case dsFurtherKeyUsage = "x509.ds_key_usage_extra"
    /// The document signer's certificate is valid for more than 457 days.
    case dsLongValidity = "x509.ds_long_validity"
    case dsSubjectKeyIdentifierMissing = "x509.ds_no_ski"
    case dsAuthorityKeyIdentifierMissing = "x509.ds_no_aki"
    /// The document signer's subject key identifier is not the SHA-1 of its key.
    case dsSubjectKeyIdentifierDigest = "x509.ds_ski_digest"
    /// The document signer's serial number has fewer than 8 octets.
    case dsSerialNumber = "x509.ds_serial_number"
    /// The document signer's certificate is not signed with ECDSA.
    case dsSignatureAlgorithm = "x509.ds_signature_algorithm"
    /// The document signer's key is compressed.
    case dsPublicKey = "x509.ds_public_key"
    /// The document signer's country is not two capital letters in a PrintableString.
    case dsCountryForm = "x509.ds_country_form"
    case dsCommonNameMissing = "x509.ds_no_common_name"
    /// The issuerAltName of the document signer's certificate is missing, or has neither an email address nor
    /// a URI.
    case dsIssuerAlternativeName = "x509.ds_issuer_alt_name"
    /// The document signer's CRL distribution points are missing, or one of them has another form than a URI
    /// alone.
    case dsDistributionPoint = "x509.ds_crl_distribution_point"
    /// The bits of a signer's key usage end in zero (Q214).
    case keyUsageTrailingZeros = "x509.key_usage_trailing_zeros"
    /// TRUE in the basic constraints of a signer is encoded as 01 (Q215).
    case booleanTrueNotFF = "x509.boolean_true_not_ff"
    case anchorCountryMissing = "x509.anchor_no_country"
}

extension Deviation {
    /// The deviation as a text for people.
    package var meaning: String {
        switch self {
        case .indefiniteItem: "an element is encoded with indefinite length"
        case .indefiniteMSO: "the MSO is encoded with indefinite length"
        case .indefiniteResponse: "the response is encoded with indefinite length"
        case .chunkedItem: "an embedded item (tag 24) is a byte string in chunks"
        case .longerHeadInItem: "an element is encoded in more bytes than needed"
        case .longerHeadInMSO: "the MSO is encoded in more bytes than needed"
        case .nullMember: "an optional member is present with the value null or undefined"
        case .unreadableErrors: "an entry of errors or documentErrors cannot be read"
        case .issuerAuthTagged: "issuerAuth has a CBOR tag"
        case .x5chainProtected: "the issuer's certificate is in the protected header"
        case .issuerAlgorithmFullySpecified:
            "issuerAuth names its algorithm by a newer identifier, which includes the curve"
        case .x5chainWithOtherCertificates: "x5chain holds more than the document signer's certificate"
        case .dateFormInMSO: "a date of the MSO does not have the required form"
        case .dateFormInElement: "a date element does not have the required form"
        case .elementForm: "an element does not have the form that its standard defines"
        case .elementWrongType: "an element is empty, or not of the type that its standard defines"
        case .issuedAfterValidFrom: "issue_date lies after the MSO's validFrom"
        case .shortRandom: "the random value of an element (random) is shorter than 16 bytes"
        case .issuingCountry: "issuing_country differs from the document signer's country"
        case .jurisdiction: "issuing_jurisdiction differs from the document signer's stateOrProvinceName"
        case .deviceAuthTagged: "the device signature or MAC has a CBOR tag"
        case .deviceAlgorithmFullySpecified:
            "the device signature names its algorithm by a newer identifier, which includes the curve"
        case .unrequestedElement: "an element was returned that was not requested; it is withheld"
        case .portraitMissing: "the portrait was requested, but only other elements were returned"
        case .dsState: "the document signer's stateOrProvinceName differs from its root's"
        case .dsExtendedKeyUsageNotCritical: "the document signer's extended key usage is not critical"
        case .dsFurtherExtendedKeyUsage: "the document signer's certificate has further extended key usages"
        case .dsKeyUsageNotCritical: "the document signer's key usage is not critical"
        case .dsFurtherKeyUsage: "the document signer's certificate has further key usages"
        case .dsLongValidity: "the document signer's certificate is valid for more than 457 days"
        case .dsAuthorityKeyIdentifierMissing:
            "the document signer's certificate has no authority key identifier"
        case .dsSubjectKeyIdentifierMissing: "the document signer's certificate has no subject key identifier"
        case .dsCommonNameMissing: "the document signer's certificate has no common name"
        case .dsSerialNumber: "the document signer's serial number has fewer than 8 octets"
        case .dsSignatureAlgorithm: "the document signer's certificate is not signed with ECDSA"
        case .dsPublicKey: "the document signer's public key is a compressed point"
        case .dsCountryForm: "the document signer's country is not two capital letters in a PrintableString"
        case .dsSubjectKeyIdentifierDigest:
            "the document signer's subject key identifier is not the SHA-1 of its key"
        case .dsIssuerAlternativeName:
            "the document signer's certificate names no address or URI of its issuer"
        case .dsDistributionPoint:
            "the document signer's CRL distribution points are missing or not plain URIs"
        case .keyUsageTrailingZeros: "a signer's keyUsage has trailing zero bits, which DER forbids"
        case .booleanTrueNotFF: "TRUE is encoded as 01 instead of FF in a signer's basicConstraints"
        case .anchorCountryMissing: "the root names no country to compare the document signer's country with"
        }
    }
}
