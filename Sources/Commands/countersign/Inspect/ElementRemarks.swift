internal import CBOR
internal import MdocModel

/// Remarks on elements whose values depart from the data model of their document's type. Nothing is verified.
struct ElementRemarks {
    /// The most remarks on one file.
    private static let limit = 50

    private(set) var texts: [String] = []

    init(on item: CBORItem, of structure: CBORStructure) {
        let map = try? item.map()
        switch structure {
        case .deviceResponse:
            for document in (try? map?["documents"]?.array()).map(Array.init) ?? [] {
                add(document: document)
            }
        case .document: add(document: item)
        case .issuerSigned: add(item, docType: map?["issuerAuth"].flatMap(Self.docType))
        default: break
        }
    }

    private mutating func add(document: CBORItem) {
        guard let map = try? document.map(), let issuerSigned = map["issuerSigned"] else { return }
        add(issuerSigned, docType: try? map["docType"]?.name())
    }

    private mutating func add(_ issuerSigned: CBORItem, docType: String?) {
        guard let model = docType.flatMap(DataModel.init(docType:)),
            let nameSpaces = try? issuerSigned.map()["nameSpaces"]?.map()
        else { return }
        for (key, value) in nameSpaces {
            guard let nameSpace = try? key.name(), let items = try? value.array() else { continue }
            for item in items where texts.count < Self.limit { add(item, in: nameSpace, of: model) }
        }
    }

    private mutating func add(_ item: CBORItem, in nameSpace: String, of model: DataModel) {
        guard let content = try? EncodedCBOR<Never>(item).item().map(),
            let identifier = try? content["elementIdentifier"]?.name(), let value = content["elementValue"]
        else { return }
        let name = ElementName(nameSpace: nameSpace, identifier: identifier)
        switch model.element(name)?.form(of: value) {
        case .asDefined, nil: break
        case .deviating(let departure): texts.append("\(name.text): \(departure.rawValue)")
        case .wrongType(let wrong): texts.append(wrong.explanation(of: name.text))
        }
    }

    /// The document type that an issuerAuth's payload names.
    private static func docType(inMSOOf issuerAuth: CBORItem) -> String? {
        guard let fields = try? issuerAuth.untagged(18).array(),
            let payload = try? Array(fields.prefix(3)).last?.byteString(),
            let bytes = try? EncodedCBOR<Never>(CBORItem.parse(payload)), let object = try? bytes.item()
        else { return nil }
        return try? object.map()["docType"]?.name()
    }
}
