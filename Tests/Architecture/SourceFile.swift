import Foundation
import Testing
import VectorFiles

/// A file of this repository, by its path from the root.
struct SourceFile: Sendable, CustomTestStringConvertible {
    let path: String
    let text: String

    var testDescription: String { path }

    /// The text without whole-line and trailing comments; what stands in a string literal stays.
    let code: String

    init(path: String, text: String) {
        self.path = path
        self.text = text
        code = text.split(separator: "\n", omittingEmptySubsequences: false).map(Self.withoutComment)
            .joined(separator: "\n")
    }

    private static func withoutComment(_ line: Substring) -> Substring {
        let bytes = line.utf8
        var index = bytes.startIndex
        var isAfterBlank = true
        while index < bytes.endIndex {
            let next = bytes.index(after: index)
            if isAfterBlank, bytes[index] == UInt8(ascii: "/"), next < bytes.endIndex,
                bytes[next] == UInt8(ascii: "/")
            {
                return line[..<index]
            }
            isAfterBlank = bytes[index] == UInt8(ascii: " ")
            index = next
        }
        return line
    }

    /// What a regular expression finds first in the code.
    func finding(_ pattern: String) -> String? { code.finding(pattern) }

    /// The modules it imports.
    var imports: Set<String> {
        let words: Set = ["package", "internal", "private", "fileprivate", "public"]
        let kinds: Set = ["struct", "class", "enum", "func", "var", "let", "protocol", "typealias"]
        var modules: Set<String> = []
        var isInText = false
        for line in code.split(separator: "\n") {
            // A text of several lines may have lines that look like these.
            let wasInText = isInText
            if line.matches(of: /"""/).count % 2 == 1 { isInText.toggle() }
            guard !wasInText else { continue }
            var rest = line.split(separator: " ").drop { $0.hasPrefix("@") || words.contains(String($0)) }
            guard rest.popFirst() == "import" else { continue }
            let path = rest.drop { kinds.contains(String($0)) }.first?.split(separator: ".").first
            if let path { modules.insert(String(path)) }
        }
        return modules
    }

    /// What is below a folder and has a name that ends like this, folders as well.
    static func paths(in folder: String, _ suffix: String = "") -> [String] {
        let root = VectorFiles.repository.appending(path: folder)
        guard let names = FileManager.default.enumerator(atPath: root.path) else { return [] }
        return names.compactMap { $0 as? String }.filter { $0.hasSuffix(suffix) }.sorted().map {
            "\(folder)/\($0)"
        }
    }

    /// All files of text below a folder whose names end like this.
    static func all(in folder: String, _ suffix: String = ".swift") -> [SourceFile] {
        paths(in: folder, suffix).compactMap { path in
            let file = VectorFiles.repository.appending(path: path)
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
            return SourceFile(path: path, text: text)
        }
    }

    /// The text of one file, by its path from the root; empty where it cannot be read.
    static func text(of path: String) -> String {
        (try? String(contentsOf: VectorFiles.repository.appending(path: path), encoding: .utf8)) ?? ""
    }

    static let sources = all(in: "Sources")
    static let tests = all(in: "Tests")
}

extension String {
    /// What a regular expression finds first; `^` and `$` stand for lines.
    func finding(_ pattern: String) -> String? {
        range(of: "(?m)" + pattern, options: .regularExpression).map { String(self[$0]) }
    }
}
