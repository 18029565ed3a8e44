import Foundation
import VectorFiles

@testable import ReaderAPI
@testable import Doctor
@testable import countersign

/// Texts that are written where they are used: help, wrong usage, a member of a file or a body, the checks of `doctor`,
/// the pages in English. A value in them is "…".
enum TextsInPlace {
    struct Kind {
        let type: String
        /// What is before the text; its group is the name of the id's case.
        let call: String
        var form = TextGroup.Form.clause
        var ids = TextGroup.IDForm.grouped
        var hasAdvice = false
        /// The ids by the names of their cases.
        var idByCase: [String: String] = [:]
    }

    static let commandFailure = Kind(
        type: "CommandFailure", call: #"(?:\.(?:usage|malformed|unavailable)\(|\bmessage:)"#)

    private static let kinds = [
        Kind(type: "Help of commands", call: #"\babstract:"#, form: .sentence),
        Kind(type: "Help of options", call: #"(?:\bhelp:|\bArgumentHelp\()"#, form: .sentence),
        Kind(type: "ValidationError", call: #"\bValidationError\("#, form: .sentence),
        commandFailure,
        Kind(type: "JSONFault", call: #"(?:\bwrong|\.wrongValue)\("#),
        Kind(
            type: "APIProblem", call: #"(?:\bAPIProblem|\bself\.init)\(\s*\.(\w+),\s*\d+,"#,
            ids: .camelCase, hasAdvice: true, idByCase: idByCase(APIProblem.ID.allCases)),
        Kind(type: "AssemblyFault", call: #"\bAssemblyFault\(\s*(?:"[\w.]+"|[\w.]+),\s*"#),
        Kind(
            type: "DoctorCheck", call: #"\.(?:ok|note|warning|failed|skipped)\(\s*\.(\w+),"#,
            ids: .groupedCamelCase, idByCase: idByCase(DoctorCheck.ID.allCases)),
        Kind(type: "Terminal.note", call: #"\bTerminal\.note\("#, form: .free),
    ]

    private static let interpolation = #"\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"#
    private static let literal = #""(?:[^"\\\n]|\#(interpolation)|\\.)*""#
    /// One literal or several, and a plus where something follows them.
    private static let literals = #"\s*(\#(literal)(?:\s*\+\s*\#(literal))*)(\s*\+)?"#

    private static func idByCase<ID: RawRepresentable<String>>(_ ids: [ID]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: ids.map { ("\($0)", $0.rawValue) })
    }

    static func groups() throws -> [TextGroup] {
        let files = [
            "Sources/Commands", "Sources/Laboratory/SoftwarePhone", "Sources/Service/CommandLineInterface",
            "Sources/Service/Doctor", "Sources/Service/ReaderAPI",
        ].flatMap(swiftFiles)
        return try kinds.map { kind in
            TextGroup(
                type: kind.type, layer: .inPlace, form: kind.form, ids: kind.ids,
                hasAdvice: kind.hasAdvice, mayRepeat: true,
                entries: try files.flatMap { try entries(of: kind, in: $0.text, at: $0.path) })
        } + [pages()]
    }

    /// The texts of both pages, in the order of their keys.
    private static func pages() throws -> TextGroup {
        let path = "Sources/Service/ReaderAPI/Kiosk/strings.json"
        let table = try JSONDecoder().decode(
            [String: Language].self, from: Data(contentsOf: VectorFiles.repository.appending(path: path)))
        let strings = table["en"]?.strings ?? [:]
        return TextGroup(
            type: "Pages in English", layer: .inPlace, form: .free, mayRepeat: true,
            entries: strings.sorted { $0.key < $1.key }.map {
                TextGroup.Entry(name: $0.key, id: nil, text: $0.value)
            })
    }

    private struct Language: Decodable {
        let strings: [String: String]
    }

    static func swiftFiles(in folder: String) -> [(path: String, text: String)] {
        let root = VectorFiles.repository.appending(path: folder)
        let names = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted().compactMap { name in
            guard let text = try? String(contentsOf: root.appending(path: name), encoding: .utf8) else {
                return nil
            }
            return (path: "\(folder)/\(name)", text: text)
        }
    }

    static func entries(of kind: Kind, in source: String, at path: String) throws -> [TextGroup.Entry] {
        let expression = try NSRegularExpression(pattern: kind.call + literals)
        let whole = source as NSString
        let range = NSRange(location: 0, length: whole.length)
        return expression.matches(in: source, range: range).compactMap { match in
            func part(_ index: Int) -> String? {
                let range = match.range(at: index)
                return range.location == NSNotFound ? nil : whole.substring(with: range)
            }
            let last = match.numberOfRanges - 1
            let text = readable(part(last - 1) ?? "") + (part(last) == nil ? "" : "…")
            // What is made of other texts is held to the rules with them.
            guard text.contains(where: \.isLetter) else { return nil }
            let id = last == 3 ? part(1).flatMap { kind.idByCase[$0] } : nil
            return TextGroup.Entry(name: path, id: id, text: text)
        }
    }

    /// The text of literals as a user reads it.
    private static func readable(_ literals: String) -> String {
        let one = literals.replacingOccurrences(
            of: #""\s*\+\s*""#, with: "", options: .regularExpression)
        return one.dropFirst().dropLast()
            .replacingOccurrences(of: interpolation, with: "…", options: .regularExpression)
            .replacingOccurrences(of: #"\""#, with: "\"")
            .replacingOccurrences(of: #"\n"#, with: "\n")
    }
}
