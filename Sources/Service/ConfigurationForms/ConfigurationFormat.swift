package import JSON

/// The format of a text in the configuration file, apart from the limit of its length: the format's
/// description, and how a text becomes a value.
package struct ConfigurationFormat<Value: Sendable>: Sendable {
    /// The description of the format for the reference, in Markdown.
    package let words: String
    /// The text of the fault that is reported for a text with another format: "must be …".
    package let requirement: String
    /// A regular expression (ECMA 262) that every valid text matches, for editors.
    package let pattern: String
    /// Two valid texts, which editors suggest.
    package let examples: [String]
    /// Parses a text. Returns nil for a text with another format.
    package let parse: @Sendable (String) -> Value?

    /// Creates a format. `words` is the description for the reference.
    package init(
        _ words: String, requirement: String, pattern: String, examples: [String],
        parse: @escaping @Sendable (String) -> Value?
    ) {
        (self.words, self.requirement, self.pattern, self.examples) = (words, requirement, pattern, examples)
        self.parse = parse
    }

    /// The members of the JSON Schema of a text with this format.
    package var schema: [(String, JSONValue)] {
        [("pattern", .string(pattern)), ("examples", .array(examples.map(JSONValue.string)))]
    }
}

extension ConfigurationFormat where Value == String {
    /// Creates a format whose values are the texts themselves.
    package init(
        _ words: String, requirement: String, pattern: String, examples: [String],
        holds: @escaping @Sendable (String) -> Bool
    ) {
        self.init(words, requirement: requirement, pattern: pattern, examples: examples) { text in
            holds(text) ? text : nil
        }
    }
}
