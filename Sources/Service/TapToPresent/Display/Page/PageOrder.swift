internal import Foundation
internal import JSON
internal import MdocTrust
internal import RequestPlanner

/// What the daemon of the clerk's page is asked for.
struct PageOrder: Sendable {
    let body: JSONValue

    init(
        _ asked: MobileDocumentPresentation, _ choices: [RequestPlan], _ setup: MobileDocumentReader.Setup,
        token: MobileDocumentReader.Token?, policy: MobileDocumentReader.Setup.Revocation?
    ) throws(MobileDocumentReaderError) {
        let intent = try Self.intent(asked, choices)
        var members: [(String, JSONValue)] = [
            ("kind", "display"), ("intent", .string(intent.description)), ("validation", "confirm"),
        ]
        if let token { members.append(("readerToken", .string(token.tokenString))) }
        if let identity = setup.identity, token == nil { members.append(("identity", .string(identity))) }
        if let policy { members.append(("policy", policy.policy.json)) }
        body = .object(members)
    }

    /// The page has portrait, names and answers.
    private static func intent(
        _ asked: MobileDocumentPresentation, _ choices: [RequestPlan]
    ) throws(MobileDocumentReaderError) -> RequestIntent {
        guard !asked.elements.contains(.age) else { throw .unsupported(.pageElements) }
        if choices.count == 1, let intent = choices.first?.intent { return intent }
        // Each kind of document has its own elements for one name; all have the whole name.
        let names = asked.elements.filter { [.familyName, .givenName].contains($0) }
        guard names.count != 1 else { throw .unsupported(.pageElements) }
        let ages = asked.elements.compactMap { if case .ageAtLeast(let years) = $0 { years } else { nil } }
        return RequestIntent(
            names.isEmpty && !ages.isEmpty ? .age : .elements,
            [.portrait(isCompared: true)] + (names.isEmpty ? [] : [.name]) + ages.map { .ageOver($0) },
            from: choices.flatMap(\.intent.documents))
    }
}

extension RevocationPolicy {
    /// As the daemon's file and orders have it, which take a year at most.
    var json: JSONValue {
        switch undetermined {
        case .accept: "age"
        case .refuse(let seconds): ["rental": .integer(min(seconds / 86_400, 365))]
        }
    }
}
