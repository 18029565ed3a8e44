/// A command to one contact of a relay board.
package enum RelayCommand: Equatable, Sendable, CaseIterable {
    /// Closes the contact.
    case on
    /// Opens the contact.
    case off
    /// Asks whether the contact is closed.
    case read
    /// Asks the same of a KMTronic board with one or two contacts, which does not know `read`. Other boards
    /// have no such request.
    case readSingle
}

/// A request to a relay board: its bytes and the way in which they are sent.
package struct RelayRequest: Equatable, Sendable {
    package enum Transport: Equatable, Sendable {
        /// Bytes on a serial line or a TCP connection. `replyLength` is the number of bytes of the board's
        /// reply, or `nil` if the board does not reply.
        case stream(replyLength: Int?)
        /// An output report of a HID device. The first byte is the report's number, as hidraw's `write`
        /// expects it.
        case hidReport
        /// A feature report of a HID device, with `length` bytes of room for the reply. The only byte of the
        /// request is the report's number.
        case hidFeature(length: Int)
    }

    /// The form of a reply that refuses the request: shorter than other replies, and marked by the top bit of
    /// a byte.
    struct Refusal: Equatable, Sendable {
        /// The place of the marked byte.
        let index: Int
        /// The number of bytes of the reply.
        let length: Int
    }

    package let bytes: [UInt8]
    package let transport: Transport
    private let refusal: Refusal?

    init(_ bytes: [UInt8], _ transport: Transport, refusal: Refusal? = nil) {
        self.bytes = bytes
        self.transport = transport
        self.refusal = refusal
    }

    /// Returns whether a stream's reply is complete, so that the driver can stop reading.
    ///
    /// - Parameter reply: the bytes received since the request was sent.
    package func isComplete(_ reply: [UInt8]) -> Bool {
        guard case .stream(let replyLength?) = transport else { return true }
        if let refusal, refusal.index < reply.count, reply[refusal.index] & 0x80 != 0 {
            return reply.count >= refusal.length
        }
        return reply.count >= replyLength
    }
}

/// The answer of a relay board to a request.
package enum RelayAnswer: Equatable, Sendable {
    /// The board confirmed the command, or has no confirmation and received it.
    case accepted
    /// The state of the contact that was asked for.
    case state(isOn: Bool)
}

extension RelayBoard {
    /// Whether the board is commanded with bytes. False for a GPIO line, which the kernel sets and reads:
    /// `request` is `nil` for it.
    package var hasProtocol: Bool { if case .gpio = self { false } else { true } }

    /// Whether the state of a contact can be read back.
    package var canReadBack: Bool {
        switch self {
        case .gpio, .kmtronic, .usbRelay, .modbusRTU, .modbusTCP: true
        case .lcus, .hidRelay: false
        }
    }

    /// The speed of the serial line in bits per second, with 8 data bits, no parity and 1 stop bit; `nil` for
    /// a board at another kind of line.
    package var speed: Int? {
        switch self {
        case .lcus, .kmtronic: 9600
        case .modbusRTU(_, let speed, _, _): speed
        case .gpio, .usbRelay, .hidRelay, .modbusTCP: nil
        }
    }

    /// Returns the request for a command, or `nil` if the board has no such command.
    ///
    /// - Parameters:
    ///   - channel: the number of the contact, from 1. A Modbus board names its coil itself.
    ///   - transaction: a number that differs from the number of the request before. Used by Modbus TCP only.
    package func request(_ command: RelayCommand, channel: Int, transaction: UInt16) -> RelayRequest? {
        guard let contact = contact(channel) else { return nil }
        return switch self {
        case .gpio: nil
        case .lcus: LCUSProtocol.request(command, channel: contact)
        case .kmtronic: KMTronicProtocol.request(command, channel: contact)
        case .usbRelay: USBRelayProtocol.request(command, channel: contact)
        case .hidRelay: HIDRelayProtocol.request(command, channel: contact)
        case .modbusRTU(_, _, let unit, let coil): ModbusRTU(unit: unit, coil: coil).request(command)
        case .modbusTCP(_, _, let unit, let coil):
            ModbusTCP(unit: unit, coil: coil, transaction: transaction).request(command)
        }
    }

    /// Reads the board's reply to a request.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that came; empty for a board that does not reply, and for an output report.
    ///   - command: the command of the request.
    ///   - channel: the number of the contact in the request.
    ///   - transaction: the number of the request.
    /// - Throws: the first fault of the reply. Then the contact's state is not known.
    package func reply(
        _ bytes: [UInt8], to command: RelayCommand, channel: Int, transaction: UInt16
    ) throws(RelayFault) -> RelayAnswer {
        guard let contact = contact(channel) else { throw .channelMissing(channel, of: Self.mostChannels) }
        switch self {
        case .gpio: throw .replyUnexpected
        case .lcus, .hidRelay:
            // These boards do not reply. What a board sends nevertheless says nothing about the contact.
            guard command == .on || command == .off else { throw .replyUnexpected }
            return .accepted
        case .kmtronic: return try KMTronicProtocol.reply(bytes, to: command, channel: contact)
        case .usbRelay(let serial):
            return try USBRelayProtocol.reply(bytes, to: command, channel: contact, serial: serial)
        case .modbusRTU(_, _, let unit, let coil):
            return try ModbusRTU(unit: unit, coil: coil).reply(bytes, to: command)
        case .modbusTCP(_, _, let unit, let coil):
            return try ModbusTCP(unit: unit, coil: coil, transaction: transaction).reply(bytes, to: command)
        }
    }

    /// The maximum number of contacts on a board.
    package static let mostChannels = 8

    private func contact(_ channel: Int) -> UInt8? {
        (1...Self.mostChannels).contains(channel) ? UInt8(channel) : nil
    }
}
