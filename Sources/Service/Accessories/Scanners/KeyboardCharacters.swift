/// A key that a scanner pressed, with what was held at that time.
enum ScannedStroke: Equatable, Sendable {
    case key(UInt16, isShifted: Bool, isAltGrHeld: Bool, isCapsLockOn: Bool)
    /// A character that was typed by its number (Alt and digits of the keypad), in any layout.
    case character(UInt8)
    /// A key that gives no character, for example with Control.
    case noCharacter
}

/// The ASCII characters that the keys of a layout give.
///
/// Dead keys and characters outside ASCII are left out: no engagement has them, and a text with one is not complete.
struct KeyboardCharacters: Sendable {
    /// The character that stands for a key without an ASCII character. It is in no code.
    static let substitute: UInt8 = 0x1a

    private var plain: [UInt16: UInt8] = [:]
    private var shifted: [UInt16: UInt8] = [:]
    private var altGr: [UInt16: UInt8] = [:]

    static func of(_ layout: KeyboardLayout) -> KeyboardCharacters {
        switch layout {
        case .us: us
        case .de: de
        case .fr: fr
        }
    }

    /// Returns the character of a stroke, or `substitute` if the layout has none for it.
    func character(of stroke: ScannedStroke) -> UInt8 {
        switch stroke {
        case .character(let character): return character
        case .noCharacter: return Self.substitute
        case .key(let code, let isShifted, let isAltGrHeld, let isCapsLockOn):
            if let character = Self.keypad[code] { return character }
            if isAltGrHeld { return altGr[code] ?? Self.substitute }
            // Caps Lock acts on letters only, as it does on Linux in all three layouts.
            let isLetter = plain[code].map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } ?? false
            let keys = isShifted != (isLetter && isCapsLockOn) ? shifted : plain
            return keys[code] ?? Self.substitute
        }
    }

    /// The keypad's characters, which are those of Num Lock in every layout.
    private static let keypad: [UInt16: UInt8] = {
        var characters: [UInt16: UInt8] = [
            KeyCode.keypadAsterisk: UInt8(ascii: "*"), KeyCode.keypadMinus: UInt8(ascii: "-"),
            KeyCode.keypadPlus: UInt8(ascii: "+"), KeyCode.keypadSlash: UInt8(ascii: "/"),
        ]
        for (digit, key) in KeyCode.keypadDigits.enumerated() {
            characters[key] = UInt8(ascii: "0") + UInt8(digit)
        }
        return characters
    }()

    /// Adds the characters of keys with consecutive codes. A character outside ASCII stands for a key without a
    /// character that counts here.
    private mutating func add(from first: UInt16, _ plain: String, _ shifted: String, altGr: String = "") {
        Self.add(plain, from: first, to: &self.plain)
        Self.add(shifted, from: first, to: &self.shifted)
        Self.add(altGr, from: first, to: &self.altGr)
    }

    private static func add(_ row: String, from first: UInt16, to characters: inout [UInt16: UInt8]) {
        for (code, character) in zip(first..., row) { characters[code] = character.asciiValue }
    }

    /// US English.
    private static let us: KeyboardCharacters = {
        var keys = KeyboardCharacters()
        keys.add(from: KeyCode.digit1, "1234567890-=", "!@#$%^&*()_+")
        keys.add(from: KeyCode.q, "qwertyuiop[]", "QWERTYUIOP{}")
        keys.add(from: KeyCode.a, "asdfghjkl;'", "ASDFGHJKL:\"")
        keys.add(from: KeyCode.grave, "`", "~")
        keys.add(from: KeyCode.backslash, "\\", "|")
        keys.add(from: KeyCode.z, "zxcvbnm,./", "ZXCVBNM<>?")
        keys.add(from: KeyCode.space, " ", " ")
        return keys
    }()

    /// German (T1). The acute accent and the circumflex are dead keys.
    private static let de: KeyboardCharacters = {
        var keys = KeyboardCharacters()
        keys.add(from: KeyCode.digit1, "1234567890ß´", "!\"§$%&/()=?´", altGr: "¹²³¼½¬{[]}\\¸")
        keys.add(from: KeyCode.q, "qwertzuiopü+", "QWERTZUIOPÜ*", altGr: "@ł€¶ŧ←↓→øþ¨~")
        keys.add(from: KeyCode.a, "asdfghjklöä", "ASDFGHJKLÖÄ")
        keys.add(from: KeyCode.grave, "ˆ", "°")
        keys.add(from: KeyCode.backslash, "#", "'")
        keys.add(from: KeyCode.z, "yxcvbnm,.-", "YXCVBNM;:_")
        keys.add(from: KeyCode.space, " ", " ")
        keys.add(from: KeyCode.beside, "<", ">", altGr: "|")
        return keys
    }()

    /// French (AZERTY). Digits need Shift. The circumflex beside P is a dead key, as the tilde and the grave accent of
    /// AltGr are on some computers.
    private static let fr: KeyboardCharacters = {
        var keys = KeyboardCharacters()
        keys.add(from: KeyCode.digit1, "&é\"'(-è_çà)=", "1234567890°+", altGr: "¹ˇ#{[|¸\\ˆ@]}")
        keys.add(from: KeyCode.q, "azertyuiopˆ$", "AZERTYUIOP¨£")
        keys.add(from: KeyCode.a, "qsdfghjklmù", "QSDFGHJKLM%")
        keys.add(from: KeyCode.grave, "²", "³")
        keys.add(from: KeyCode.backslash, "*", "µ")
        keys.add(from: KeyCode.z, "wxcvbn,;:!", "WXCVBN?./§")
        keys.add(from: KeyCode.space, " ", " ")
        keys.add(from: KeyCode.beside, "<", ">")
        return keys
    }()
}
