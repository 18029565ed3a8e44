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
    /// `namespace/name`.
    package var text: String {
        "\(Terminal.safe(nameSpace, limit: 80))/\(Terminal.safe(identifier, limit: 80))"
    }
}
