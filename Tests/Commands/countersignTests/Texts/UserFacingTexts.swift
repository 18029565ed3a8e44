/// All texts that a user may read.
enum UserFacingTexts {
    static let groups = Array(
        [
            formats, cryptography, mdoc, elements, trust, verification, transports, service, api, library,
            commands,
            inPlace,
        ].joined())

    private static let inPlace = (try? TextsInPlace.groups()) ?? []

    /// A page of them, for a person who reads it from top to bottom.
    static var page: String {
        var lines = ["# Texts that a user may read"]
        for layer in TextGroup.Layer.allCases {
            lines += ["", "## \(layer.rawValue)"]
            for group in groups where group.layer == layer {
                lines += ["", "### \(group.type)", ""]
                lines += group.entries.map(\.line)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension TextGroup.Entry {
    fileprivate var line: String {
        let names = id.map { "`\($0)` (\(name))" } ?? "`\(name)`"
        return "- \(names) — \(text.split(separator: "\n").joined(separator: " / "))"
    }
}
