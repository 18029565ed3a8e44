internal import Foundation

/// What nobody writes here any more, and what is written instead.
package enum PlainEnglish {
    package static let words: [(found: String, instead: String)] = [
        (#"\b(?:is|are) due\b"#, "must be, is expected"),
        (#"\b(?:is|are) none\b"#, "is not one, there is no"),
        (#"\bwhence\b"#, "from which"),
        (#"(?i)misshapen"#, "malformed"),
        (#"\b[Dd]oors?\b"#, "listener, presentation channel"),
        (#"(?i)farewell"#, "termination message"),
        (#"(?i)patience"#, "timeout"),
        (#"(?i)\bvouch"#, "certify, sign"),
        (#"\bputs? up with\b"#, "accepts"),
        (#"\blets? go of\b"#, "releases, closes"),
        (#"\b(?:comes?|came) about\b"#, "is made, happens"),
        (#"\bof (?:its|their) own\b"#, "its own, separate"),
        (#"\bgo(?:es)? on\b"#, "continues"),
        (#"\bstands? (?:there|twice|for)\b"#, "is there, is a duplicate, means"),
        (#"\b[Tt]old\b"#, "reported, notified"),
        (#"\b[Gg]one\b"#, "deleted, not there any more"),
        (#"\banew\b"#, "again"),
        (#"\bhinders?\b"#, "prevents, affects"),
        (#"\b[Pp]ass(?:es|ed) over\b"#, "skips"),
        (#"\bspoken (?:of|to|with)\b"#, "reported, accessed"),
        (#"\bin vain\b"#, "without an answer"),
    ]

    /// The words of the list that a text has, each with what to write.
    package static func findings(in text: String) -> [String] {
        words.compactMap { word in
            text.range(of: "(?m)" + word.found, options: .regularExpression).map {
                "\"\(text[$0])\": write \(word.instead)"
            }
        }
    }
}
