import Foundation
import Testing
import VectorFiles

/// One entry of `Documentation/quirks.md`.
private struct Quirk {
    let number: Int
    let description: String
    /// The lines of the list below it, without the marks.
    let items: [String]

    private func items(after label: String) -> [String] {
        items.filter { $0.hasPrefix(label) }.map { String($0.dropFirst(label.count)) }
    }

    var handledIn: [String] { items(after: "Handled in ") }
    var shownBy: [String] { items(after: "Shown by ") }
    var isNotHandled: Bool { !items(after: "Not handled yet: ").isEmpty }
    /// Why no test shows it, or not the whole of it.
    var isExcused: Bool { isNotHandled || !items(after: "No test with real hardware: ").isEmpty }

    /// Every path in it.
    var paths: [String] {
        (handledIn + shownBy).flatMap { $0.matches(of: /`([^`]+\/[^`]+)`/).map { String($0.1) } }
    }

    static let all: [Quirk] = {
        let text = SourceFile.text(of: "Documentation/quirks.md")
        return text.matches(of: /(?m)^### Q(\d+)\n((?:(?!#).*\n?)*)/).compactMap { match in
            guard let number = Int(match.1) else { return nil }
            let parts = match.2.replacing(/\n +/, with: " ").split(separator: "\n- ")
            return Quirk(
                number: number, description: parts[0].trimmingCharacters(in: .whitespacesAndNewlines),
                items: parts.dropFirst().map { $0.trimmingCharacters(in: .whitespacesAndNewlines) })
        }
    }()
}

/// The page of quirks, the code and the tests name the same ones.
@Suite("Quirks")
struct QuirkTests {
    /// The numbers in the names of tests.
    private static let named: [Int: String] = {
        var named: [Int: String] = [:]
        for file in SourceFile.tests {
            for test in file.text.matches(of: /@Test\(\s*"((?:[^"\\]|\\.)*)"/) {
                for number in test.1.matches(of: /\bQ(\d+)\b/) { named[Int(number.1) ?? 0] = file.path }
            }
        }
        return named
    }()

    @Test("The page has every quirk once, in order, with a description")
    func complete() {
        #expect(Quirk.all.count > 100)
        #expect(Quirk.all.map(\.number) == Array(1...Quirk.all.count))
        for quirk in Quirk.all {
            #expect(quirk.description.count > 20 && !quirk.description.hasPrefix("-"), "Q\(quirk.number)")
            #expect(quirk.handledIn.isEmpty == quirk.isNotHandled, "Q\(quirk.number)")
        }
    }

    @Test("Every file that the page names is there, and has the test that is quoted from it")
    func placesExist() throws {
        for quirk in Quirk.all {
            for path in quirk.paths {
                let file = VectorFiles.repository.appending(path: path).path
                #expect(FileManager.default.fileExists(atPath: file), "Q\(quirk.number): \(path)")
            }
            for line in quirk.shownBy {
                let quoted = try #require(
                    line.wholeMatch(of: /`([^`]+)`: "(.+)"/), "Q\(quirk.number): \(line)")
                let file = VectorFiles.repository.appending(path: String(quoted.1))
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(text.contains(String(quoted.2)), "Q\(quirk.number): \(quoted.2)")
            }
        }
    }

    @Test("Comments and tests name quirks that exist")
    func known() {
        #expect(Self.named.count > 50)
        let known = Set(Quirk.all.map(\.number))
        for (number, file) in Self.named { #expect(known.contains(number), "Q\(number) in \(file)") }
        for file in SourceFile.sources {
            for found in file.text.matches(of: /\bQ(\d{1,3})\b/) {
                #expect(known.contains(Int(found.1) ?? 0), "\(found.0) in \(file.path)")
            }
        }
    }

    @Test("Every quirk is named by a test, or the page gives the reason why not")
    func covered() {
        let excused = Quirk.all.filter(\.isExcused).map(\.number)
        let missing = Set(Quirk.all.map(\.number)).subtracting(Self.named.keys).subtracting(excused).sorted()
        #expect(missing.isEmpty, "\(missing.map { "Q\($0)" }.joined(separator: " "))")
    }
}
