internal import JSON

/// The description of a value of the configuration file, for the file's JSON Schema and for the reference
/// (`Documentation/configuration.md`).
struct ConfigurationDescription: Sendable {
    enum Kind: Sendable { case scalar, list, object }

    /// The members of the value's JSON Schema.
    let schema: [(String, JSONValue)]
    /// The text in the column "value" of the reference, in Markdown.
    let words: String
    /// Further requirements on the value, for the reference. Each is the text of the fault that is reported
    /// if the value does not meet the requirement.
    var requirements: [String] = []
    var kind = Kind.scalar

    /// The empty JSON value of this kind: `null`, an empty list or an empty object.
    var empty: JSONValue {
        switch kind {
        case .scalar: .null
        case .list: .array([])
        case .object: .object([])
        }
    }

    /// Returns the description of an object with these members.
    static func object(_ members: [ConfigurationMember]) -> Self {
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        return Self(
            schema: [
                ("type", "object"), ("additionalProperties", .boolean(false)),
                ("properties", .object(members.map { ($0.name, $0.schema) })),
            ] + (required.isEmpty ? [] : [("required", .array(required))]), words: "object", kind: .object)
    }

    /// The JSON Schema of the file (draft 7, which most editors support). `x-countersign` has the texts of
    /// the reference.
    var file: JSONValue {
        let members: [(String, JSONValue)] = [
            ("$schema", "http://json-schema.org/draft-07/schema#"),
            ("$id", "urn:countersign:schema:countersignd"), ("title", "countersignd.json"),
        ]
        return .object(members + schema)
    }
}

/// The description of a member of an object in the configuration file.
struct ConfigurationMember: Sendable {
    /// The effect of a member that is absent.
    enum Standard: Sendable {
        case required
        /// The member has this value.
        case value(JSONValue)
        /// The member has no value. The text describes the effect.
        case absent(String)
    }

    let name: String
    /// The text of the member in the reference, in Markdown.
    let text: String
    let value: ConfigurationDescription
    var standard: Standard
    /// The texts of faults that are not among `value.requirements`, for the reference, in Markdown.
    let faults: String

    var isRequired: Bool { if case .required = standard { true } else { false } }

    /// The JSON Schema of the member. `x-countersign` has the texts of the reference for which JSON Schema
    /// has no keyword.
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

    /// Returns a text as code in Markdown.
    private static func code(_ text: String) -> String { text.contains("`") ? "`` \(text) ``" : "`\(text)`" }
}
