internal import JSON

/// The description of a value of the file, for the JSON Schema and the reference.
struct ConfigurationDescription: Sendable {
    enum Kind: Sendable { case scalar, list, object }

    /// The members of its JSON Schema.
    let schema: [(String, JSONValue)]
    /// The column "value" of the reference, in Markdown.
    let words: String
    /// The faults of the value alone, beside those of its kind.
    var requirements: [String] = []
    var kind = Kind.scalar

    /// The value without entries or members.
    var empty: JSONValue {
        switch kind {
        case .scalar: .null
        case .list: .array([])
        case .object: .object([])
        }
    }

    static func object(_ members: [ConfigurationMember]) -> Self {
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        return Self(
            schema: [
                ("type", "object"), ("additionalProperties", .boolean(false)),
                ("properties", .object(members.map { ($0.name, $0.schema) })),
            ] + (required.isEmpty ? [] : [("required", .array(required))]), words: "object", kind: .object)
    }

    /// The file as a JSON Schema (draft 7, which editors know best). `x-countersign` has the words of the reference.
    var file: JSONValue {
        let members: [(String, JSONValue)] = [
            ("$schema", "http://json-schema.org/draft-07/schema#"),
            ("$id", "urn:countersign:schema:countersignd"), ("title", "countersignd.json"),
        ]
        return .object(members + schema)
    }
}

/// The description of a member of an object of the file.
struct ConfigurationMember: Sendable {
    /// The effect of a member that is absent.
    enum Standard: Sendable {
        case required
        /// The member has this value.
        case value(JSONValue)
        /// The member has no value; the words say what happens.
        case absent(String)
    }

    let name: String
    /// For the reference, in Markdown.
    let text: String
    let value: ConfigurationDescription
    var standard: Standard
    /// Further faults for the reference, in Markdown.
    let faults: String

    var isRequired: Bool { if case .required = standard { true } else { false } }

    fileprivate var schema: JSONValue {
        var members = value.schema + [("description", .string(text))]
        var words: [(String, JSONValue)] = [("value", .string(value.words))]
        switch standard {
        case .required: break
        case .value(let standard): members.append(("default", standard))
        case .absent(let text): words.append(("default", .string(text)))
        }
        let faults = value.requirements.map(Self.code) + (faults.isEmpty ? [] : [faults])
        if !faults.isEmpty { words.append(("faults", .string(faults.joined(separator: "; ")))) }
        return .object(members + [("x-countersign", .object(words))])
    }

    /// Text as code of Markdown.
    private static func code(_ text: String) -> String { text.contains("`") ? "`` \(text) ``" : "`\(text)`" }
}
