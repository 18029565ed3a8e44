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
    /// Returns the name of an element in the main namespace of a document type. For a type without a data
    /// model, the main namespace is assumed to have the name of the type.
    package static func inMainNameSpace(_ identifier: String, of docType: String) -> ElementName {
        let nameSpace = DataModel(docType: docType)?.mainNameSpace ?? docType
        return ElementName(nameSpace: nameSpace, identifier: identifier)
    }

    /// The name as a text: `namespace/name`.
    package var text: String {
        "\(Terminal.safe(nameSpace, limit: 80))/\(Terminal.safe(identifier, limit: 80))"
    }
}
