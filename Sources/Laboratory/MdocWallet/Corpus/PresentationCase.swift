internal import COSE
internal import ErrorMapping
package import MdocModel
package import OpenSSLCrypto

/// One presentation of a test licence, conforming or with one rule broken: all that decides its bytes but the
/// keys and the date.
package struct PresentationCase: Sendable {
    /// The name of the case, and of its folder in a corpus; with a fault, the rule's name.
    package let name: String
    package var licence = TestLicence()
    package var docType = TestLicence.docType
    /// What the phone holds, not empty; `docType` is the licence's.
    package var documents = [TestDocumentKind.drivingLicence]
    package var issuing = IssuingOptions()
    package var deviceCurve = Curve.p256
    package var sessionCurve = Curve.p256
    package var deviceAuthentication = Holder.DeviceAuthentication.signature
    package var handover = HandoverKind.qr
    package var profile = WalletProfile.generic
    package var requests = [PresentationCase.identity]
    package var deviceElements: [TestDocument.Element] = []
    package var decision = Holder.Decision.consents
    package var endsSessionWithResponse = false
    package var holderFault: HolderFault?
    package var sessionFault: SessionFault?
    package var cardFault: CardFault?
    package var presentationFault: PresentationFault?

    package init(_ name: String, _ change: (inout PresentationCase) -> Void = { _ in }) {
        self.name = name
        change(&self)
    }

    /// What most cases ask for.
    package static let identity = request([
        TestLicence.nameSpace: [
            "family_name", "given_name", "portrait", "age_over_18", "age_over_21", "document_number",
            "issuing_country", "issue_date", "expiry_date",
        ],
        TestLicence.aamvaNameSpace: ["DHS_compliance"],
    ])

    /// A request for these elements, none of them to be retained but `document_number`.
    package static func request(
        docType: String = TestLicence.docType, _ nameSpaces: KeyValuePairs<String, [String]>
    ) -> ItemsRequest {
        ItemsRequest(
            docType: docType,
            nameSpaces: nameSpaces.map { name, identifiers in
                ItemsRequest.NameSpace(
                    name: name,
                    elements: identifiers.map {
                        ItemsRequest.Element(identifier: $0, intentToRetain: $0 == "document_number")
                    })
            })
    }

    package mutating func ask(for identifiers: String..., in nameSpace: String = TestLicence.nameSpace) {
        let elements = identifiers.map { ItemsRequest.Element(identifier: $0, intentToRetain: false) }
        guard let index = requests[0].nameSpaces.firstIndex(where: { $0.name == nameSpace }) else {
            return requests[0].nameSpaces.append(ItemsRequest.NameSpace(name: nameSpace, elements: elements))
        }
        requests[0].nameSpaces[index].elements += elements
    }

    mutating func doNotAsk(for identifier: String) {
        for index in requests[0].nameSpaces.indices {
            requests[0].nameSpaces[index].elements.removeAll { $0.identifier == identifier }
        }
    }

    /// A MAC instead of a signature, with the session on the device key's curve.
    package mutating func authenticateByMAC() {
        deviceAuthentication = .mac
        sessionCurve = deviceCurve
    }
}

extension PresentationCase {
    private static let deviceNameSpace = "org.example.device"

    /// The phone asserts an element that nobody but it knows.
    private mutating func assertDeviceElement(authorized: CBORDraft?, asked: Bool = true) {
        deviceElements = [
            TestDocument.Element(nameSpace: Self.deviceNameSpace, identifier: "now", value: "ok")
        ]
        issuing.keyAuthorizations = authorized
        if asked { ask(for: "now", in: Self.deviceNameSpace) }
    }

    /// The issuer names a state, and so does the licence.
    private mutating func nameState() {
        issuing.state = "UT-1"
        licence.jurisdiction = "UT-1"
    }
}

extension PresentationCase {
    /// Every case of a corpus: those that conform, and one for each rule that can be broken.
    package static let all =
        conforming + IssuerFault.allCases.map { PresentationCase($0) }
        + HolderFault.allCases.map { PresentationCase($0) }
        + SessionFault.allCases.map { PresentationCase($0) }

    /// Cases of a phone that misbehaves as a card; their files are those of a conforming one.
    private static let ofCards = CardFault.allCases.map { PresentationCase($0) }

    /// Cases of a wallet that an app or a page asks; through other channels they conform but for the mocks'
    /// issuer.
    private static let ofChannels = PresentationFault.allCases.map { PresentationCase($0) }

    package static func named(_ name: String) -> PresentationCase? {
        (all + ofCards + ofChannels).first { $0.name == name }
    }

    /// Cases that strict rules accept; each differs from the others in one way.
    package static let conforming = handovers + algorithms + issuing + answers

    private static let handovers = [
        PresentationCase("ok.signature"),
        PresentationCase("ok.mac") { $0.authenticateByMAC() },
        PresentationCase("ok.nfc") { $0.handover = .static },
        PresentationCase("ok.nfc_negotiated") { $0.handover = .negotiated },
        PresentationCase("ok.mac_nfc") {
            $0.authenticateByMAC()
            $0.handover = .static
        },
        PresentationCase("ok.session_data_and_20") { $0.endsSessionWithResponse = true },
    ]

    private static let algorithms = [
        PresentationCase("ok.es384") {
            $0.issuing.signerCurve = .p384
            $0.issuing.digestAlgorithm = .sha384
        },
        PresentationCase("ok.es512") {
            $0.issuing.signerCurve = .p521
            $0.issuing.digestAlgorithm = .sha512
        },
        PresentationCase("ok.iaca_p384") { $0.issuing.rootCurve = .p384 },
        PresentationCase("ok.iaca_brainpool") {
            $0.issuing.rootCurve = .brainpoolP384r1
            $0.issuing.signerCurve = .brainpoolP256r1
        },
        PresentationCase("ok.ds_ed25519") { $0.issuing.signerCurve = .ed25519 },
        PresentationCase("ok.device_p384") { $0.deviceCurve = .p384 },
        PresentationCase("ok.device_ed25519") { $0.deviceCurve = .ed25519 },
        PresentationCase("ok.mac_p521") {
            $0.deviceCurve = .p521
            $0.authenticateByMAC()
        },
        PresentationCase("ok.session_x25519") { $0.sessionCurve = .x25519 },
    ]

    private static let issuing = [
        PresentationCase("ok.x5chain_array") { $0.issuing.certificatesAsArray = true },
        PresentationCase("ok.mso_extra_key") { $0.issuing.extraMember = ("org.example.extra", ["x": 1]) },
        PresentationCase("ok.mso_status") {
            $0.issuing.status = [
                "status_list": ["idx": 412, "uri": .text(TestCertificates.host + "/status/1")]
            ]
        },
        PresentationCase("ok.expected_update") { $0.issuing.expectedUpdate = 3 * TestValidity.day },
        PresentationCase("ok.decoy_digests") { $0.issuing.decoyDigests = 9 },
        PresentationCase("ok.state") {
            $0.nameState()
            $0.ask(for: "issuing_jurisdiction")
        },
    ]

    private static let answers = [
        PresentationCase("ok.age_nearest_above") {
            $0.requests = [request([TestLicence.nameSpace: ["age_over_20"]])]
        },
        PresentationCase("ok.age_nearest_below") {
            $0.requests = [request([TestLicence.nameSpace: ["age_over_68"]])]
        },
        PresentationCase("ok.element_missing") {
            $0.requests = [request([TestLicence.nameSpace: ["family_name", "eye_colour"]])]
        },
        PresentationCase("ok.document_error") {
            let pid = "eu.europa.ec.eudi.pid.1"
            $0.requests.append(request(docType: pid, [pid: ["family_name"]]))
        },
        PresentationCase("ok.device_signed_element") {
            $0.assertDeviceElement(authorized: ["dataElements": [.text(deviceNameSpace): ["now"]]])
        },
        PresentationCase("ok.device_signed_namespace") {
            $0.assertDeviceElement(authorized: ["nameSpaces": [.text(deviceNameSpace)]])
        },
    ]
}

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

/// The issuer, the phone and the request of a case.
package struct PresentedWallet: Sendable {
    package let issuer: TestIssuer
    package var wallet: Wallet
    /// The first that the phone holds.
    package let document: IssuedDocument
    package let requests: [ItemsRequest]

    package init(
        _ presentation: PresentationCase, entropy: TestEntropy = .openSSL, at now: Timestamp
    ) throws(WalletError) {
        let issuer = try mapping(
            TestIssuer(presentation.issuing, entropy: entropy, now: now), WalletError.cryptography)
        let documents = try mapping(
            presentation.issued(by: issuer, entropy: entropy, at: now), WalletError.cryptography)
        self.issuer = issuer
        document = documents[0]
        requests = presentation.requests
        var holder = Holder(documents: documents)
        holder.deviceAuthentication = presentation.deviceAuthentication
        holder.deviceElements = presentation.deviceElements
        holder.decision = presentation.decision
        holder.fault = presentation.holderFault
        wallet = Wallet(holder: holder, profile: presentation.profile, entropy: entropy)
        wallet.sessionCurve = presentation.sessionCurve
        wallet.sessionFault = presentation.sessionFault
        wallet.cardFault = presentation.cardFault
        wallet.presentationFault = presentation.presentationFault
        wallet.endsSessionWithResponse = presentation.endsSessionWithResponse
    }

    /// The DeviceRequest, without reader authentication.
    package var deviceRequest: [UInt8] {
        DeviceRequest.encode(requests.map { ($0.encoded(), nil) })
    }
}

extension PresentationCase {
    /// The documents, each with a separate key.
    fileprivate func issued(
        by issuer: TestIssuer, entropy: TestEntropy, at now: Timestamp
    ) throws(OpenSSLCryptoError) -> [IssuedDocument] {
        try documents.map { kind throws(OpenSSLCryptoError) in
            var content = kind.document(for: licence, on: now.dayInUTC)
            if kind == .drivingLicence { content.docType = docType }
            let purpose = kind == .drivingLicence ? "device" : "device \(kind.rawValue)"
            let key = COSEKeyPair(try entropy.key(on: deviceCurve, for: purpose))
            return try issuer.issue(content, for: key)
        }
    }
}
