internal import CBOR
package import COSE
package import MdocModel

/// A document as the phone keeps it: what the issuer signed, and the device's private key.
package struct IssuedDocument: Sendable {
    package struct Item: Sendable {
        package let nameSpace: String
        package let identifier: String
        /// The value, for the phone to choose by.
        package let value: CBORDraft
        /// IssuerSignedItemBytes as they are sent.
        package let encoded: [UInt8]
    }

    package let docType: String
    package private(set) var items: [Item]
    /// The encoded COSE_Sign1.
    package let issuerAuth: [UInt8]
    package let deviceKey: COSEKeyPair

    /// The document as a phone presents it whose holder unticked these elements: nothing else of it changes.
    package func withholding(_ names: Set<ElementName>) -> IssuedDocument {
        var document = self
        document.items.removeAll {
            names.contains(ElementName(nameSpace: $0.nameSpace, identifier: $0.identifier))
        }
        return document
    }

    /// IssuerSigned (ISO/IEC 18013-5 8.3.2.1.2.2) with these items, in their order by namespace.
    func issuerSigned(_ items: [Item]) -> CBORDraft {
        var nameSpaces = CBORDraft.map([])
        for item in items {
            let name = CBORDraft.text(item.nameSpace)
            nameSpaces[name] = .array((nameSpaces[name]?.items ?? []) + [.encoded(item.encoded)])
        }
        return ["nameSpaces": nameSpaces, "issuerAuth": .encoded(issuerAuth)]
    }

    /// IssuerSigned with every item: what was provisioned.
    package func credential() -> [UInt8] {
        issuerSigned(items).encode()
    }
}

extension IssuedDocument: RedactedDescription {}
extension IssuedDocument.Item: RedactedDescription {}
