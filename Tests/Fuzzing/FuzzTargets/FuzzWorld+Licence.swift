internal import CBOR
internal import MdocModel
internal import MdocVerification
package import TestCredentials

extension FuzzWorld {
    /// The elements that the world's issuer signed.
    package static let elements = [
        TestDocument.Item("family_name", Encoded.text("Fuzz")),
        TestDocument.Item("issue_date", Encoded.day("2026-10-01")),
        TestDocument.Item("expiry_date", Encoded.day("2036-10-01")),
        TestDocument.Item("issuing_country", Encoded.text("UT")),
        TestDocument.Item("portrait", Encoded.bytes([0xff, 0xd8, 0xff, 0xd9])),
        TestDocument.Item("age_over_18", Encoded.boolean(true)),
        TestDocument.Item("age_over_65", Encoded.boolean(false)),
        TestDocument.Item(
            "driving_privileges",
            Encoded.array([Encoded.map([("vehicle_category_code", Encoded.text("B"))])])),
    ]

    /// The element that the phone may assert itself, and asserts in one seed.
    package static let asserted = TestDocument.Item("given_name", Encoded.text("Self"))

    /// The world's document, with these elements.
    package func document(_ items: [TestDocument.Item] = elements) throws -> TestDocument {
        var document = try TestDocument(items, deviceKey: deviceKey)
        let authorized = Encoded.array([Encoded.text(Self.asserted.identifier)])
        document.keyAuthorizations = Encoded.map([
            ("dataElements", Encoded.map([(TestDocument.nameSpace, authorized)]))
        ])
        return document
    }

    /// A DeviceResponse with this document, issued and presented in the world's session.
    package func response(_ document: TestDocument) throws -> [UInt8] {
        Encoded.map([
            ("version", Encoded.text("1.0")),
            ("documents", Encoded.array([try document.encoded(issuer: issuer, session: session)])),
            ("status", [0x00]),
        ])
    }

    /// Whether a seed has this element, signed by the same side.
    static func isIssued(_ element: VerifiedElement) -> Bool {
        let known = element.signedBy == .issuer ? elements : [asserted]
        return known.contains {
            $0.nameSpace.utf8.elementsEqual(element.name.nameSpace.utf8)
                && $0.identifier.utf8.elementsEqual(element.name.identifier.utf8)
                && element.value.encoded.elementsEqual($0.value)
        }
    }
}

extension ItemsRequest {
    /// Every element of the world's document.
    static let everything = ItemsRequest(
        docType: TestDocument.mDL,
        nameSpaces: [
            NameSpace(
                name: TestDocument.nameSpace,
                elements: (FuzzWorld.elements + [FuzzWorld.asserted]).map {
                    Element(identifier: $0.identifier, intentToRetain: false)
                })
        ])
}
