internal import MdocModel

/// Which items of a document answer a request (ISO/IEC 18013-5 8.3.2.1.2.2): what was asked for and is there, an
/// age by the nearest attestation (7.2.5).
struct ItemSelection {
    var items: [IssuedDocument.Item] = []
    private var missing: [(nameSpace: String, identifier: String)] = []

    init(of document: IssuedDocument, for request: ItemsRequest) {
        let alternatives = Dictionary(
            request.alternatives.map { ($0.requestedElement, $0.sets) },
            uniquingKeysWith: { first, _ in first })
        for nameSpace in request.nameSpaces {
            let candidates = document.items.filter { $0.nameSpace == nameSpace.name }
            for element in nameSpace.elements {
                let name = ElementName(nameSpace: nameSpace.name, identifier: element.identifier)
                let found =
                    Self.item(for: element.identifier, among: candidates).map { [$0] }
                    ?? Self.firstSet(of: alternatives[name] ?? [], in: document)
                if found.isEmpty { missing.append((nameSpace.name, element.identifier)) }
                // Two ages may have the same nearest attestation.
                for item in found where !items.contains(where: { $0.isSame(as: item) }) { items.append(item) }
            }
        }
    }

    /// The first set of alternatives that the document has whole.
    private static func firstSet(
        of sets: [[ElementName]], in document: IssuedDocument
    ) -> [IssuedDocument.Item] {
        for set in sets {
            let found = set.compactMap { wanted in
                item(
                    for: wanted.identifier, among: document.items.filter { $0.nameSpace == wanted.nameSpace })
            }
            if found.count == set.count { return found }
        }
        return []
    }

    private static func item(
        for identifier: String, among candidates: [IssuedDocument.Item]
    ) -> IssuedDocument.Item? {
        guard let years = AgeAttestation(identifier)?.years else {
            return candidates.first { $0.identifier == identifier }
        }
        var above: (years: Int, item: IssuedDocument.Item)?
        var below: (years: Int, item: IssuedDocument.Item)?
        for item in candidates {
            guard let attested = AgeAttestation(item.identifier)?.years,
                case .boolean(let isOver) = item.value
            else {
                continue
            }
            if isOver, (years..<(above?.years ?? 100)).contains(attested) { above = (attested, item) }
            if !isOver, ((below?.years ?? -1) + 1..<years + 1).contains(attested) { below = (attested, item) }
        }
        return (above ?? below)?.item
    }

    /// The `errors` member: code 0, "not returned", for what was asked for and is not there.
    func errors(except asserted: [TestDocument.Element]) -> CBORDraft {
        var errors = CBORDraft.map([])
        for (nameSpace, identifier) in missing {
            guard !asserted.contains(where: { $0.nameSpace == nameSpace && $0.identifier == identifier })
            else {
                continue
            }
            var codes = errors[.text(nameSpace)] ?? .map([])
            codes[.text(identifier)] = 0
            errors[.text(nameSpace)] = codes
        }
        return errors
    }
}

extension IssuedDocument.Item {
    fileprivate func isSame(as other: Self) -> Bool {
        nameSpace == other.nameSpace && identifier == other.identifier
    }
}
