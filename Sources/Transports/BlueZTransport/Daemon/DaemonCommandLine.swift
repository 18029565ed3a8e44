/// The words a bluetoothd was started with, as far as they say how it is set up.
struct DaemonCommandLine: Equatable, Sendable {
    /// Of the file given with `-f`; nil for the default.
    private(set) var configurationFile: String?
    /// Given with `-P`.
    private(set) var disabledPlugins: Set<String> = []

    /// Reads `/proc/<pid>/cmdline`: words with a zero byte after each. Nil when it is another program's.
    init?(parsing bytes: [UInt8]) {
        let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        guard words.first?.split(separator: "/").last == "bluetoothd" else { return nil }
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            if word.hasPrefix("--") {
                let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1)
                guard let name = parts.first, let letter = Self.letters[String(name)] else { continue }
                take(letter, parts.count > 1 ? String(parts[1]) : rest.popFirst())
            } else if word.hasPrefix("-") {
                takeCluster(word.dropFirst(), &rest)
            }
        }
    }

    /// The options that have a value, without those whose value is optional and joined to them.
    private static let letters: [String: Character] = ["configfile": "f", "noplugin": "P", "plugin": "p"]
    private static let optionalValue: Set<Character> = ["d", "K"]

    /// A group of letters; the first that takes a value gets the rest.
    private mutating func takeCluster(_ letters: Substring, _ rest: inout ArraySlice<String>) {
        for (index, letter) in zip(letters.indices, letters) {
            if Self.optionalValue.contains(letter) { return }
            guard Self.letters.values.contains(letter) else { continue }
            let value = letters[letters.index(after: index)...]
            return take(letter, value.isEmpty ? rest.popFirst() : String(value))
        }
    }

    private mutating func take(_ letter: Character, _ value: String?) {
        switch letter {
        case "f": configurationFile = value
        case "P": disabledPlugins = Set((value ?? "").split { ", ".contains($0) }.map(String.init))
        default: break
        }
    }
}
