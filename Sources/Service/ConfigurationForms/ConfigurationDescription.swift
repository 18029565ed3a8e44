package import JSON

/// The description of a value of the configuration file, for the file's JSON Schema and for the reference
/// (`Documentation/configuration.md`).
package struct ConfigurationDescription: Sendable {
    /// The kind of a value, which determines its empty value.
    package enum Kind: Sendable { case scalar, list, object }

    /// The members of the value's JSON Schema.
    package let schema: [(String, JSONValue)]
    /// The text in the column "value" of the reference, in Markdown.
    package let words: String
    /// Further requirements on the value, for the reference. Each is the text of the fault that is reported
    /// if the value does not meet the requirement.
    package let requirements: [String]
    /// The kind of the value.
    package let kind: Kind

    /// Creates a description. `schema` has the members of the JSON Schema, `words` the text for the reference.
    package init(
        schema: [(String, JSONValue)], words: String, requirements: [String] = [], kind: Kind = .scalar
    ) {
        self.schema = schema
        self.words = words
        self.requirements = requirements
        self.kind = kind
    }

    /// The empty JSON value of this kind: `null`, an empty list or an empty object.
    package var empty: JSONValue {
        switch kind {
        case .scalar: .null
        case .list: .array([])
        case .object: .object([])
        }
    }

    /// Returns the description of an object with these members.
    ///
    /// - Parameter choices: the names of members of which the object has exactly one; empty for an object
    ///   without such a choice.
    static func object(_ members: [ConfigurationMember], oneOf choices: [String] = []) -> Self {
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        let each = choices.map { JSONValue.object([("required", .array([.string($0)]))]) }
        return Self(
            schema: [
                ("type", "object"), ("additionalProperties", .boolean(false)),
                ("properties", .object(members.map { ($0.name, $0.schema) })),
            ] + (required.isEmpty ? [] : [("required", .array(required))])
                + (each.isEmpty ? [] : [("oneOf", .array(each))]), words: "object",
            requirements: each.isEmpty ? [] : [requirement(oneOf: choices)], kind: .object)
    }

    /// Returns the text of the fault that is reported for an object with none or several of these members.
    static func requirement(oneOf choices: [String]) -> String {
        "must have exactly one of \(choices.map { "\"\($0)\"" }.joined(separator: ", "))"
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
    let standard: Standard
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
