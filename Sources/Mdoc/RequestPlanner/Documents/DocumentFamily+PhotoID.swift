internal import MdocModel

extension DocumentFamily {
    /// The photo ID of ISO/IEC TS 23220-4 Annex C, in the two spellings of its type that are in use (Q165).
    package static let photoID = DocumentFamily(
        word: "photoid", title: "photo ID",
        types: [.photoID, .photoIDInCapitals].map { model in
            DocumentType(model, answers: DocumentType.usualAnswers, substitutes: substitutes(in: model))
        })

    /// Returns the elements that may replace the holder's names and the issuing authority. Photo IDs that
    /// follow an early draft of the standard have other identifiers.
    private static func substitutes(in model: DataModel) -> [ElementName: [[ElementName]]] {
        let name = { ElementName(nameSpace: model.mainNameSpace, identifier: $0) }
        return Dictionary(
            uniqueKeysWithValues: ["family_name", "given_name", "issuing_authority"].map {
                (name($0), [[name($0 + "_unicode")]])
            })
    }
}
