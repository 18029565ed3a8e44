internal import MdocModel
internal import OpenSSLCrypto

extension PresentationCase {
    /// Every case of a corpus: those that conform, and one for each rule that can be broken.
    package static let all =
        conforming + IssuerFault.allCases.map { PresentationCase($0) }
        + HolderFault.allCases.map { PresentationCase($0) }
        + SessionFault.allCases.map { PresentationCase($0) }

    /// Cases of a phone that misbehaves as a card; their files are those of a conforming one.
    package static let ofCards = CardFault.allCases.map { PresentationCase($0) }

    /// Cases of a wallet that an app or a page asks; through other channels they conform but for the mocks' issuer.
    package static let ofChannels = PresentationFault.allCases.map { PresentationCase($0) }

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
