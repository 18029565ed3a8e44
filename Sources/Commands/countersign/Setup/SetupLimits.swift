internal import CommandLineInterface
internal import ErrorMapping
internal import JSON

/// The limits and defaults of configuration members, read from the daemon's JSON Schema.
struct SetupLimits {
    private static let longestSchema = 1 << 20

    private let schema: JSONText

    /// Runs `countersignd schema` and reads its output.
    init() throws(CommandFailure) {
        let (status, output) = try OwnProgram(name: "countersignd").run(["schema"])
        guard status == 0 else {
            throw .unavailable("`countersignd schema` failed with status \(status): see its error above")
        }
        schema = try mapping(JSONText(Array(output.utf8)[...], limit: Self.longestSchema), Self.failure)
    }

    /// Returns the largest length of a text in the configuration, in bytes.
    ///
    /// - Parameter path: The names of the configuration members, from the outermost member to the text.
    func longest(_ path: String...) throws(CommandFailure) -> Int {
        try mapping(Int(number("maxLength", of: path)), Self.failure)
    }

    /// Returns the default of a number in the configuration.
    func standard(_ path: String...) throws(CommandFailure) -> Int64 {
        try mapping(number("default", of: path), Self.failure)
    }

    /// Follows `path` through the schema and returns the value of a keyword. If a member may be null, its
    /// schema is an `anyOf` with the object first and `null` second. `items` is the schema of an array's
    /// entries.
    private func number(_ keyword: String, of path: [String]) throws(JSONFault) -> Int64 {
        var value = try schema.members()
        for name in path {
            if let choices = value["anyOf"] { value = try choices.array()[0].members() }
            if let items = value["items"] { value = try items.members() }
            value = try value.required("properties").members().required(name).members()
        }
        return try value.required(keyword).integer(in: 0...Int64(UInt32.max))
    }

    private static func failure(_ fault: JSONFault) -> CommandFailure {
        .malformed("countersignd's schema: \(fault.explanation)")
    }
}
