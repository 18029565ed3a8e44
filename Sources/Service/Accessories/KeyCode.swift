/// The number of a key in Linux's input subsystem (`linux/input-event-codes.h`), for keys that scanners press and for
/// keys that are typed. The number belongs to the place on the keyboard: `q` is the key that types `q` on a US keyboard
/// and `a` on a French one.
package enum KeyCode {
    package static let digit1: UInt16 = 2
    package static let tab: UInt16 = 15
    package static let q: UInt16 = 16
    package static let enter: UInt16 = 28
    package static let leftControl: UInt16 = 29
    package static let a: UInt16 = 30
    /// The key left of the digit 1.
    package static let grave: UInt16 = 41
    package static let leftShift: UInt16 = 42
    /// The key left of Enter on keyboards of 105 keys.
    package static let backslash: UInt16 = 43
    package static let z: UInt16 = 44
    package static let rightShift: UInt16 = 54
    package static let keypadAsterisk: UInt16 = 55
    package static let leftAlt: UInt16 = 56
    package static let space: UInt16 = 57
    package static let capsLock: UInt16 = 58
    package static let numLock: UInt16 = 69
    package static let scrollLock: UInt16 = 70
    package static let keypadMinus: UInt16 = 74
    package static let keypadPlus: UInt16 = 78
    /// The key beside the left Shift key of European keyboards.
    package static let beside: UInt16 = 86
    package static let keypadEnter: UInt16 = 96
    package static let rightControl: UInt16 = 97
    package static let keypadSlash: UInt16 = 98
    /// AltGr.
    package static let rightAlt: UInt16 = 100
    package static let leftMeta: UInt16 = 125
    package static let rightMeta: UInt16 = 126

    /// The keys of the keypad's digits, from 0 to 9.
    package static let keypadDigits: [UInt16] = [82, 79, 80, 81, 75, 76, 77, 71, 72, 73]

    /// Returns the digit of a key of the keypad, or `nil` for any other key.
    package static func keypadDigit(_ code: UInt16) -> Int? { keypadDigits.firstIndex(of: code) }

    /// Returns the function key of a number from 1 to 24, or `nil` for another number.
    package static func function(_ number: Int) -> UInt16? {
        // The numbers of the function keys are in three groups, as keyboards got more of them.
        switch number {
        case 1...10: 59 + UInt16(number - 1)
        case 11...12: 87 + UInt16(number - 11)
        case 13...24: 183 + UInt16(number - 13)
        default: nil
        }
    }
}
