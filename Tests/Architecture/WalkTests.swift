import Testing

@Suite("The walks through the files in architecture.md")
struct WalkTests {
    /// The files of a row, each with the names that are to be read there.
    private static func steps(of row: Substring) -> [(file: String, names: [String])] {
        var steps: [(file: String, names: [String])] = []
        for quoted in row.matches(of: /`([^`]+)`/).map({ String($0.1) }) {
            if quoted.hasPrefix("Sources/") {
                steps.append((quoted, []))
            } else if !steps.isEmpty {
                steps[steps.count - 1].names.append(quoted)
            }
        }
        return steps
    }

    private static func missing(_ names: [String], in source: String) -> [String] {
        let words = Set(
            source.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "#" }.map(String.init))
        return names.filter { !words.contains($0) }
    }

    @Test("Each file of a step has the functions and types that are to be read there")
    func names() {
        let page = SourceFile.text(of: "Documentation/architecture.md")
        let section = page.split(separator: "## Three walks through the files\n").dropFirst().first ?? ""
        let walks = section.split(separator: "\n## ").first ?? ""
        let rows = walks.split(separator: "\n").filter { $0.firstMatch(of: #/^\| \d+\. /#) != nil }
        #expect(rows.count > 30)
        for row in rows {
            let steps = Self.steps(of: row)
            #expect(!steps.isEmpty, "\(row)")
            for step in steps {
                let missing = Self.missing(step.names, in: SourceFile.text(of: step.file))
                #expect(missing.isEmpty, "\(step.file): \(missing)")
            }
        }
    }

    @Test("The twin: a name that a file has not is missing, also where it is part of another")
    func twin() {
        #expect(Self.missing(["open", "#take"], in: "func open() { this.#take() }").isEmpty)
        #expect(Self.missing(["open", "close"], in: "func reopen() {}") == ["open", "close"])
    }
}
