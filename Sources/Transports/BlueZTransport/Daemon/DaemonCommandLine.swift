/// The options of bluetoothd's command line that change its settings.
struct DaemonCommandLine: Equatable, Sendable {
    /// The path of the configuration file (`-f`); `nil` for the default.
    private(set) var configurationFile: String?
    /// The plugins that are switched off (`-P`).
    private(set) var disabledPlugins: Set<String> = []

    /// Parses `/proc/<pid>/cmdline`, in which a zero byte ends each word. `nil` if the process is another
    /// program.
    init?(parsing bytes: [UInt8]) {
        let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        guard words.first?.split(separator: "/").last == "bluetoothd" else { return nil }
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            if word.hasPrefix("--") {
                // The value of a long option follows after `=` or is the next word.
                let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1)
                guard let name = parts.first, let letter = Self.letters[String(name)] else { continue }
                apply(letter, parts.count > 1 ? String(parts[1]) : rest.popFirst())
            } else if word.hasPrefix("-") {
                applyGroup(word.dropFirst(), &rest)
            }
        }
    }

    /// The short forms of the options that need a value, by their long names.
    private static let letters: [String: Character] = ["configfile": "f", "noplugin": "P", "plugin": "p"]
    /// The options whose value is optional. The value is the rest of the word.
    private static let optionalValue: Set<Character> = ["d", "K"]

    /// Reads a group of short options. The rest of the word is the value of the first option that needs a
    /// value.
    private mutating func applyGroup(_ letters: Substring, _ rest: inout ArraySlice<String>) {
        for (index, letter) in zip(letters.indices, letters) {
            if Self.optionalValue.contains(letter) { return }
            guard Self.letters.values.contains(letter) else { continue }
            let value = letters[letters.index(after: index)...]
            return apply(letter, value.isEmpty ? rest.popFirst() : String(value))
        }
    }

    /// Stores the value of an option. Options that change none of the settings of this type are ignored.
    private mutating func apply(_ letter: Character, _ value: String?) {
        switch letter {
        case "f": configurationFile = value
        // bluetoothd separates the names of plugins at commas and at spaces.
        case "P": disabledPlugins = Set((value ?? "").split { ", ".contains($0) }.map(String.init))
        default: break
        }
    }
}
