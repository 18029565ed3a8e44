internal import JSON

/// A member of the file: the one description of it, from which faults, the JSON Schema and the reference are made.
struct ConfigurationMember: Sendable {
    /// What counts where the member is not there.
    enum Standard: Sendable {
        case required
        case value(JSONValue)
        /// No value of the member; the words say what happens then.
        case absent(String)
    }

    let name: String
    let value: ConfigurationValue
    let standard: Standard
    /// For the reference, in Markdown.
    let meaning: String
    /// Further faults for the reference, in Markdown.
    let faults: String

    init(
        _ name: String, _ value: ConfigurationValue, _ standard: Standard, _ meaning: String,
        faults: String = ""
    ) {
        self.name = name
        self.value = value
        self.standard = standard
        self.meaning = meaning
        self.faults = faults
    }

    var isRequired: Bool { if case .required = standard { true } else { false } }
}

extension ConfigurationMember.Standard: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    static let emptyObject = Self.value(.object([]))
    static let emptyList = Self.value(.array([]))

    init(stringLiteral value: String) { self = .value(.string(value)) }
    init(integerLiteral value: Int64) { self = .value(.integer(value)) }
    init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }
    init(nilLiteral: ()) { self = .value(.null) }
}
