package import MdocModel

extension VerifiedDocument {
    /// Returns the issuer-signed elements that may answer a question: only elements that the data model of
    /// the document's type defines.
    ///
    /// An element of the same name in another namespace neither proves nor refutes anything (Q244). For a
    /// type without a data model the elements of every namespace count; the namespace with the name of the
    /// type comes first.
    ///
    /// - Parameter isNamed: Returns true for the identifiers of elements that may answer the question.
    package func evidence(named isNamed: (String) -> Bool) -> [VerifiedElement] {
        let candidates = issuerSigned(named: isNamed)
        if let model = DataModel(docType: docType) {
            return candidates.filter { model.element($0.name) != nil }
        }
        return candidates.filter { $0.name.nameSpace == docType }
            + candidates.filter { $0.name.nameSpace != docType }
    }

    /// Returns the first issuer-signed element that `isNamed` accepts but the data model does not define,
    /// such as an element in another namespace. It is no evidence. `nil` for a type without a data model.
    package func elementElsewhere(named isNamed: (String) -> Bool) -> ElementName? {
        guard let model = DataModel(docType: docType) else { return nil }
        return issuerSigned(named: isNamed).first { model.element($0.name) == nil }?.name
    }

    private func issuerSigned(named isNamed: (String) -> Bool) -> [VerifiedElement] {
        elements.filter { $0.signedBy == .issuer && isNamed($0.name.identifier) }
    }
}
