internal import MdocModel

/// The rows of a namespace as the tables of standards have them.
struct ElementTable {
    let nameSpace: String
    let source: ElementSource

    func callAsFunction(
        mandatory: KeyValuePairs<String, DataElementType>, optional: KeyValuePairs<String, DataElementType>
    ) -> [DataElement] {
        rows(mandatory, isMandatory: true) + rows(optional, isMandatory: false)
    }

    private func rows(
        _ rows: KeyValuePairs<String, DataElementType>, isMandatory: Bool
    ) -> [DataElement] {
        rows.map { identifier, type in
            DataElement(
                name: ElementName(nameSpace: nameSpace, identifier: identifier), type: type,
                isMandatory: isMandatory, source: source)
        }
    }
}
