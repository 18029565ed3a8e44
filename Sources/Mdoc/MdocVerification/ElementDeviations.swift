internal import CBOR
internal import MdocModel

extension UnverifiedDocument {
    /// Returns the deviations of the elements from the data model of the document's type. An issue date later
    /// than `validFrom` is a deviation too.
    ///
    /// Elements of a document type without a data model have no deviations.
    func elementDeviations(validFrom: DateText) -> [Deviation] {
        guard let model = DataModel(docType: docType) else { return [] }
        var deviations: [Deviation] = []
        for nameSpace in nameSpaces {
            let isMain = nameSpace.name == model.mainNameSpace
            for item in nameSpace.items {
                let form = model.element(item.name(in: nameSpace.name))?.form(of: item.value)
                if let deviation = form?.deviation { deviations.append(deviation) }
                // The time zone of a date without a time is unknown, so the bounds that favour the document
                // are compared.
                if isMain, item.isNamed("issue_date"), let date = try? DateText(item.value),
                    date.earliest > validFrom.latest
                {
                    deviations.append(.issuedAfterValidFrom)
                }
            }
        }
        for element in deviceSigned.elements {
            let name = ElementName(nameSpace: element.nameSpace, identifier: element.identifier)
            if let deviation = model.element(name)?.form(of: element.value).deviation {
                deviations.append(deviation)
            }
        }
        return deviations
    }
}

extension ElementForm {
    /// The deviation to report; `nil` if the value has the form of the data model.
    fileprivate var deviation: Deviation? {
        switch self {
        case .asDefined: nil
        case .deviating(.dateForm): .dateFormInElement
        case .deviating: .elementForm
        case .wrongType: .elementWrongType
        }
    }
}
