/// The number of a key in Linux's input subsystem (`linux/input-event-codes.h`). The number belongs to the
/// place on the keyboard: `q` is the key that types `q` on a US keyboard and `a` on a French one.
package enum KeyCode {
    package static let digit1: UInt16 = 2
    package static let tab: UInt16 = 15
    package static let q: UInt16 = 16
    package static let enter: UInt16 = 28
    package static let a: UInt16 = 30
    /// The key left of the digit 1.
    package static let grave: UInt16 = 41
    package static let leftShift: UInt16 = 42
    /// The key left of Enter on keyboards of 105 keys.
    package static let backslash: UInt16 = 43
    package static let z: UInt16 = 44
    package static let space: UInt16 = 57
    /// AltGr.
    package static let rightAlt: UInt16 = 100

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
