/// The types and codes of the input events that a keyboard scanner sends (`linux/input-event-codes.h`).
enum ScannerKey {
    /// The type of an event that separates or interrupts the events of keys.
    static let synchronization: UInt16 = 0x00
    /// The type of an event of a key.
    static let key: UInt16 = 0x01
    /// The type of an event of a lamp.
    static let lamp: UInt16 = 0x11
    /// The synchronization event after which events are missing.
    static let dropped: UInt16 = 3
    /// The lamp of Caps Lock.
    static let capsLockLamp: UInt16 = 1

    static let one: UInt16 = 2
    static let tab: UInt16 = 15
    static let q: UInt16 = 16
    static let enter: UInt16 = 28
    static let leftControl: UInt16 = 29
    static let a: UInt16 = 30
    static let grave: UInt16 = 41
    static let leftShift: UInt16 = 42
    static let backslash: UInt16 = 43
    static let z: UInt16 = 44
    static let rightShift: UInt16 = 54
    static let keypadAsterisk: UInt16 = 55
    static let leftAlt: UInt16 = 56
    static let space: UInt16 = 57
    static let capsLock: UInt16 = 58
    static let numLock: UInt16 = 69
    static let scrollLock: UInt16 = 70
    static let keypadMinus: UInt16 = 74
    static let keypadPlus: UInt16 = 78
    /// The key beside the left Shift key of European keyboards.
    static let beside: UInt16 = 86
    static let keypadEnter: UInt16 = 96
    static let rightControl: UInt16 = 97
    static let keypadSlash: UInt16 = 98
    static let rightAlt: UInt16 = 100
    static let leftMeta: UInt16 = 125
    static let rightMeta: UInt16 = 126

    /// The keys of the keypad's digits, from 0 to 9.
    static let keypadDigits: [UInt16] = [82, 79, 80, 81, 75, 76, 77, 71, 72, 73]

    /// Returns the digit of a key of the keypad, or `nil` for any other key.
    static func keypadDigit(_ code: UInt16) -> Int? { keypadDigits.firstIndex(of: code) }
}

/// The keys that change other keys, as far as they are held down.
struct HeldKeys: OptionSet, Sendable {
    let rawValue: UInt8

    static let leftShift = HeldKeys(rawValue: 1 << 0)
    static let rightShift = HeldKeys(rawValue: 1 << 1)
    static let leftAlt = HeldKeys(rawValue: 1 << 2)
    /// The right Alt key, which is AltGr on German and French keyboards.
    static let rightAlt = HeldKeys(rawValue: 1 << 3)
    static let leftControl = HeldKeys(rawValue: 1 << 4)
    static let rightControl = HeldKeys(rawValue: 1 << 5)
    static let leftMeta = HeldKeys(rawValue: 1 << 6)
    static let rightMeta = HeldKeys(rawValue: 1 << 7)

    static let shift: HeldKeys = [.leftShift, .rightShift]
    /// The keys with which a key gives a command and not a character.
    static let command: HeldKeys = [.leftAlt, .leftControl, .rightControl, .leftMeta, .rightMeta]

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The set of one key. `nil` if the key changes no other keys.
    init?(key code: UInt16) {
        switch code {
        case ScannerKey.leftShift: self = .leftShift
        case ScannerKey.rightShift: self = .rightShift
        case ScannerKey.leftAlt: self = .leftAlt
        case ScannerKey.rightAlt: self = .rightAlt
        case ScannerKey.leftControl: self = .leftControl
        case ScannerKey.rightControl: self = .rightControl
        case ScannerKey.leftMeta: self = .leftMeta
        case ScannerKey.rightMeta: self = .rightMeta
        default: return nil
        }
    }
}
