package import CBOR
internal import COSE
package import MdocModel
package import MdocTrust
internal import PKIX

/// A document that passed every check. There is one way to make it: with the proof of each.
package struct VerifiedDocument: Sendable, RedactedDescription {
    package let docType: String
    package let issuer: DocumentIssuer
    package let deviceBinding: DeviceBinding
    package let validityInfo: ValidityInfo
    package let revocation: RevocationFinding
    /// What was asked for and came, in the order it came.
    package let elements: [VerifiedElement]
    /// The device key, with which the phone proved that the document is its own.
    let deviceKey: COSEKey
    /// The time of verification.
    let now: Timestamp
    /// The day of verification, in the zone of the premises.
    let today: FullDate

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
        precondition(signature.signer === certificate.leaf, "proofs about two different document signers")
        precondition(certificate.docType == document.docType, "a signer trusted for another document type")
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

    /// Whether the holder is at least `years` old, by the attestations the issuer signed (ISO/IEC 18013-5 7.2.5).
    /// If several answer, the one nearest to `years` is named.
    package func isAgeAtLeast(_ years: Int) -> AgeAnswer {
        var proof: (years: Int, name: ElementName)?
        var refutation: (years: Int, name: ElementName)?
        var anyAttestation = false
        for element in evidence(named: AgeAttestation.isName) {
            guard let attestation = AgeAttestation(element.name.identifier),
                let value = try? element.value.boolean()
            else { continue }
            anyAttestation = true
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

    /// Why no attestation can be read, where none is of a wrong type.
    private var absentAge: AgeAnswer.AgeUnknown {
        elementElsewhere(named: AgeAttestation.isName).map { .elsewhere($0) } ?? .noAttestation
    }

    /// Whether the issuer signed this element, whatever its value is.
    package func has(_ name: ElementName) -> Bool { issuerSigned(name) != nil }

    /// The type of an issuer-signed value that is not of the type that the data model defines; nil if the value is
    /// usable, or the element did not come. Of an element that no data model defines, null and what shows nothing are
    /// unusable.
    package func wrongType(of name: ElementName) -> WrongType? {
        guard let value = issuerSigned(name) else { return nil }
        if let element = DataModel(docType: docType)?.element(name) {
            return element.form(of: value).wrongType
        }
        return WrongType(undefined: value)
    }

    /// Whether nothing came of what the issuer signed and was asked for that has a value of its type.
    package var isEmpty: Bool {
        !elements.contains { $0.signedBy == .issuer && wrongType(of: $0.name) == nil }
    }

    /// Whether the document is in date on the day of verification.
    package var isCurrent: DocumentCurrency { DocumentCurrency(isInDate(on: today)) }
}

/// Whether a document is in date by its own expiry_date.
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

/// A data element behind every proof.
package struct VerifiedElement: Sendable, RedactedDescription {
    package enum Signer: Sendable {
        case issuer
        /// Self-asserted by the phone, within what the issuer authorised.
        case device
    }

    package let name: ElementName
    package let value: CBORItem
    package let signedBy: Signer
}

package struct DocumentIssuer: Sendable {
    private let signer: IssuerCertificate
    private let anchor: TrustAnchor?

    init(_ signer: IssuerCertificate, anchor: TrustAnchor?) {
        self.signer = signer
        self.anchor = anchor
    }

    package var country: String? { signer.certificate.subject.countryName }
    /// The string type of the country, if it is not a PrintableString.
    package var countryStringType: String? { signer.certificate.subject.countryStringType }
    package var state: String? { signer.certificate.subject.stateOrProvinceName }
    package var dsSubject: String { signer.certificate.subject.description }
    package var dsCommonName: String? { signer.certificate.subject.commonName }
    /// Whom the document signer's certificate names as its issuer.
    package var issuerCommonName: String? { signer.certificate.issuer.commonName }
    /// The key that the document signer's certificate says it was signed with.
    package var issuerKeyIdentifier: ArraySlice<UInt8>? { signer.certificate.authorityKeyIdentifier }
    /// The serial number's bytes, big-endian.
    package var dsSerial: ArraySlice<UInt8> { signer.certificate.serialNumber }
    /// Nil if no trusted IACA was found.
    package var anchorSubject: String? { anchor?.certificate.subject.description }
    package var anchorSHA256: [UInt8]? { anchor?.sha256 }
    package var anchorKeyIdentifier: ArraySlice<UInt8>? { anchor?.certificate.subjectKeyIdentifier }
}
