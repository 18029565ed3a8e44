/// The characters of neighbouring keys in a layout, as XKB gives them (`us`, `de` and `fr`, with their
/// variants).
///
/// `•` marks a key without a character that templates may contain: a letter beyond ASCII, a dead key, or a
/// sign that templates refuse.
struct KeyRow {
    /// The first key of the row. The other keys follow with the next numbers.
    let first: UInt16
    let plain: String
    let shifted: String
    /// The characters with AltGr.
    let altGr: String

    init(_ first: UInt16, _ plain: String, _ shifted: String, altGr: String = "") {
        self.first = first
        self.plain = plain
        self.shifted = shifted
        self.altGr = altGr
    }

    /// The strokes for the characters of a layout.
    static func table(of layout: KeyboardLayout) -> [Unicode.Scalar: KeyStroke] {
        var table: [Unicode.Scalar: KeyStroke] = [:]
        for row in rows(of: layout) {
            // Rows with AltGr are entered last, so that a character that also has a plain key keeps it.
            for (text, shift, altGr) in [
                (row.plain, false, false), (row.shifted, true, false), (row.altGr, false, true),
            ] {
                for (offset, scalar) in text.unicodeScalars.enumerated()
                where scalar != "•" && table[scalar] == nil {
                    table[scalar] = KeyStroke(code: row.first + UInt16(offset), shift: shift, altGr: altGr)
                }
            }
        }
        return table
    }

    private static func rows(of layout: KeyboardLayout) -> [Self] {
        let space = Self(KeyCode.space, " ", "")
        return switch layout {
        case .us:
            [
                Self(KeyCode.digit1, "1234567890-=", "!@#•%^•*()_+"),
                Self(KeyCode.q, "qwertyuiop[]", "QWERTYUIOP••"),
                Self(KeyCode.a, "asdfghjkl•'", "ASDFGHJKL:\""),
                Self(KeyCode.grave, "•", "~"),
                Self(KeyCode.z, "zxcvbnm,./", "ZXCVBNM••?"), space,
            ]
        case .de:
            [
                Self(KeyCode.digit1, "1234567890••", "!\"••%•/()=?•", altGr: "•••••••[]"),
                Self(KeyCode.q, "qwertzuiop•+", "QWERTZUIOP•*", altGr: "@••••••••••~"),
                Self(KeyCode.a, "asdfghjkl••", "ASDFGHJKL••"),
                Self(KeyCode.backslash, "#", "'"),
                Self(KeyCode.z, "yxcvbnm,.-", "YXCVBNM•:_"), space,
            ]
        case .fr:
            [
                Self(KeyCode.digit1, "••\"'(-•_••)=", "1234567890•+", altGr: "••#•[•••^@]•"),
                Self(KeyCode.q, "azertyuiop••", "AZERTYUIOP••"),
                Self(KeyCode.a, "qsdfghjklm•", "QSDFGHJKLM%"),
                Self(KeyCode.backslash, "*", ""),
                Self(KeyCode.z, "wxcvbn,•:!", "WXCVBN?./•"), space,
            ]
        }
    }
}
