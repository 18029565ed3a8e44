internal import MdocModel

// A case for each fault, so arranged that the fault shows.
extension PresentationCase {
    package init(_ fault: IssuerFault) {
        self.init(fault.rawValue)
        issuing.fault = fault
        switch fault {
        case .otherState: nameState()
        // The element would differ from the certificate as well.
        case .otherCountry, .countryMissing: doNotAsk(for: "issuing_country")
        case .jurisdictionDiffers:
            nameState()
            ask(for: "issuing_jurisdiction")
        case .otherElementAuthorized, .otherNameSpaceAuthorized, .authorizationsContradictory:
            assertDeviceElement(authorized: nil)
        default: break
        }
    }

    package init(_ fault: HolderFault) {
        self.init(fault.rawValue)
        holderFault = fault
        switch fault {
        case .unrequestedDocType: docType = "org.example.other"
        case .ageNotNearest:
            requests = [Self.request([TestLicence.nameSpace: ["age_over_20"]])]
        case .otherHandover: handover = .static
        case .macFlipped, .shortMAC: authenticateByMAC()
        case .unrequestedDeviceElement:
            assertDeviceElement(authorized: ["nameSpaces": [.text(Self.deviceNameSpace)]], asked: false)
        case .issuerElementAsserted:
            issuing.keyAuthorizations = ["nameSpaces": [.text(TestLicence.nameSpace)]]
            deviceElements = [
                TestDocument.Element(
                    nameSpace: TestLicence.nameSpace, identifier: "age_over_21", value: true)
            ]
        default: break
        }
    }

    package init(_ fault: SessionFault) {
        self.init(fault.rawValue)
        sessionFault = fault
    }

    package init(_ fault: CardFault) {
        self.init(fault.rawValue)
        cardFault = fault
    }

    package init(_ fault: PresentationFault) {
        self.init(fault.rawValue)
        presentationFault = fault
        switch fault {
        case .testIssuer: issuing.name = IssuingOptions.passKitTestName
        case .developerProfile, .simulator:
            issuing.name = IssuingOptions.passKitTestName
            issuing.fault = .signatureFlipped
            if fault == .simulator { holderFault = .signatureFlipped }
        default: break
        }
    }

    /// Whether the rule is one of the profile, which a lenient reader may waive. Ours waives those that are
    /// departures, and none of the others.
    var isAboutTheProfile: Bool {
        if Deviation(rawValue: name) != nil { return true }
        switch (issuing.fault, holderFault) {
        case (.dateWithFraction, _), (.dateUntagged, _), (.dateWithOffset, _),
            (.distributionPointByName, _), (.signerIsAuthority, _),
            (.keyUsageMissing, _), (.authorityKeyIdentifierDiffers, _), (.privateDeviceKey, _),
            (.validBeforeSigned, _), (_, .signatureAndMAC), (_, .documentTwice), (_, .ageNotNearest):
            return true
        default: return false
        }
    }
}
