/// The machine that finds the codes in the keys of a keyboard scanner.
///
/// A scanner types keys and means the layout to which it is set, which is not always the computer's. If the
/// configuration names no layout, the machine finds it from the keys of `mdoc:`, which differ in the three layouts that
/// are known: the colon is Shift and the key right of L on a US keyboard, Shift and the full stop on a German keyboard,
/// and a key without Shift on a French keyboard. A text that begins with `mdoc:` in no layout is a foreign code.
///
/// A burst is a row of events without a pause of 500 ms. Within a burst
/// - Enter, Enter of the keypad or Tab ends a code. A code without its end is none.
/// - a dropped event (`SYN_DROPPED`) voids everything up to the next pause. Nobody knows which keys are missing, and
///   the rest of a code must not pass as one.
/// - a code of more than 8192 keys is dropped up to the next pause.
///
/// If a burst ends by its pause and had begun with `mdoc:`, the answer is `incompleteCode`, so that the customer is told
/// to show the code again.
///
/// A driver takes the keyboard exclusively, sets the state of Caps Lock while `isIdle`, feeds each event to `receive`,
/// and calls `expire` at `deadline`. All times are monotonic times since one start, which the driver chooses.
package struct KeyboardText: Sendable, RedactedScan {
    /// The pause between two keys that ends a burst. A scanner that is polled every 10 ms needs 40 ms for a character with
    /// Shift, so the pause leaves time for a busy computer.
    package static let pause = Duration.milliseconds(500)

    /// The number of strokes in which `mdoc:` is looked for: an AIM identifier may precede it.
    private static let headLength = ScanSymbology.identifierLength + MdocScheme.length
    /// The largest number that Alt and digits of the keypad can give. No character has it.
    private static let largestAltCode = 9999

    /// The layouts that the scanner may have.
    private let layouts: [KeyboardLayout]
    /// The keys of the code so far. While `isVoid`, only its first keys.
    private var strokes: [ScannedStroke] = []
    /// Whether everything up to the next pause is dropped.
    private var isVoid = false
    private var held: HeldKeys = []
    private var isCapsLockOn = false
    /// The number that is being typed with Alt held down.
    private var altCode: Int?
    /// The time of the last event of a key, or of the last dropped event.
    private var lastEvent = Duration.zero
    private var repeats = ScanRepeats()
    /// The number of characters of the last code, or `nil` if the code was not complete.
    package private(set) var lastLength: Int?

    /// Creates the machine for a scanner.
    ///
    /// - Parameter layout: the layout to which the scanner is set, or `nil` to find it from the keys.
    package init(layout: KeyboardLayout? = nil) {
        layouts = layout.map { [$0] } ?? KeyboardLayout.allCases
    }

    /// The time at which `expire` has to be called, or `nil` while no burst has begun.
    package var deadline: Duration? { isIdle ? nil : lastEvent + Self.pause }

    /// Whether no burst has begun.
    package var isIdle: Bool { strokes.isEmpty && !isVoid && held.isEmpty }

    /// Sets the state of Caps Lock as the device reports it (`EVIOCGLED`). During a burst this has no effect: the
    /// state then follows from the burst's own events.
    package mutating func setCapsLock(_ isOn: Bool) {
        if isIdle { isCapsLockOn = isOn }
    }

    /// Receives an event of the device (`input_event`).
    ///
    /// - Parameter now: the time of the event.
    /// - Returns: a code that this event completes, or a fault of a burst that was over before this event.
    package mutating func receive(
        type: UInt16, code: UInt16, value: Int32, at now: Duration
    ) -> ScannedCode? {
        let unfinished = expire(at: now)
        switch (type, code) {
        case (KeyboardEvent.synchronization, KeyboardEvent.dropped):
            lastEvent = now
            voidBurst()
            return unfinished
        case (KeyboardEvent.lamp, KeyboardEvent.capsLockLamp):
            isCapsLockOn = value != 0
            return unfinished
        case (KeyboardEvent.key, _):
            lastEvent = now
            // After an unfinished burst the first event completes nothing, so no answer is lost here.
            return change(code, to: value) ?? unfinished
        default:
            return unfinished
        }
    }

    /// Ends a burst if `deadline` has passed.
    ///
    /// - Returns: `incompleteCode` if the burst had begun with `mdoc:`.
    package mutating func expire(at now: Duration) -> ScannedCode? {
        guard let deadline, now >= deadline else { return nil }
        let hadScheme = layouts.contains(where: beginsWithScheme)
        lastLength = nil
        strokes = []
        isVoid = false
        // After a pause a scanner holds no key. The release of a key may be among the dropped events.
        held = []
        altCode = nil
        return hadScheme ? .fault(.incompleteCode) : nil
    }

    /// Handles an event of a key. The value is 1 for a press, 0 for a release and 2 for a repetition by the kernel.
    private mutating func change(_ code: UInt16, to value: Int32) -> ScannedCode? {
        if let key = HeldKeys(key: code) {
            guard value == 0 else {
                held.insert(key)
                return nil
            }
            held.remove(key)
            return key == .leftAlt ? endAltCode() : nil
        }
        guard value == 1 else { return nil }
        switch code {
        case KeyCode.enter, KeyCode.keypadEnter, KeyCode.tab: return endCode()
        case KeyCode.capsLock: isCapsLockOn.toggle()
        case KeyCode.numLock, KeyCode.scrollLock: break
        default: press(code)
        }
        return nil
    }

    private mutating func press(_ code: UInt16) {
        if held.contains(.leftAlt), let digit = KeyCode.keypadDigit(code) {
            altCode = min((altCode ?? 0) * 10 + digit, Self.largestAltCode)
        } else if held.isDisjoint(with: .command) {
            append(
                .key(
                    code, isShifted: !held.isDisjoint(with: .shift), isAltGrHeld: held.contains(.rightAlt),
                    isCapsLockOn: isCapsLockOn))
        } else {
            append(.noCharacter)
        }
    }

    /// Ends a character that was typed by its number.
    private mutating func endAltCode() -> ScannedCode? {
        guard let number = altCode else { return nil }
        altCode = nil
        // Scanners that type every character by its number also type CR in this way.
        if number == 0x0d { return endCode() }
        let character = UInt8(exactly: number).flatMap { (0x20...0x7e).contains($0) ? $0 : nil }
        append(character.map(ScannedStroke.character) ?? .noCharacter)
        return nil
    }

    private mutating func append(_ stroke: ScannedStroke) {
        guard !isVoid else { return }
        guard strokes.count < ScannedBytes.maximumLength else { return voidBurst() }
        strokes.append(stroke)
    }

    /// Drops everything up to the next pause. The first keys are kept to tell a phone's code from others.
    private mutating func voidBurst() {
        isVoid = true
        strokes = Array(strokes.prefix(Self.headLength))
    }

    /// Ends a code by its end key.
    private mutating func endCode() -> ScannedCode? {
        guard !isVoid, !strokes.isEmpty else { return nil }
        defer { strokes = [] }
        let fitting = layouts.filter(beginsWithScheme)
        // A text that fits no layout is foreign in any. It is read in the first, so that its repetitions are found.
        let texts = (fitting.isEmpty ? Array(layouts.prefix(1)) : fitting).map {
            text(of: strokes[...], in: $0)
        }
        guard let text = texts.first, !text.isEmpty, !repeats.isRepeat(text, at: lastEvent) else {
            return nil
        }
        lastLength = text.count
        // Only a scheme that was typed by numbers fits several layouts. They must then agree on the rest.
        guard texts.allSatisfy({ $0 == text }) else { return .fault(.incompleteCode) }
        return ScannedCode(text[...], isTyped: true)
    }

    /// Returns the text of strokes in a layout, without an AIM identifier.
    private func text(of strokes: ArraySlice<ScannedStroke>, in layout: KeyboardLayout) -> [UInt8] {
        let characters = KeyboardCharacters.of(layout)
        var text = strokes.map(characters.character)[...]
        _ = ScanSymbology.removeIdentifier(from: &text)
        return Array(text)
    }

    /// Whether the strokes begin with `mdoc:` in a layout, in any case.
    private func beginsWithScheme(in layout: KeyboardLayout) -> Bool {
        MdocScheme(of: text(of: strokes.prefix(Self.headLength), in: layout)) != nil
    }
}
