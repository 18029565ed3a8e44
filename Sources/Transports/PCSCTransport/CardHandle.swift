internal import CPCSCLite

/// A connection to a card or, in direct mode, to a reader. Its release powers the card off, unless
/// `disconnect` was called with another disposition.
struct CardHandle: ~Copyable, Sendable {
    private let raw: SCARDHANDLE
    private var activeProtocol: DWORD

    init(raw: SCARDHANDLE, activeProtocol: DWORD) {
        self.raw = raw
        self.activeProtocol = activeProtocol
    }

    // Some readers notice only after a power-off whether the card has left or stays (Q131).
    deinit {
        SCardDisconnect(raw, DWORD(SCARD_UNPOWER_CARD))
    }

    /// Ends the connection with a disposition of PC/SC (`SCARD_…_CARD`).
    consuming func disconnect(_ disposition: Int32) {
        SCardDisconnect(raw, DWORD(disposition))
        discard self
    }

    /// Sends one command and writes the answer into `buffer`.
    ///
    /// - Returns: the number of bytes of the answer, at least 2.
    borrowing func transmit(
        _ command: ArraySlice<UInt8>, into buffer: inout [UInt8]
    ) throws(PCSCTransportError) -> Int {
        var request = activeProtocol == DWORD(SCARD_PROTOCOL_T1) ? g_rgSCardT1Pci : g_rgSCardT0Pci
        var length = DWORD(buffer.count)
        let status = unsafe command.withUnsafeBufferPointer { command in
            unsafe SCardTransmit(
                raw, &request, command.baseAddress, DWORD(command.count), nil, &buffer, &length)
        }
        try PCSCTransportError.check(status, .transmit)
        // If the card leaves during the command, PC/SC may report success and no bytes (Q132).
        guard length >= 2 else { throw .cardLost }
        return Int(length)
    }

    /// Reconnects with a disposition such as `SCARD_RESET_CARD`. The card may use another protocol
    /// afterwards.
    mutating func reset(_ disposition: Int32) throws(PCSCTransportError) {
        let status = unsafe SCardReconnect(
            raw, DWORD(SCARD_SHARE_EXCLUSIVE), DWORD(SCARD_PROTOCOL_T1 | SCARD_PROTOCOL_T0),
            DWORD(disposition), &activeProtocol)
        try PCSCTransportError.check(status, .reconnect)
    }

    /// Sends a control code to the reader's driver and returns its answer; `nil` if the driver refuses the
    /// code.
    borrowing func control(_ code: UInt32, _ input: [UInt8] = []) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: 1024)
        var length: DWORD = 0
        let status = unsafe SCardControl(
            raw, DWORD(code), input, DWORD(input.count), &output, DWORD(output.count), &length)
        return status == SCARD_S_SUCCESS ? Array(output.prefix(Int(length))) : nil
    }

    /// Returns an attribute of the reader or card; `nil` if the driver does not have it.
    borrowing func attribute(_ identifier: DWORD) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: 256)
        var length = DWORD(output.count)
        let status = unsafe SCardGetAttrib(raw, identifier, &output, &length)
        return status == SCARD_S_SUCCESS ? Array(output.prefix(Int(length))) : nil
    }
}

extension CardHandle {
    // PC/SC Lite's control codes begin at 0x42000000 (`SCARD_CTL_CODE`, a macro that Swift does not import).
    /// The control code with which libccid passes a command to the reader itself.
    private static let escapeRequest: UInt32 = 0x4200_0000 + 1
    /// The control code that lists the driver's features (PC/SC part 10, `CM_IOCTL_GET_FEATURE_REQUEST`).
    private static let getFeatureRequest: UInt32 = 0x4200_0000 + 3400
    /// The control code with which some drivers report the reader's USB path.
    private static let getUSBPath: UInt32 = 0x4200_0000 + 3601
    /// The tag of the feature that reads the driver's properties.
    private static let getTLVProperties: UInt8 = 0x12
    /// The tag of the feature that passes commands to the reader (Q126).
    private static let escapeCommand: UInt8 = 0x13
    /// `SCARD_ATTR_CHANNEL_ID`, a macro that Swift does not import.
    private static let channelIdentifier: DWORD = 2 << 16 | 0x0110

    /// Reads the reader's properties from its driver. A property that the driver does not report stays `nil`.
    borrowing func readerProperties() -> ReaderProperties {
        var properties = ReaderProperties()
        let features = control(Self.getFeatureRequest) ?? []
        // The value of a feature is the control code that uses the feature.
        let wanted = TagLengthValues(features).first { $0.tag == Self.getTLVProperties }
        if let code = wanted?.value.bigEndian(UInt32.self), let list = control(code) {
            properties = ReaderProperties(parsing: list)
        }
        properties.location = usbLocation()
        properties.allowsEscape = TagLengthValues(features).contains { $0.tag == Self.escapeCommand }
        return properties
    }

    /// Sends commands to the reader itself. Returns the answers up to the first command that the driver
    /// refuses.
    borrowing func escape(_ commands: [[UInt8]]) -> [[UInt8]] {
        var answers: [[UInt8]] = []
        for command in commands {
            guard let answer = control(Self.escapeRequest, command) else { break }
            answers.append(answer)
        }
        return answers
    }

    /// Returns the place on the USB bus, as a path if the driver reports one, otherwise as bus and address.
    private borrowing func usbLocation() -> USBLocation? {
        if let path = control(Self.getUSBPath), !path.isEmpty {
            return .path(String(decoding: path.prefix { $0 != 0 }, as: UTF8.self))
        }
        return attribute(Self.channelIdentifier).flatMap { USBLocation(channelIdentifier: $0) }
    }
}

/// The treatment of the card when a connection ends.
package enum CardDisposition: Sendable {
    /// The card is powered off, and the reader searches for a card again.
    case unpower
    /// The card is reset and stays powered.
    case reset
    /// The card stays powered and selected.
    case leave

    var code: Int32 {
        switch self {
        case .unpower: SCARD_UNPOWER_CARD
        case .reset: SCARD_RESET_CARD
        case .leave: SCARD_LEAVE_CARD
        }
    }
}
