internal import MdocModel
internal import RequestPlanner

/// The documents that a response must contain to answer a request (Q243).
///
/// - A mandatory use case needs all documents of one of its document sets. An optional use case needs
///   nothing. If every use case is optional and no other document is requested, one use case is needed.
/// - A document in no use case is needed. The document types of one family, such as the spellings of the
///   photo ID, are alternatives to one another.
///
/// Documents of different use cases are never alternatives to one another. Documents are distinguished by
/// their types.
struct DocumentNeeds: Sendable {
    /// The needs. Each need is a list of sets of document types, the preferred set first. A need is met if
    /// all documents of one set are returned.
    private let needs: [[Set<String>]]
    /// Groups of document types that answer the same questions, in the order of the request. Every requested
    /// type is in a group, needed or not.
    let groups: [[String]]

    /// Creates a single need, which a document of any of these types meets. An empty list creates no need.
    init(anyOf docTypes: [String]) {
        groups = docTypes.isEmpty ? [] : [docTypes]
        // A document of any one of these types meets the need.
        needs = groups.map { $0.map { [$0] } }
    }

    /// Creates the needs of a request.
    ///
    /// - Parameters:
    ///   - docTypes: the types of the requested documents, in the order of the request. The document sets of
    ///     the use cases contain indices into this list.
    ///   - useCases: the use cases of the request; empty if it has none.
    init(of docTypes: [String], _ useCases: [DeviceRequestInfo.UseCase]) {
        // The document sets of each use case, as types and not as indices.
        let sets = useCases.map { useCase in useCase.documentSets.map { Set($0.map { docTypes[$0] }) } }
        let inUseCases = Set(useCases.flatMap { $0.documentSets.joined() })
        let others = docTypes.indices.filter { !inUseCases.contains($0) }.map { docTypes[$0] }
        let families = others.groupedByFamily
        // `zip` makes pairs of a use case (0) and its document sets (1).
        let mandatory = zip(useCases, sets).filter { $0.0.isMandatory }.map { $0.1 }
        // A document of any one type of a family meets the need for that family.
        let needs = mandatory + families.map { $0.map { [$0] } }
        // If every use case is optional, one use case still has to be answered, because a response without
        // any requested document is never enough.
        self.needs = needs.isEmpty && !sets.isEmpty ? [sets.flatMap(\.self)] : needs
        // A use case's types form one group, in the order of the request.
        groups =
            sets.map { alternatives in
                docTypes.filter { type in alternatives.contains { $0.contains(type) } }
            } + families
    }

    /// Returns the needed types of which no document was returned. A need with a complete set adds no type to
    /// the result. Any other need adds the types that are missing from its most complete set.
    func absent(from came: Set<String>) -> Set<String> {
        needs.reduce(into: []) { absent, sets in
            let lacking = sets.map { $0.subtracting(came) }
            absent.formUnion(lacking.min { $0.count < $1.count } ?? [])
        }
    }
}

extension [String] {
    /// The document types of this array, grouped by family. Each type occurs once.
    fileprivate var groupedByFamily: [[String]] {
        var families: [(word: String, docTypes: [String])] = []
        for docType in self {
            // An unknown document type is a family of its own.
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
