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
    /// An element in the namespace that documents of this type have for what every document has: that of ISO/IEC 18013-5
    /// 7.2.1 or ISO/IEC TS 23220-2, and for all other types the namespace with the name of the type.
    package static func inMainNameSpace(_ identifier: String, of docType: String) -> ElementName {
        let nameSpace = DataModel(docType: docType)?.mainNameSpace ?? docType
        return ElementName(nameSpace: nameSpace, identifier: identifier)
    }

    /// `namespace/name`.
    package var text: String {
        "\(Terminal.safe(nameSpace, limit: 80))/\(Terminal.safe(identifier, limit: 80))"
    }
}
