import Accessories

/// A scanner that types into the machine. It has rules of its own for where the characters are on each keyboard, and
/// uses no table of the product.
struct TypedKeys {
    static let enter: UInt16 = 28
    static let leftShift: UInt16 = 42
    static let rightShift: UInt16 = 54
    static let leftAlt: UInt16 = 56
    static let capsLock: UInt16 = 58

    var machine: KeyboardText
    /// The time of the next event.
    var now = Duration.seconds(1)
    /// The answers of the machine.
    var codes: [ScannedCode] = []
    /// The time between two events.
    var interval = Duration.milliseconds(2)
    /// The number of events so far.
    var count = 0
    /// The number of events before which events are dropped.
    var placeOfDrop: Int?

    init(layout: KeyboardLayout? = nil) {
        machine = KeyboardText(layout: layout)
    }

    mutating func event(_ code: UInt16, _ value: Int32, type: UInt16 = 1) {
        if placeOfDrop == count {
            placeOfDrop = nil
            dropEvents()
        }
        count += 1
        if let scanned = machine.receive(type: type, code: code, value: value, at: now) {
            codes.append(scanned)
        }
        // Each event is followed by the report's end, as the kernel sends it.
        if let scanned = machine.receive(type: 0, code: 0, value: 0, at: now) { codes.append(scanned) }
        now += interval
    }

    /// Presses and releases a key while other keys are held down.
    mutating func press(_ key: UInt16, holding held: UInt16?...) {
        for key in held.compactMap({ $0 }) { event(key, 1) }
        event(key, 1)
        event(key, 0)
        for key in held.compactMap({ $0 }).reversed() { event(key, 0) }
    }

    /// The event after which events are missing.
    mutating func dropEvents() { event(3, 0, type: 0) }

    mutating func wait(_ time: Duration) {
        now += time
        if let scanned = machine.expire(at: now) { codes.append(scanned) }
    }

    /// Types a text of letters, digits and the signs of an engagement.
    mutating func type(_ text: String, on layout: KeyboardLayout, shift: UInt16 = leftShift) {
        for character in text {
            guard let place = Self.place(of: character, on: layout) else {
                preconditionFailure("no such key")
            }
            press(place.key, holding: place.isShifted ? shift : nil)
        }
    }

    /// Types a text and Enter.
    mutating func scan(_ text: String, on layout: KeyboardLayout) {
        type(text, on: layout)
        press(Self.enter)
    }

    /// Types a character by its number: Alt is held down while the digits of the keypad are pressed.
    mutating func typeNumber(_ number: Int) {
        let digits: [UInt16] = [82, 79, 80, 81, 75, 76, 77, 71, 72, 73]
        event(Self.leftAlt, 1)
        for digit in String(number).compactMap(\.wholeNumberValue) { press(digits[digit]) }
        event(Self.leftAlt, 0)
    }

    /// The letters of a US keyboard by row, with the code of the first key of each row.
    private static let rows: [(first: UInt16, letters: String)] = [
        (16, "qwertyuiop"), (30, "asdfghjkl"), (44, "zxcvbnm"),
    ]

    private static func place(
        of character: Character, on layout: KeyboardLayout
    ) -> (key: UInt16, isShifted: Bool)? {
        if let digit = character.wholeNumberValue {
            return (digit == 0 ? 11 : UInt16(digit) + 1, layout == .fr)
        }
        if let key = letterKey(character.lowercased(), on: layout) { return (key, character.isUppercase) }
        return signs[layout]?[character]
    }

    private static func letterKey(_ letter: String, on layout: KeyboardLayout) -> UInt16? {
        let exchanged: [String: String] =
            switch layout {
            case .us: [:]
            case .de: ["y": "z", "z": "y"]
            case .fr: ["a": "q", "q": "a", "z": "w", "w": "z"]
            }
        if layout == .fr, letter == "m" { return 39 }
        let letter = exchanged[letter] ?? letter
        for row in rows {
            for (offset, other) in row.letters.enumerated() where String(other) == letter {
                return row.first + UInt16(offset)
            }
        }
        return nil
    }

    private static let signs: [KeyboardLayout: [Character: (key: UInt16, isShifted: Bool)]] = [
        .us: [
            "-": (12, false), "_": (12, true), ":": (39, true), "/": (53, false), "=": (13, false),
            ".": (52, false),
            "]": (27, false),
        ],
        .de: [
            "-": (53, false), "_": (53, true), ":": (52, true), "/": (8, true), "=": (11, true),
            ".": (52, false),
        ],
        .fr: [
            "-": (7, false), "_": (9, false), ":": (52, false), "/": (52, true), "=": (13, false),
            ".": (51, true),
        ],
    ]
}
