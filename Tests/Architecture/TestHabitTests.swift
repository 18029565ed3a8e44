import Foundation
import Testing

@Suite("Habits of tests")
struct TestHabitTests {
    /// This folder spells out what it looks for.
    private static let tests = SourceFile.tests.filter { !$0.path.hasPrefix("Tests/Architecture/") }

    /// A guard that leaves quietly where a case is another one than awaited.
    private static let quietGuard = #"\bguard\b[^{}]*\bcase\b[^{}]*\belse\s*\{\s*return\b"#

    @Test("At most three guards leave quietly where a case is another one: `#require` fails instead")
    func quietGuards() {
        let found = Self.tests.flatMap { file in file.code.all(Self.quietGuard).map { "\(file.path): \($0)" }
        }
        #expect(found.count <= 3, "\(found)")
        for text in [
            "guard case .a(let b) = c else { return }",
            "guard let a,\n    case .b = a\nelse {\n    return nil\n}",
        ] {
            #expect(text.finding(Self.quietGuard) != nil)
        }
        for text in [
            "guard case .a = b else { throw C() }", "guard case .a = b else {\n    Issue.record(\"b\")",
        ] {
            #expect(text.finding(Self.quietGuard) == nil)
        }
    }

    @Test("What does not run everywhere says why it does not run")
    func reasonsToSkip() {
        for file in Self.tests {
            for condition in file.code.arguments(of: #"\.(enabled|disabled)\("#) {
                #expect(Self.saysWhy(condition), "\(file.path): \(condition)")
            }
        }
        #expect(Self.saysWhy(#"(if: a(b, c), "no d")"#) && Self.saysWhy("(if: a, B.absence)"))
        #expect(!Self.saysWhy("(if: a(b, c) != [d, e])") && !Self.saysWhy("()"))
    }

    /// Whether more than a condition stands in the parentheses of `enabled` or `disabled`.
    private static func saysWhy(_ arguments: String) -> Bool {
        var depth = 0
        for character in arguments {
            switch character {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case "," where depth == 1: return true
            default: break
            }
        }
        return arguments.hasPrefix(#"(""#)
    }

    /// An error whose case nobody looks at: neither named nor taken for the lines below.
    private static let unnamedError =
        #"(?<!= |= await |return |return await )#expect\(\s*throws: ([\w.]+)\.self\b"#

    @Test("Where an error has several cases a test names the one that is thrown")
    func errorCases() {
        let errors = Set(SourceFile.sources.flatMap { Self.errorsOfSeveralCases(in: $0.code) })
        #expect(errors.isSuperset(of: ["CBORError", "MdocModelError", "TransportError"]))
        for file in Self.tests {
            for found in file.code.all(Self.unnamedError) {
                let name = found.dropLast(".self".count).split(whereSeparator: { ". :".contains($0) }).last
                #expect(!errors.contains(name.map(String.init) ?? ""), "\(file.path): \(found)")
            }
        }
        #expect("    #expect(throws: A.B.self) {".finding(Self.unnamedError) != nil)
        #expect("    await #expect(\n        throws: A.self) {".finding(Self.unnamedError) != nil)
        for text in ["let error = #expect(throws: A.self) {", "#expect(throws: A.b) {"] {
            #expect(text.finding(Self.unnamedError) == nil)
        }
    }

    /// The names of the enums in `code` that are errors and have more than one case.
    private static func errorsOfSeveralCases(in code: String) -> [String] {
        let enumeration = #"^( *)[a-z ]*\benum \w+: [^{]*\bError\b[^{]*\{\n(?:\1 .*\n|\n)*"#
        return code.all(enumeration).compactMap { declaration in
            let cases = declaration.all(#"^ +case (?!\.).*"#)
            guard cases.count > 1 || cases.contains(where: { $0.contains(", ") }) else { return nil }
            return declaration.finding(#"(?<=enum )\w+"#)
        }
    }

    @Test("No error is skipped inside `#expect` or `#require`")
    func swallowedErrors() {
        for file in Self.tests {
            // A parenthesis in a text opens and closes nothing.
            let code = file.code.replacingOccurrences(
                of: #""(?:\\.|[^"\\\n])*""#, with: "\"\"", options: .regularExpression)
            for arguments in code.arguments(of: #"#(expect|require)\("#) {
                #expect(!arguments.contains("try? "), "\(file.path): \(arguments)")
            }
        }
        #expect(["(a, (b), c)"] == "#expect(a, (b), c) == d".arguments(of: #"#(expect|require)\("#))
    }
}

extension String {
    /// All that a regular expression finds; `^` and `$` stand for lines.
    fileprivate func all(_ pattern: String) -> [String] {
        var found: [String] = []
        var rest = startIndex..<endIndex
        while let match = range(of: "(?m)" + pattern, options: .regularExpression, range: rest) {
            found.append(String(self[match]))
            rest = (match.isEmpty ? index(after: match.upperBound) : match.upperBound)..<endIndex
        }
        return found
    }

    /// The parentheses that each match of `pattern`, which ends in one, opens.
    fileprivate func arguments(of pattern: String) -> [String] {
        var found: [String] = []
        var rest = startIndex..<endIndex
        while let match = range(of: pattern, options: .regularExpression, range: rest) {
            var depth = 0
            let start = index(before: match.upperBound)
            let end = self[start...].firstIndex { character in
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
                return depth == 0
            }
            found.append(String(self[start...(end ?? index(before: endIndex))]))
            rest = match.upperBound..<endIndex
        }
        return found
    }
}
