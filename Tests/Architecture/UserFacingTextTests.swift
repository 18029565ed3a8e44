import Foundation
import Testing
import VectorFiles

/// The texts of the sources that a user may read, found by how they are written. A value in a text shows as "…".
enum UserFacingTexts {
    /// Members whose literals are texts of a value: an error, a check, a finding.
    private static let explaining: Set = ["explanation", "advice", "meaning", "errorDescription"]

    /// Calls before a text that is written where it is used.
    private static let calls: [(title: String, pattern: String)] = [
        ("Help of commands", #"\babstract:"#),
        ("Help of options", #"(?:\bhelp:|\bArgumentHelp\()"#),
        ("Wrong usage", #"(?:\bValidationError\(|\.(?:usage|malformed|unavailable)\(|\bmessage:)"#),
        ("Members of files and bodies", #"(?:\bwrong|\.wrongValue)\("#),
        ("Problems of the HTTP API", #"(?:\bAPIProblem|\bself\.init)\(\s*\.\w+,\s*status: \d+,"#),
        ("Faults of a configuration", #"\bAssemblyFault\(\s*(?:"[\w.]+"|[\w.]+),\s*"#),
        ("Checks of doctor", #"\.(?:ok|note|warning|failed|skipped)\(\s*\.\w+,"#),
        ("Progress and hints", #"\bTerminal\.message\("#),
    ]

    private static let interpolation = #"\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"#
    private static let literal = #""(?:[^"\\\n]|\#(interpolation)|\\.)*""#
    /// One literal or several, and a plus where something follows them.
    private static let literals = #"\s*(\#(literal)(?:\s*\+\s*\#(literal))*)(\s*\+)?"#

    /// A page of them, for a person who reads it from top to bottom.
    static func page(of files: [SourceFile], pages: [String: String]) throws -> String {
        var lines = ["# Texts that a user may read"]
        for layer in Set(files.map(\.layer)).sorted() {
            let texts = try files.filter { $0.layer == layer }.flatMap { try explanations(in: $0.code) }
            guard !texts.isEmpty else { continue }
            lines += ["", "## \(layer)", ""] + texts.map { "- `\($0.type)` — \($0.text)" }
        }
        for (title, pattern) in calls {
            lines += ["", "## \(title)", ""]
            let expression = try NSRegularExpression(pattern: pattern + literals)
            for file in files {
                lines += texts(of: expression, in: file.code).map { "- \(file.path): \($0)" }
            }
        }
        lines += ["", "## Pages in English", ""]
        lines += pages.sorted { $0.key < $1.key }.map { "- `\($0.key)` — \($0.value)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The literals of the members that explain a value, with the type that has them.
    static func explanations(in code: String) throws -> [(type: String, text: String)] {
        let expression = try NSRegularExpression(pattern: literals)
        var found: [(type: String, text: String)] = []
        var type = ""
        var body: [Substring]?
        // Words, not expressions: these took 40 s for all sources.
        for line in code.split(separator: "\n") {
            if let lines = body {
                body = line.hasPrefix("    }") ? nil : lines + [line]
                guard body == nil else { continue }
                found += texts(of: expression, in: lines.joined(separator: "\n")).map { (type, $0) }
            } else if let name = declared(by: ["extension", "enum", "struct", "class", "actor"], in: line) {
                type = name.split(separator: ".").last.map(String.init) ?? ""
            } else if line.hasPrefix("    "),
                let name = declared(by: ["var", "func"], in: line.dropFirst(4)), explaining.contains(name)
            {
                guard line.hasSuffix("}") else {
                    body = []
                    continue
                }
                found += texts(of: expression, in: String(line)).map { (type, $0) }
            }
        }
        return found
    }

    private static func texts(of expression: NSRegularExpression, in source: String) -> [String] {
        let whole = source as NSString
        let range = NSRange(location: 0, length: whole.length)
        return expression.matches(in: source, range: range).compactMap { match in
            let more = match.range(at: 2).location == NSNotFound ? "" : "…"
            let text = readable(whole.substring(with: match.range(at: 1))) + more
            return text.contains(where: \.isLetter) ? text : nil
        }
    }

    /// The text of literals as a user reads it.
    private static func readable(_ literals: String) -> String {
        literals.replacingOccurrences(of: #""\s*\+\s*""#, with: "", options: .regularExpression)
            .dropFirst().dropLast()
            .replacingOccurrences(of: interpolation, with: "…", options: .regularExpression)
            .replacingOccurrences(of: #"\""#, with: "\"")
            .replacingOccurrences(of: #"\n"#, with: " / ")
    }

    /// The name that a line declares by one of these words, after its modifiers.
    private static func declared(by keywords: Set<String>, in line: Substring) -> String? {
        guard let first = line.first, first.isLowercase else { return nil }
        let words = line.split(separator: " ", maxSplits: 6)
        guard let index = words.firstIndex(where: { keywords.contains(String($0)) }), index + 1 < words.count,
            words[..<index].allSatisfy({ $0.allSatisfy(\.isLowercase) })
        else { return nil }
        return String(words[index + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
    }
}

extension SourceFile {
    /// The folder of its layer.
    fileprivate var layer: String {
        String(path.split(separator: "/").dropFirst().first ?? "")
    }
}

@Suite("Texts that a user may read")
struct UserFacingTextTests {
    private struct Language: Decodable {
        let strings: [String: String]
    }

    @Test("All of them are in .build/user-facing-texts.md, for a person to read from top to bottom")
    func page() throws {
        let table = try JSONDecoder().decode(
            [String: Language].self,
            from: Data(SourceFile.text(of: "Sources/Service/ReaderAPI/Kiosk/strings.json").utf8))
        let page = try UserFacingTexts.page(of: SourceFile.sources, pages: table["en"]?.strings ?? [:])
        let folder = VectorFiles.repository.appending(path: ".build")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(page.utf8).write(to: folder.appending(path: "user-facing-texts.md"), options: .atomic)
        let sections = page.split(separator: "\n## ").dropFirst()
        #expect(sections.allSatisfy { $0.contains("\n- ") }, "a section is empty")
        for text in [
            "- `CBORError` — the bytes end inside an item (byte …)",
            "- `ReaderStoreError` — there is no space left",
            "- `VICALError` — the VICAL is past its nextUpdate",
        ] {
            #expect(page.contains(text), "\(text)")
        }
    }

    @Test("Literals are read as a user sees them, with what is put into them left out")
    func literals() throws {
        let code = #"""
            extension A.B {
                package var explanation: String {
                    switch self {
                    case .one(let path): "\(path): no \"file\"" + " at \(a(b("c")))"
                    case .two:
                        "there are "
                            + names.joined(separator: ", ")
                    case .three(let error): "\(error.explanation)"
                    }
                }

                var other: String { "not one" }
            }
            enum C {
                func advice(for x: Int) -> String { "do it" }
            }
            """#
        let found = try UserFacingTexts.explanations(in: code)
        #expect(found.map(\.text) == ["…: no \"file\" at …", "there are …", "do it"])
        #expect(found.map(\.type) == ["B", "B", "C"])
        let file = SourceFile(path: "Sources/X/a.swift", text: #"throw .usage("one \(two)\nthree")"#)
        let page = try UserFacingTexts.page(of: [file], pages: ["key": "text"])
        #expect(page.contains("\n- Sources/X/a.swift: one … / three\n"))
        #expect(page.contains("\n- `key` — text\n"))
    }
}
