package import MdocModel

/// An element that a request asks for.
package struct AskedElement: Hashable, Sendable {
    package let docType: String
    package let name: ElementName
    /// Sets of elements, each of which may come whole in its place.
    package let alternatives: [[ElementName]]
    /// Whether an answer without it, and without a set in its place, is incomplete.
    package let isRequired: Bool
}

extension ItemsRequest {
    /// The elements of this request. An age attestation is never required by itself, since another attestation may
    /// answer in its place: the question about the age judges it. An expiry date always is, since it could only refute.
    ///
    /// - Parameter names: the elements that are required beside those that every document of the type must have.
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
    /// Whether every document of this type must have the element. Only its main namespace counts: others, such as that
    /// of AAMVA, are in the documents of some issuers alone.
    fileprivate func isMandatory(in docType: String) -> Bool {
        let type = DocumentFamily.known.lazy.flatMap(\.types).first { $0.docType == docType }
        guard let type, type.mainNameSpace == nameSpace else { return false }
        return type.element(self)?.isMandatory ?? false
    }
}
