internal import MdocModel

extension ItemsRequest {
    /// Makes the smallest request that answers `intent` with a document of this type.
    ///
    /// - Parameter isKept: Whether the answer to a claim is stored after the check. This sets intentToRetain.
    /// - Throws: `RequestPlannerError.documentLacks` if the document cannot answer a claim.
    init(
        _ intent: RequestIntent, of type: DocumentType, keeping isKept: (Claim) -> Bool
    ) throws(RequestPlannerError) {
        self.init(docType: type.docType, nameSpaces: [])
        for claim in intent.claims {
            for name in try type.elements(answering: claim) {
                ask(for: name, keeping: isKept(claim))
                // `type.substitutes` has no entry for an age attestation. Its substitutes follow from the
                // intent's fallback.
                let substitutes = type.substitutes[name] ?? type.ages(inPlaceOf: name, intent.ageFallback)
                guard !substitutes.isEmpty, !alternatives.contains(where: { $0.requestedElement == name })
                else { continue }
                alternatives.append(AlternativeDataElements(requestedElement: name, sets: substitutes))
            }
        }
    }

    /// Adds an element, unless the request has it already. The element gets intentToRetain if the answer to
    /// any of its claims is stored.
    private mutating func ask(for name: ElementName, keeping isKept: Bool) {
        let element = Element(identifier: name.identifier, intentToRetain: isKept)
        guard let space = nameSpaces.firstIndex(where: { $0.name == name.nameSpace }) else {
            nameSpaces.append(NameSpace(name: name.nameSpace, elements: [element]))
            return
        }
        guard
            let index = nameSpaces[space].elements.firstIndex(where: { $0.identifier == name.identifier })
        else { return nameSpaces[space].elements.append(element) }
        if isKept { nameSpaces[space].elements[index] = element }
    }
}

extension DocumentType {
    /// Returns the elements that answer `claim`.
    ///
    /// - Throws: `RequestPlannerError.documentLacks` if the document cannot answer the claim.
    func elements(answering claim: Claim) throws(RequestPlannerError) -> [ElementName] {
        let names: [ElementName]
        switch claim {
        case .element(let name): names = [name]
        case .ageOver(let years):
            names = AgeAttestation(years: years).map { [inMain($0.identifier)] } ?? []
        case .domesticClasses:
            names = [
                ElementName(
                    nameSpace: DocumentFamily.aamvaNameSpace, identifier: "domestic_driving_privileges"),
                inMain("expiry_date"),
            ]
        default: names = elements(answering: claim.kind)
        }
        // An element that the intent names needs no entry in `answers`.
        guard claim.kind == .element || answers[claim.kind] != nil, !names.isEmpty,
            !names.contains(where: lacks)
        else { throw .documentLacks(claim, docType: docType) }
        return names
    }

    private func inMain(_ identifier: String) -> ElementName {
        ElementName(nameSpace: mainNameSpace, identifier: identifier)
    }

    /// Returns the elements that can prove the age without an attestation, from least to most revealing
    /// (Q160).
    fileprivate func ages(
        inPlaceOf name: ElementName, _ fallback: RequestIntent.AgeFallback
    ) -> [[ElementName]] {
        guard AgeAttestation(name.identifier) != nil else { return [] }
        let identifiers =
            switch fallback {
            case .nothing: [String]()
            case .ageInYears: ["age_in_years"]
            case .birthDate: ["age_in_years", "birth_date"]
            }
        // If the type has no data model, no element can be ruled out.
        return identifiers.map(inMain).filter { elements.isEmpty || !lacks($0) }.map { [$0] }
    }
}
