internal import JSON

extension ConfigurationMember {
    /// The file as a JSON Schema (draft 7, which editors know best). `x-countersign` has what only the
    /// reference says.
    static var schema: JSONValue {
        var members: [(String, JSONValue)] = [
            ("$schema", "http://json-schema.org/draft-07/schema#"),
            ("$id", "urn:countersign:schema:countersignd"), ("title", "countersignd.json"),
        ]
        members += ConfigurationValue.object(file).schemaMembers
        return .object(members)
    }

    fileprivate var schema: JSONValue {
        var members = value.schemaMembers
        members.append(("description", .string(meaning)))
        if case .value(let standard) = standard { members.append(("default", standard)) }
        var words: [(String, JSONValue)] = [("value", .string(value.words))]
        if case .absent(let text) = standard { words.append(("default", .string(text))) }
        let faults = [value.requirements.map(Self.code), faults.isEmpty ? [] : [faults]].joined()
        if !faults.isEmpty { words.append(("faults", .string(faults.joined(separator: "; ")))) }
        members.append(("x-countersign", .object(words)))
        return .object(members)
    }

    /// Text as code of Markdown.
    private static func code(_ text: String) -> String { text.contains("`") ? "`` \(text) ``" : "`\(text)`" }
}

extension ConfigurationValue {
    fileprivate var schemaMembers: [(String, JSONValue)] {
        switch self {
        case .boolean: return [("type", "boolean")]
        case .whole(let range, _):
            return [
                ("type", "integer"), ("minimum", .integer(range.lowerBound)),
                ("maximum", .integer(range.upperBound)),
            ]
        case .text(let limit, let format):
            return [("type", "string"), ("minLength", .integer(1)), ("maxLength", .integer(Int64(limit)))]
                + (format?.schemaMembers ?? [])
        case .word(let words): return [("enum", .array(words.map(JSONValue.string)))]
        case .list(let limit, let value, let empty):
            let least = empty == nil ? [] : [("minItems", JSONValue.integer(1))]
            return [("type", "array"), ("items", .object(value.schemaMembers))] + least
                + [("maxItems", .integer(Int64(limit)))]
        case .object(let members):
            let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
            return [
                ("type", "object"), ("additionalProperties", .boolean(false)),
                ("properties", .object(members.map { ($0.name, $0.schema) })),
            ] + (required.isEmpty ? [] : [("required", .array(required))])
        case .named(let limit, let format, let value):
            return [
                ("type", "object"), ("maxProperties", .integer(Int64(limit))),
                ("propertyNames", .object(format.schemaMembers)),
                ("additionalProperties", .object(value.schemaMembers)),
            ]
        case .wordOrObject(let words, let members, _):
            return [
                (
                    "anyOf",
                    .array([
                        .object(ConfigurationValue.word(words).schemaMembers),
                        .object(ConfigurationValue.object(members).schemaMembers),
                    ])
                )
            ]
        case .nullable(let value):
            return [("anyOf", .array([.object(value.schemaMembers), .object([("type", "null")])]))]
        }
    }

    /// For the column "value" of the reference.
    fileprivate var words: String {
        switch self {
        case .boolean: "`true` or `false`"
        case .whole(let range, let unit):
            "whole \(range.lowerBound)–\(range.upperBound)\(unit.map { ", \($0)" } ?? "")"
        case .text(4096, let format?) where format.words == ConfigurationFormat.path.words: "path"
        case .text(let limit, let format): "text \(limit)\(format.map { ": \($0.words)" } ?? "")"
        case .word(let words): "word: \(words.map { "`\($0)`" }.joined(separator: ", "))"
        case .list(let limit, let value, let empty):
            "list \(limit)\(empty == nil ? "" : ", 1 at least")"
                + (value.isObject ? "" : " of \(value.words)")
        case .object: "object"
        case .named(let limit, let format, let value):
            "object of at most \(limit) members, each named by \(format.words), with \(value.words)"
        case .wordOrObject(let words, let members, _):
            (words.map { "`\"\($0)\"`" } + members.map { "`{\"\($0.name)\": …}` with \($0.value.words)" })
                .joined(separator: ", ")
        case .nullable(let value): "\(value.words) or `null`"
        }
    }

    /// What faults of this value alone say, beside those of its kind.
    fileprivate var requirements: [String] {
        switch self {
        case .text(4096, let format?) where format.words == ConfigurationFormat.path.words: []
        case .text(_, let format): format.map { [$0.requirement] } ?? []
        case .list(_, let value, let empty):
            if case .object = value {
                empty.map { [$0] } ?? []
            } else {
                value.requirements + (empty.map { [$0] } ?? [])
            }
        case .named(_, let format, let value): [format.requirement] + value.requirements
        case .wordOrObject(_, _, let requirement): [requirement]
        case .nullable(let value): value.requirements
        case .boolean, .whole, .word, .object: []
        }
    }

    private var isObject: Bool { if case .object = self { true } else { false } }
}

extension ConfigurationFormat {
    fileprivate var schemaMembers: [(String, JSONValue)] {
        let pattern = pattern.map { [("pattern", JSONValue.string($0))] } ?? []
        return pattern + [("examples", .array(examples.map(JSONValue.string)))]
    }
}
