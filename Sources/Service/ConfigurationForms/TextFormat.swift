/// The formats of texts in a configuration file that need no other part of a program. A program adds its own formats
/// in an extension.
package enum TextFormat {
    /// The format of an absolute path.
    package static let path = ConfigurationFormat<String>(
        "a path", requirement: "must be a path that begins with /", pattern: "^/",
        examples: ["/srv/example", "/srv/other"], holds: { $0.hasPrefix("/") })

    /// The format of the name of a lane or an accessory.
    package static let laneName = ConfigurationFormat<String>(
        "letters, digits, `-` and `_`", requirement: "must consist of letters, digits, - and _",
        pattern: "^[A-Za-z0-9_-]+$", examples: ["counter-1", "counter-2"],
        holds: { text in
            text.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-"
                        || $0 == "_")
            }
        })

    /// The format of a file mode in octal digits. The pattern allows a plus sign, because `UInt32(_:radix:)`
    /// accepts a plus sign.
    package static let fileMode = ConfigurationFormat<UInt32>(
        "octal, `\"0\"` to `\"0777\"`",
        requirement: "must be a file mode from \"0\" to \"0777\", such as \"0660\"",
        pattern: "^[+0-7]+$", examples: ["0600", "0640"]
    ) { text in UInt32(text, radix: 8).flatMap { $0 <= 0o777 ? $0 : nil } }
}
