/// The types of the input events that a keyboard sends (`linux/input-event-codes.h`), and the codes of events that are
/// about no key. `KeyCode` has the keys.
enum KeyboardEvent {
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
        case KeyCode.leftShift: self = .leftShift
        case KeyCode.rightShift: self = .rightShift
        case KeyCode.leftAlt: self = .leftAlt
        case KeyCode.rightAlt: self = .rightAlt
        case KeyCode.leftControl: self = .leftControl
        case KeyCode.rightControl: self = .rightControl
        case KeyCode.leftMeta: self = .leftMeta
        case KeyCode.rightMeta: self = .rightMeta
        default: return nil
        }
    }
}
