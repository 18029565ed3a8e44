import Foundation
import VectorFiles

/// What every text for users keeps to.
enum TextRules {
    /// What is wrong with the texts of a group, a line for each.
    static func findings(in group: TextGroup) -> [String] {
        let single = group.entries.flatMap { entry in
            faults(of: entry, in: group).map { "\(entry.name): \($0): \(entry.text)" }
        }
        let texts = Dictionary(grouping: group.entries, by: \.text)
        let twice = texts.values.filter { $0.count > 1 && !group.mayRepeat }.map { entries in
            "\(entries.map(\.name).joined(separator: ", ")): the same text: \(entries[0].text)"
        }
        return single + twice.sorted()
    }

    private static func faults(of entry: TextGroup.Entry, in group: TextGroup) -> [String] {
        let text = entry.text
        guard !text.isEmpty else { return ["no text"] }
        var faults = PlainEnglish.findings(in: text)
        switch group.form {
        case .clause:
            if !text.matches(clauseStart) { faults.append("begins like a sentence") }
            if text.matches(#"[\s.]$"#) { faults.append("ends like a sentence") }
        case .sentence:
            if !text.matches(sentenceStart) { faults.append("does not begin like a sentence") }
            if !text.matches(#"[.…)]$"#) { faults.append("does not end like a sentence") }
        case .free: break
        }
        if text.unicodeScalars.contains(where: { $0 != "\n" && $0.properties.generalCategory == .control }) {
            faults.append("steers a terminal")
        }
        if let value = elementValues.first(where: { text.contains($0) }) {
            faults.append("has the value \(value)")
        }
        if group.hasAdvice, !hasAdvice(text) { faults.append("does not say what to do") }
        if let id = entry.id, !id.matches(form(of: group.ids)) { faults.append("has the id \(id)") }
        return faults
    }

    /// A letter, digit, quotation mark, path or option; a capital only in a name.
    private static let clauseStart = #"^(?:[a-z0-9"\[/…-]|Bluetooth\b|[A-Z]+[a-z]*[A-Z])"#
    private static let sentenceStart = #"^(?:[A-Z]|--|…)"#

    private static func form(of ids: TextGroup.IDForm) -> String {
        switch ids {
        case .grouped: #"^[a-z0-9_]+\.[a-z0-9_]+$"#
        case .word: "^[a-z0-9_]+$"
        case .wordOrGrouped: #"^(?:[a-z0-9_]+\.)?[a-z0-9_]+$"#
        case .groupedCamelCase: #"^[a-z]+\.[a-z][A-Za-z]*$"#
        case .camelCase: #"^(?:[a-z][A-Za-z0-9]*|[a-z0-9_]+\.[a-z0-9_]+)$"#
        }
    }

    /// Whether a part of the text begins with what to do, names what a value must be, or leaves that to another text.
    private static func hasAdvice(_ text: String) -> Bool {
        text.matches(#"(?:^|[:;,.(] ?|\b(?:and|or) )(?:"# + verbs.joined(separator: "|") + #")\b"#)
            || text.matches(#"\bmust\b|\bis to be\b|^"|…$"#)
    }

    private static let verbs = [
        "add", "ask", "bluetoothctl \\w+", "check", "choose", "close", "countersign \\w+", "DELETE", "delete",
        "GET", "get", "give",
        "install", "lift", "name", "order", "plug", "pull", "raise", "request", "run", "see", "send", "set",
        "start", "switch", "systemctl", "tap", "try", "update", "use", "wait", "apt-get install",
    ]

    /// Of the licence of the software wallet.
    private static let elementValues = ["Testrup", "Ødegård", "Lumi", "Séraphine", "7700423519"]
}

extension String {
    fileprivate func matches(_ pattern: String) -> Bool {
        range(of: pattern, options: .regularExpression) != nil
    }
}
