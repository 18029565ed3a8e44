import Testing

@Suite("The table of what accessories must never do")
struct AccessoryTableTests {
    /// The tests in `SUITE/FUNCTION` form that a text names.
    private static func named(in text: String) -> [(suite: String, function: String)] {
        text.matches(of: /`(\w+Tests)\/(\w+)`/).map { (String($0.1), String($0.2)) }
    }

    /// Whether a suite of this name has a test function of this name.
    private static func exists(_ suite: String, _ function: String) -> Bool {
        SourceFile.tests.contains { file in
            file.code.finding(#"^(struct|extension) \#(suite)\b"#) != nil
                && file.code.finding(#"^    func \#(function)\("#) != nil
        }
    }

    @Test("Every test in the table exists, and every line of the table has one")
    func tests() throws {
        let page = SourceFile.text(of: "Documentation/maintaining/accessories.md")
        let table = try #require(page.split(separator: "| must never happen | tests |\n|---|---|\n").last)
        let rows = table.split(separator: "\n").prefix { $0.hasPrefix("| ") }
        #expect(rows.count > 20)
        for row in rows {
            let tests = Self.named(in: String(row))
            #expect(!tests.isEmpty, "\(row)")
            for (suite, function) in tests {
                #expect(Self.exists(suite, function), "\(suite)/\(function)")
            }
        }
        #expect(!Self.exists("AccessoryTableTests", "other") && !Self.exists("NoTests", "tests"))
    }
}
