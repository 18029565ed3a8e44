/// The kernel's answer to the management command Read Controller Information.
struct ControllerInformation: Equatable, Sendable {
    /// The version of the HCI; 6 is Bluetooth 4.0.
    let hciVersion: UInt8
    /// The maker's number in the Bluetooth SIG's list of companies.
    let manufacturer: UInt16
    /// The kinds of Bluetooth that are in use now. The controller may support more kinds.
    let mode: AdapterMode?

    /// Parses the event with the kernel's answer; `nil` for any other event.
    init?(event: [UInt8]) {
        // The event is: 0001 (command complete), index, length, command 0004, status 0, then the answer.
        guard event.count >= 26, event[0...1] == [0x01, 0x00], event[6...8] == [0x04, 0x00, 0x00] else {
            return nil
        }
        // The slice keeps the indices of the event: the address of the adapter is at 9, the version at 15.
        let answer = event[9...]
        hciVersion = answer[15]
        manufacturer = UInt16(answer[16]) | UInt16(answer[17]) << 8
        let settings = answer[22...25].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        // In the current settings, bit 7 is BR/EDR and bit 9 is Low Energy.
        mode =
            switch (settings & 1 << 7 != 0, settings & 1 << 9 != 0) {
            case (true, true): .dual
            case (false, true): .lowEnergy
            case (true, false): .classic
            case (false, false): nil
            }
    }
}

/// The kinds of Bluetooth that an adapter is used for: Low Energy, classic Bluetooth, or both.
package enum AdapterMode: String, Sendable {
    case lowEnergy, dual, classic
}
