/// The data model of one document type: every element that its standards define.
///
/// The tables here are the only list of element types, forms, limits and mandatory elements. The
/// verification, the answers, `countersign inspect`, the request planner and the software wallet all read
/// them.
package struct DataModel: Sendable {
    package let docType: String
    /// The namespace of the document's ages and general elements.
    package let mainNameSpace: String
    package let elements: [DataElement]
    private let elementsByName: [ElementName: DataElement]

    init(docType: String, mainNameSpace: String, elements: [DataElement]) {
        self.docType = docType
        self.mainNameSpace = mainNameSpace
        self.elements = elements
        // Every name occurs once. If a name occurred twice, its first row would be used.
        elementsByName = Dictionary(elements.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns the data model of a document type. Nil if the type is not known.
    package init?(docType: String) {
        guard let model = Self.byDocType[docType] else { return nil }
        self = model
    }

    private static let byDocType = Dictionary(
        uniqueKeysWithValues: [
            drivingLicence, photoID, photoIDInCapitals, personID, ageVerification, nationalIDCardOfJapan,
        ].map { ($0.docType, $0) })

    /// Returns the row of an element. Nil if the standards define no such element. Every `age_over_NN` of the
    /// main namespace has a row.
    package func element(_ name: ElementName) -> DataElement? {
        if let element = elementsByName[name] { return element }
        guard name.nameSpace == mainNameSpace else { return nil }
        // An age attestation has the source of the first row, because both are in the main namespace.
        return DataElement(ageAttestation: name, source: elements.first?.source)
    }

    /// Whether every document of this type must have the element.
    package func isMandatory(_ name: ElementName) -> Bool { elementsByName[name]?.isMandatory == true }
}
