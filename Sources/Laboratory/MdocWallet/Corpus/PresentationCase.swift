internal import COSE
internal import ErrorMapping
package import MdocModel
package import OpenSSLCrypto

/// A presentation of test documents, described as data: everything that determines its bytes, except the keys
/// and the date.
///
/// A case conforms to ISO/IEC 18013-5, or breaks one rule by one fault. Three users make presentations from
/// cases:
/// - the corpus (`countersign-lab corpus`) writes each case of ``corpus`` as files, which any reader can be
///   tested with;
/// - the software wallet (`countersign-lab wallet --fault NAME`) presents a case to a reader over NFC,
///   Bluetooth or a channel;
/// - tests take a case by its name.
///
/// The lists of cases:
/// - ``conforming``: the cases that strict rules accept. Each differs from the others in one way. The names
///   begin with `ok.`.
/// - ``all``: the conforming cases, and one case for each `IssuerFault`, `HolderFault` and `SessionFault`.
///   The name of such a case is the raw value of the fault.
/// - ``corpus``: the cases of `all` that have a text in `ruleInWords`.
/// - ``named(_:)`` also finds the cases of card faults and of presentation channels, which are not part of a
///   corpus.
///
/// A case contains only data: ``PresentedWallet`` makes the issuer, the documents and the wallet, and
/// ``CorpusCase`` the exchange with a reader in memory.
package struct PresentationCase: Sendable {
    /// The name of the case and of its folder in a corpus. A case with a fault has the raw value of the fault
    /// as its name.
    package let name: String
    package var licence = TestLicence()
    package var docType = TestLicence.docType
    /// The documents that the phone holds, at least one. `docType` applies to the licence only.
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

    /// The request of most cases.
    package static let identity = request([
        TestLicence.nameSpace: [
            "family_name", "given_name", "portrait", "age_over_18", "age_over_21", "document_number",
            "issuing_country", "issue_date", "expiry_date",
        ],
        TestLicence.aamvaNameSpace: ["DHS_compliance"],
    ])

    /// Makes a request for these elements. Only `document_number` has the intent to retain.
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

    /// Adds elements to the first request, without the intent to retain.
    package mutating func ask(for identifiers: String..., in nameSpace: String = TestLicence.nameSpace) {
        let elements = identifiers.map { ItemsRequest.Element(identifier: $0, intentToRetain: false) }
        guard let index = requests[0].nameSpaces.firstIndex(where: { $0.name == nameSpace }) else {
            return requests[0].nameSpaces.append(ItemsRequest.NameSpace(name: nameSpace, elements: elements))
        }
        requests[0].nameSpaces[index].elements += elements
    }

    /// Removes an element from the first request.
    mutating func doNotAsk(for identifier: String) {
        for index in requests[0].nameSpaces.indices {
            requests[0].nameSpaces[index].elements.removeAll { $0.identifier == identifier }
        }
    }

    /// Makes the phone prove its key by a MAC. Also puts the session's ephemeral keys on the device key's
    /// curve, which a MAC requires.
    package mutating func authenticateByMAC() {
        deviceAuthentication = .mac
        sessionCurve = deviceCurve
    }
}

extension PresentationCase {
    private static let deviceNameSpace = "org.example.device"

    /// Makes the phone assert an element that the issuer did not sign.
    ///
    /// - Parameters:
    ///   - authorized: the `keyAuthorizations` of the MSO. Nil for an MSO without `keyAuthorizations`.
    ///   - asked: whether the request asks for the element.
    private mutating func assertDeviceElement(authorized: CBORDraft?, asked: Bool = true) {
        deviceElements = [
            TestDocument.Element(nameSpace: Self.deviceNameSpace, identifier: "now", value: "ok")
        ]
        issuing.keyAuthorizations = authorized
        if asked { ask(for: "now", in: Self.deviceNameSpace) }
    }

    /// Sets the same state or province in the issuer's certificates and in the licence.
    private mutating func nameState() {
        issuing.state = "UT-1"
        licence.jurisdiction = "UT-1"
    }
}

extension PresentationCase {
    /// The conforming cases, and one case for each rule that the issuer, the response or the session can
    /// break.
    package static let all =
        conforming + IssuerFault.allCases.map { PresentationCase($0) }
        + HolderFault.allCases.map { PresentationCase($0) }
        + SessionFault.allCases.map { PresentationCase($0) }

    /// The cases of card faults. These cases are not in the corpus, because their files would not differ from
    /// a conforming case.
    private static let ofCards = CardFault.allCases.map { PresentationCase($0) }

    /// The cases of presentation channels. Over NFC and Bluetooth these cases conform, except for the mocks:
    /// their test issuer and invalid signatures do not depend on the channel.
    private static let ofChannels = PresentationFault.allCases.map { PresentationCase($0) }

    /// Returns the case with this name from `all`, or from the cases of card faults and presentation
    /// channels.
    package static func named(_ name: String) -> PresentationCase? {
        (all + ofCards + ofChannels).first { $0.name == name }
    }

    /// The cases that strict rules accept. Each differs from the others in one way.
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

// A case for each fault, arranged so that a reader can detect the fault.
extension PresentationCase {
    package init(_ fault: IssuerFault) {
        self.init(fault.rawValue)
        issuing.fault = fault
        switch fault {
        case .otherState: nameState()
        // The request omits issuing_country, because that element would also differ from the certificate,
        // which is a second fault.
        case .otherCountry, .countryMissing: doNotAsk(for: "issuing_country")
        case .jurisdictionDiffers:
            nameState()
            ask(for: "issuing_jurisdiction")
        // This fault also writes the `keyAuthorizations`, so none are set here.
        case .otherElementAuthorized, .otherNameSpaceAuthorized, .authorizationsContradictory:
            assertDeviceElement(authorized: nil)
        default: break
        }
    }

    package init(_ fault: HolderFault) {
        self.init(fault.rawValue)
        holderFault = fault
        switch fault {
        // The phone's only document is of another type than the requested type.
        case .unrequestedDocType: docType = "org.example.other"
        // The licence attests 18, 21 and 65. For age_over_20 the nearest attestation is 21, but with this
        // fault the phone returns 65.
        case .ageNotNearest:
            requests = [Self.request([TestLicence.nameSpace: ["age_over_20"]])]
        // This fault makes the device sign the transcript of a QR code, so the session begins with another
        // handover.
        case .otherHandover: handover = .static
        case .macFlipped, .shortMAC: authenticateByMAC()
        case .unrequestedDeviceElement:
            assertDeviceElement(authorized: ["nameSpaces": [.text(Self.deviceNameSpace)]], asked: false)
        // The device key is authorized for the namespace, so the only broken rule is that the issuer signed
        // the element too.
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
        // Both mocks have an invalid issuer signature. The simulator also has an invalid device signature.
        case .developerProfile, .simulator:
            issuing.name = IssuingOptions.passKitTestName
            issuing.fault = .signatureFlipped
            if fault == .simulator { holderFault = .signatureFlipped }
        default: break
        }
    }

    /// Whether the broken rule belongs to the profile, that is, to the rules whose breach a lenient reader
    /// may accept. Countersign accepts only the breaches that `Deviation` lists.
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

/// The issuer, the wallet and the request of a case.
package struct PresentedWallet: Sendable {
    package let issuer: TestIssuer
    package var wallet: Wallet
    /// The first document that the phone holds.
    package let document: IssuedDocument
    package let requests: [ItemsRequest]

    /// - Parameter root: the root of an earlier issuer. Nil for a new root.
    package init(
        _ presentation: PresentationCase, under root: TestIssuerRoot? = nil, entropy: TestEntropy = .openSSL,
        at now: Timestamp
    ) throws(WalletError) {
        let issuer = try mapping(
            TestIssuer(presentation.issuing, under: root, entropy: entropy, now: now),
            WalletError.cryptography)
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

    /// The DeviceRequest of the case, without reader authentication.
    package var deviceRequest: [UInt8] {
        DeviceRequest.encode(requests.map { ($0.encoded(), nil) })
    }
}

extension PresentationCase {
    /// Issues the documents of the case, each with a separate device key.
    fileprivate func issued(
        by issuer: TestIssuer, entropy: TestEntropy, at now: Timestamp
    ) throws(OpenSSLCryptoError) -> [IssuedDocument] {
        try documents.map { kind throws(OpenSSLCryptoError) in
            var content = kind.document(for: licence, on: now.dayInUTC)
            if kind == .drivingLicence { content.docType = docType }
            // With a seed, the purpose determines the key. The licence's purpose has no suffix, because
            // another purpose would change the key, and with it the files of the corpus.
            let purpose = kind == .drivingLicence ? "device" : "device \(kind.rawValue)"
            let key = COSEKeyPair(try entropy.key(on: deviceCurve, for: purpose))
            return try issuer.issue(content, for: key)
        }
    }
}
