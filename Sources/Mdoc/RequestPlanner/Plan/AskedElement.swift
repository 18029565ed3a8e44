package import MdocModel

/// A requested element, and whether an answer without the element is complete.
package struct AskedElement: Hashable, Sendable {
    package let docType: String
    package let name: ElementName
    /// The sets of elements that can replace the element. A set replaces the element only if all elements of
    /// the set are returned.
    package let alternatives: [[ElementName]]
    /// Whether an answer is incomplete if it has neither the element nor one of the alternatives.
    package let isRequired: Bool
}

extension ItemsRequest {
    /// Returns the elements of this request.
    ///
    /// - An age attestation is never required, since an attestation of another age may answer the question.
    ///   If no attestation answers, the question about the age is unanswered.
    /// - An expiry date is always required, since it could refute the answer (Q221).
    ///
    /// - Parameter names: The elements that are required in addition to the mandatory elements of the
    ///   document type.
    package func askedElements(requiring names: Set<ElementName> = []) -> [AskedElement] {
        nameSpaces.flatMap { space in
            space.elements.map { element in
                let name = ElementName(nameSpace: space.name, identifier: element.identifier)
                let sets = alternatives.filter { $0.requestedElement == name }.flatMap(\.sets)
                let isMandatory = ([name] + sets.joined()).contains { $0.isMandatory(in: docType) }
                return AskedElement(
                    docType: docType, name: name, alternatives: sets,
                    isRequired: AgeAttestation(name.identifier) == nil
                        && (isMandatory || names.contains(name) || element.identifier == "expiry_date"))
            }
        }
    }
}

extension ElementName {
    /// Whether every document of this type must have the element. Only the main namespace counts, because
    /// only some issuers' documents have other namespaces, such as AAMVA's.
    fileprivate func isMandatory(in docType: String) -> Bool {
        let type = DocumentFamily.known.lazy.flatMap(\.types).first { $0.docType == docType }
        guard let type, type.mainNameSpace == nameSpace else { return false }
        return type.element(self)?.isMandatory ?? false
    }
}
