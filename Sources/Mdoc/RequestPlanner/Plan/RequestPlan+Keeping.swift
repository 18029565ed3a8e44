package import MdocModel

extension RequestPlan {
    /// Whether what came under this name is kept: the request said so of this element, of the one in whose place it came, or
    /// of an age that it attests.
    package func keeps(_ name: ElementName, of docType: String) -> Bool {
        requests.joined().contains { $0.docType == docType && $0.keeps(name) }
    }
}

extension ItemsRequest {
    fileprivate func keeps(_ name: ElementName) -> Bool {
        let kept = nameSpaces.flatMap { space in
            space.elements.filter(\.intentToRetain).map {
                ElementName(nameSpace: space.name, identifier: $0.identifier)
            }
        }
        if kept.contains(name) { return true }
        let isSubstitute = alternatives.contains { alternative in
            kept.contains(alternative.requestedElement) && alternative.sets.contains { $0.contains(name) }
        }
        if isSubstitute { return true }
        // The nearest attestation answers in place of the one that was asked for (ISO/IEC 18013-5 7.2.5).
        guard AgeAttestation(name.identifier) != nil, !asks(for: name.identifier, in: name.nameSpace) else {
            return false
        }
        return kept.contains {
            $0.nameSpace == name.nameSpace && AgeAttestation($0.identifier) != nil
        }
    }
}
