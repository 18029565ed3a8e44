internal import JSON

package struct ElementName: Hashable, Sendable {
    package let nameSpace: String
    package let identifier: String

    package init(nameSpace: String, identifier: String) {
        self.nameSpace = nameSpace
        self.identifier = identifier
    }
}

extension ElementName {
    /// Returns the name of an element in the main namespace of a document type. The main namespace is that of
    /// ISO/IEC 18013-5 7.2.1 or ISO/IEC TS 23220-2; for all other types it has the name of the type.
    package static func inMainNameSpace(_ identifier: String, of docType: String) -> ElementName {
        let nameSpace = DataModel(docType: docType)?.mainNameSpace ?? docType
        return ElementName(nameSpace: nameSpace, identifier: identifier)
    }

    /// The name as a text: `namespace/name`.
    package var text: String {
        "\(Terminal.safe(nameSpace, limit: 80))/\(Terminal.safe(identifier, limit: 80))"
    }
}
