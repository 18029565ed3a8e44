/// The protocol of "USBRelay" boards (16c0:05df): an output report of 8 bytes with FF (on) or FD (off) and
/// the contact, and a feature report with the board's five characters and the state of all contacts.
enum USBRelayProtocol {
    static func request(_ command: RelayCommand, channel: UInt8) -> RelayRequest? {
        switch command {
        case .on: report(0xff, channel)
        case .off: report(0xfd, channel)
        case .read: RelayRequest([1], .hidFeature(length: 9))
        case .readSingle: nil
        }
    }

    /// An output report. Its number 0 stands in front, because the board has no numbered reports.
    private static func report(_ command: UInt8, _ channel: UInt8) -> RelayRequest {
        RelayRequest([0, command, channel, 0, 0, 0, 0, 0, 0], .hidReport)
    }

    static func reply(
        _ bytes: [UInt8], to command: RelayCommand, channel: UInt8, serial: String
    ) throws(RelayFault) -> RelayAnswer {
        switch command {
        case .on, .off: return .accepted
        case .readSingle: throw .replyUnexpected
        case .read:
            let report = try USBRelayReport(bytes)
            // All boards of this kind have the same USB numbers, and after a reconnect the path may lead to
            // another.
            guard report.serial == serial else { throw .wrongSerial }
            return .state(isOn: report.isOn(channel: Int(channel)))
        }
    }
}

/// The feature report of a "USBRelay" board: five characters that identify it, and a bit for each contact.
package struct USBRelayReport: Equatable, Sendable {
    /// The five characters that the board reports, such as `HURTM`.
    package let serial: String
    private let states: UInt8

    /// Reads the report as hidraw's `HIDIOCGFEATURE` returns it.
    ///
    /// The board ignores the number of the report. For number 1 Linux' usbhid returns the board's 8 bytes
    /// alone; for number 0, and for a board with numbered reports, the number comes first. Both forms are
    /// accepted: the characters are printable, so that a first byte 00 or 01 is the number.
    ///
    /// - Throws: `wrongLength` or `replyUnexpected` if the bytes are no such report.
    package init(_ bytes: [UInt8]) throws(RelayFault) {
        let data = bytes.first.map { $0 <= 1 } ?? false ? bytes.dropFirst() : bytes[...]
        guard data.count >= 8, bytes.count <= 9 else { throw .wrongLength(bytes.count) }
        let characters = data.prefix(5)
        guard characters.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .replyUnexpected }
        serial = String(decoding: characters, as: UTF8.self)
        states = data[data.startIndex + 7]
    }

    /// Returns whether a contact is closed. False for a number that is not from 1 to 8.
    package func isOn(channel: Int) -> Bool {
        (1...8).contains(channel) && states & (1 << UInt8(channel - 1)) != 0
    }
}
