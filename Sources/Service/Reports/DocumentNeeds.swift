internal import MdocModel
internal import RequestPlanner

/// The documents that an answer needs.
///
/// Alternatives stand within one use case alone: each mandatory use case needs one of its document sets whole, and an
/// optional one needs nothing. A document that stands in no use case is needed, where the types of one family, such as the
/// spellings of the photo ID, are alternatives (Q243). Documents are distinguished by their types.
struct DocumentNeeds: Sendable {
    /// For each need its sets of document types, the preferred one first: one of them has to come whole.
    private let needs: [[Set<String>]]
    /// Types whose documents answer the same questions, in the order of the request. Needed or not, each is in one.
    let groups: [[String]]

    /// Needs one document of any of these types, or nothing if the list is empty.
    init(anyOf docTypes: [String]) {
        groups = docTypes.isEmpty ? [] : [docTypes]
        needs = groups.map { $0.map { [$0] } }
    }

    init(of docTypes: [String], _ useCases: [DeviceRequestInfo.UseCase]) {
        let sets = useCases.map { useCase in useCase.documentSets.map { Set($0.map { docTypes[$0] }) } }
        let inUseCases = Set(useCases.flatMap { $0.documentSets.joined() })
        let others = docTypes.indices.filter { !inUseCases.contains($0) }.map { docTypes[$0] }
        let families = others.groupedByFamily
        let mandatory = zip(useCases, sets).filter { $0.0.isMandatory }.map { $0.1 }
        let needs = mandatory + families.map { $0.map { [$0] } }
        // A request is answered if at least one use case is, also where each of them is optional.
        self.needs = needs.isEmpty && !sets.isEmpty ? [sets.flatMap(\.self)] : needs
        groups =
            sets.map { sets in docTypes.filter { type in sets.contains { $0.contains(type) } } } + families
    }

    /// The types that are needed and did not come: of each need none if one of its sets came whole, else those that the
    /// most complete set lacks.
    func absent(from came: Set<String>) -> Set<String> {
        needs.reduce(into: []) { absent, sets in
            let lacking = sets.map { $0.subtracting(came) }
            absent.formUnion(lacking.min { $0.count < $1.count } ?? [])
        }
    }
}

extension [String] {
    /// These document types by family, each type once.
    fileprivate var groupedByFamily: [[String]] {
        var families: [(word: String, docTypes: [String])] = []
        for docType in self {
            let word = DocumentFamily.word(of: docType) ?? docType
            guard let index = families.firstIndex(where: { $0.word == word }) else {
                families.append((word, [docType]))
                continue
            }
            if !families[index].docTypes.contains(docType) { families[index].docTypes.append(docType) }
        }
        return families.map(\.docTypes)
    }
}
