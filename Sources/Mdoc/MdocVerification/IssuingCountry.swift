internal import PKIX
internal import CBOR
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto

/// The proof that the country of a driving licence, if it was returned, equals the country of its signer
/// (ISO/IEC 18013-5 7.2.1, Q185).
struct IssuingCountryProof: ~Copyable {
    fileprivate init() {}
}

/// Compares `issuing_country` and `issuing_jurisdiction` with the country and the state in the signer's
/// certificate.
///
/// ISO/IEC 18013-5 requires the two countries to be equal only for the elements in the namespace of the
/// driving licence. A document of another type may be signed abroad, and so may elements of another namespace
/// (Q227).
func checkIssuingCountry(
    of document: UnverifiedDocument, signedBy signer: IssuerCertificate, noting deviations: inout [Deviation]
) throws(CheckFailure) -> IssuingCountryProof {
    let subject = signer.certificate.subject
    for nameSpace in document.nameSpaces {
        // Whether ISO/IEC 18013-5 requires the signer's country in the elements of this namespace.
        let mustAgree = document.isLicence && nameSpace.name == DataModel.drivingLicence.mainNameSpace
        for item in nameSpace.items {
            if item.isNamed("issuing_country") {
                // `nil` if the certificate names no country.
                let isSame = subject.countryName.map { item.value.isSameText(as: $0) }
                guard isSame == true || !mustAgree else { throw .issuingCountryMismatch }
                if isSame == false { deviations.append(.issuingCountry) }
            } else if item.isNamed("issuing_jurisdiction") {
                if let state = subject.stateOrProvinceName, !item.value.isSameText(as: state) {
                    deviations.append(.jurisdiction)
                }
            }
        }
    }
    return IssuingCountryProof()
}

extension UnverifiedDocument {
    fileprivate var isLicence: Bool { docType == DataModel.drivingLicence.docType }
}

extension CBORItem {
    /// Whether the item is this text, byte for byte. A comparison as Unicode is quadratic in the number of
    /// combining marks, so a hostile text could stall it.
    fileprivate func isSameText(as text: String) -> Bool {
        (try? utf8())?.elementsEqual(text.utf8) == true
    }
}
