package import MdocModel
package import OpenSSLCrypto

/// One presentation of a test licence, conforming or with one rule broken: all that decides its bytes but the keys
/// and the date.
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
    static let deviceNameSpace = "org.example.device"

    /// The phone asserts an element that nobody but it knows.
    mutating func assertDeviceElement(authorized: CBORDraft?, asked: Bool = true) {
        deviceElements = [
            TestDocument.Element(nameSpace: Self.deviceNameSpace, identifier: "now", value: "ok")
        ]
        issuing.keyAuthorizations = authorized
        if asked { ask(for: "now", in: Self.deviceNameSpace) }
    }

    /// The issuer names a state, and so does the licence.
    mutating func nameState() {
        issuing.state = "UT-1"
        licence.jurisdiction = "UT-1"
    }
}
