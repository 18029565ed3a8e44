import Testing

@Suite("Plain English")
struct PlainEnglishTests {
    /// What nobody writes here any more, and what is written instead.
    private static let words: [(found: String, instead: String)] = [
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
        (#"\bgoes on\b"#, "continues"),
        (#"\bstands? (?:there|twice|for)\b"#, "is there, is a duplicate, means"),
    ]

    private static func findings(in text: String) -> [String] {
        words.compactMap { word in
            text.finding(word.found).map { "\"\($0)\": write \(word.instead)" }
        }
    }

    @Test("No source has a word of the list, in code, texts or comments", arguments: SourceFile.sources)
    func sources(_ file: SourceFile) {
        #expect(Self.findings(in: file.text) == [])
    }

    @Test("The twin: each word of the list is found")
    func twin() {
        let text = """
            a date is due; there are none, or it is none; whence it came; Misshapen; a Door; farewells; patience; it vouches
            puts up with it, lets go of it, comes about, of its own, goes on, stands twice
            """
        #expect(Self.findings(in: text).count == Self.words.count)
    }
}
