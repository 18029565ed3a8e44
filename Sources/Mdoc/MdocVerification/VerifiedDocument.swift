package import CBOR
internal import COSE
package import MdocModel
package import MdocTrust
internal import PKIX

/// A document that passed every check, with its element values (ISO/IEC 18013-5 9.1, 9.3).
///
/// **Responsibility.** The value answers questions: whether the holder has reached an age or may drive,
/// whether the document is in date, and whether the document belongs to the holder of another document. All
/// answers rest on elements for which every check passed.
///
/// **How it is made.** There is one initialiser. It consumes a non-copyable proof of each check, and each
/// proof can be made only in the file of its check. A forgotten check is therefore a compile error.
/// `UnverifiedDocument.verify(in:isRepetition:)` is the only caller.
///
/// - `VerifiedIssuerCertificate`: a trusted root issued the signer's certificate.
/// - `IssuerSignatureProof`, `MobileSecurityObjectProof`, `ItemDigestsProof`: the issuer signed these
///   elements for this document type.
/// - `ValidityProof`, `IssuingCountryProof`, `RevocationProof`: the MSO is valid now, from the right country
///   and not known to be revoked.
/// - `DeviceBindingProof`, `KeyAuthorizationsProof`: the phone holds the device key, and asserts only
///   elements for which that key is authorised.
/// - `RequestMatchProof`, `ProfileProof`: the document answers the request, and the rules accept its
///   deviations.
///
/// **Limits.** The reader withholds unrequested elements from the caller (Q163). `description` never shows a
/// value. An answer holds for the time and day of verification, which this value stores.
package struct VerifiedDocument: Sendable, RedactedDescription {
    package let docType: String
    package let issuer: DocumentIssuer
    package let deviceBinding: DeviceBinding
    package let validityInfo: ValidityInfo
    package let revocation: RevocationFinding
    /// The requested elements that were returned, in the order of the document.
    package let elements: [VerifiedElement]
    /// The device key, with which the phone proved that it holds the document.
    let deviceKey: COSEKey
    /// The time of verification.
    let now: Timestamp
    /// The day of verification, in the zone of the premises.
    let today: FullDate

    /// Makes the verified document from the proofs of all checks. `now` and `day` are the time and day of
    /// verification.
    init(
        _ document: UnverifiedDocument, at now: Timestamp, on day: FullDate,
        certificate: consuming VerifiedIssuerCertificate,
        signature: consuming IssuerSignatureProof,
        mobileSecurityObject: consuming MobileSecurityObjectProof,
        digests: consuming ItemDigestsProof,
        validity: consuming ValidityProof,
        country: consuming IssuingCountryProof,
        revocation: consuming RevocationProof,
        deviceBinding: consuming DeviceBindingProof,
        keyAuthorizations: consuming KeyAuthorizationsProof,
        requestMatch: consuming RequestMatchProof,
        profile: consuming ProfileProof
    ) {
        // Each proof is valid by itself. These two lines ensure that all proofs are about the same document.
        precondition(signature.signer === certificate.leaf, "the proofs are about two document signers")
        precondition(certificate.docType == document.docType, "the signer is trusted for another type")
        docType = document.docType
        self.revocation = revocation.finding
        issuer = DocumentIssuer(certificate.leaf, anchor: certificate.anchor)
        self.deviceBinding = deviceBinding.kind
        validityInfo = signature.mobileSecurityObject.validityInfo
        deviceKey = signature.mobileSecurityObject.deviceKey
        elements = VerifiedDocument.elements(of: document, withheld: requestMatch.withheld)
        self.now = now
        today = day
    }

    /// Returns the elements for the verified document: the requested elements that the issuer signed, then
    /// the elements that the phone asserts.
    private static func elements(
        of document: UnverifiedDocument, withheld: Set<ElementName>
    ) -> [VerifiedElement] {
        var elements: [VerifiedElement] = []
        for nameSpace in document.nameSpaces {
            for item in nameSpace.items {
                let name = item.name(in: nameSpace.name)
                guard !withheld.contains(name) else { continue }
                elements.append(VerifiedElement(name: name, value: item.value, signedBy: .issuer))
            }
        }
        for element in document.deviceSigned.elements {
            let name = ElementName(nameSpace: element.nameSpace, identifier: element.identifier)
            elements.append(VerifiedElement(name: name, value: element.value, signedBy: .device))
        }
        return elements
    }

    /// Whether the holder is at least `years` old, by the attestations that the issuer signed (ISO/IEC
    /// 18013-5 7.2.5).
    ///
    /// If several attestations answer, the answer names the attestation that is nearest to `years`.
    package func isAgeAtLeast(_ years: Int) -> AgeAnswer {
        var proof: (years: Int, name: ElementName)?
        var refutation: (years: Int, name: ElementName)?
        var anyAttestation = false
        for element in evidence(named: AgeAttestation.isName) {
            guard let attestation = AgeAttestation(element.name.identifier),
                let value = try? element.value.boolean()
            else { continue }
            anyAttestation = true
            // The nearest attestation is kept: the lowest age that proves, and the highest that refutes.
            switch attestation.answer(value, toAtLeast: years) {
            case true? where attestation.years < proof?.years ?? .max:
                proof = (attestation.years, element.name)
            case false? where attestation.years > refutation?.years ?? .min:
                refutation = (attestation.years, element.name)
            default: continue
            }
        }
        switch (proof, refutation) {
        case (let proof?, nil): return .yes(by: proof.name)
        case (nil, let refutation?): return .no(by: refutation.name)
        case (.some, .some): return .cannotTell(.contradictory)
        case (nil, nil): return .cannotTell(wrongAge ?? (anyAttestation ? .noneApplies : absentAge))
        }
    }

    /// The reason that no attestation counts: none was returned, or only one in another namespace.
    private var absentAge: AgeAnswer.AgeUnknown {
        elementElsewhere(named: AgeAttestation.isName).map { .elsewhere($0) } ?? .noAttestation
    }

    /// Whether the issuer-signed element `name` was returned, whatever its value.
    package func has(_ name: ElementName) -> Bool { issuerSigned(name) != nil }

    /// Returns the fault of an issuer-signed value whose type is not the type in the data model; `nil` if the
    /// value is usable or was not returned.
    ///
    /// An element without a data model is unusable if it is null, a blank text or an empty byte string
    /// (Q245).
    package func wrongType(of name: ElementName) -> WrongType? {
        guard let value = issuerSigned(name) else { return nil }
        if let element = DataModel(docType: docType)?.element(name) {
            return element.form(of: value).wrongType
        }
        return WrongType(undefined: value)
    }

    /// Whether the document has no usable element. An element is usable if the issuer signed it and its value
    /// has the right type.
    package var isEmpty: Bool {
        !elements.contains { $0.signedBy == .issuer && wrongType(of: $0.name) == nil }
    }

    /// Whether the document is in date on the day of verification.
    package var isCurrent: DocumentCurrency { DocumentCurrency(isInDate(on: today)) }
}

/// Whether a document is in date by its own `expiry_date`.
package enum DocumentCurrency: String, Sendable {
    case yes, no, unknown

    init(_ answer: InDateAnswer) {
        self =
            switch answer {
            case .yes: .yes
            case .no: .no
            case .cannotTell: .unknown
            }
    }
}

/// An element of a document that passed every check.
package struct VerifiedElement: Sendable, RedactedDescription {
    package enum Signer: Sendable {
        case issuer
        /// The phone asserts the element itself, and the issuer authorised the phone's key for that.
        case device
    }

    package let name: ElementName
    package let value: CBORItem
    package let signedBy: Signer
}

/// The issuer of a document, as the document signer's certificate and the trusted root name it.
package struct DocumentIssuer: Sendable {
    private let signer: IssuerCertificate
    private let anchor: TrustAnchor?

    init(_ signer: IssuerCertificate, anchor: TrustAnchor?) {
        self.signer = signer
        self.anchor = anchor
    }

    package var country: String? { signer.certificate.subject.countryName }
    /// The string type of the country, if it is not a PrintableString (Q237).
    package var countryStringType: String? { signer.certificate.subject.countryStringType }
    package var state: String? { signer.certificate.subject.stateOrProvinceName }
    /// The subject of the document signer's certificate.
    package var dsSubject: String { signer.certificate.subject.description }
    package var dsCommonName: String? { signer.certificate.subject.commonName }
    /// The common name that the document signer's certificate states for its issuer.
    package var issuerCommonName: String? { signer.certificate.issuer.commonName }
    /// The authority key identifier of the document signer's certificate.
    package var issuerKeyIdentifier: ArraySlice<UInt8>? { signer.certificate.authorityKeyIdentifier }
    /// The serial number of the document signer's certificate, big-endian.
    package var dsSerial: ArraySlice<UInt8> { signer.certificate.serialNumber }
    /// The subject of the trusted IACA; `nil` if none was found.
    package var anchorSubject: String? { anchor?.certificate.subject.description }
    package var anchorSHA256: [UInt8]? { anchor?.sha256 }
    package var anchorKeyIdentifier: ArraySlice<UInt8>? { anchor?.certificate.subjectKeyIdentifier }
}
