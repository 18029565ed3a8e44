internal import PKIX
internal import CBOR
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto

/// The proof that the document's country, where it came, is its signer's (ISO/IEC 18013-5 7.2.1, Q185).
struct IssuingCountryProof: ~Copyable {
    fileprivate init() {}
}

func checkIssuingCountry(
    of document: UnverifiedDocument, in object: MobileSecurityObject, signedBy signer: IssuerCertificate,
    noting deviations: inout [Deviation]
) throws(CheckFailure) -> IssuingCountryProof {
    let subject = signer.certificate.subject
    let validFrom = object.validityInfo.validFrom.instant
    for item in document.nameSpaces.lazy.flatMap(\.items) {
        if item.isNamed("issuing_country") {
            guard let country = subject.countryName, item.value.isSameText(as: country) else {
                throw .issuingCountryMismatch
            }
        } else if item.isNamed("issuing_jurisdiction") {
            if let state = subject.stateOrProvinceName, !item.value.isSameText(as: state) {
                deviations.append(.jurisdiction)
            }
        } else if item.isNamed("issue_date") {
            guard let date = try? DateText(item.value) else { continue }
            if !date.form.isEmpty { deviations.append(.dateFormInElement) }
            if date.instant > validFrom { deviations.append(.issuedAfterValidFrom) }
        } else if item.isNamed("expiry_date") {
            guard let date = try? DateText(item.value) else { continue }
            if !date.form.isEmpty { deviations.append(.dateFormInElement) }
        }
    }
    return IssuingCountryProof()
}

extension CBORItem {
    /// Whether the item is this text, byte for byte: comparing as Unicode takes the square of the marks on a letter.
    fileprivate func isSameText(as text: String) -> Bool {
        (try? utf8())?.elementsEqual(text.utf8) == true
    }
}
