/// A command of the panel, parsed from its code and its decrypted data.
enum OSDPCommand: Equatable, Sendable {
    /// POLL: the panel asks for an event.
    case poll
    /// ID: the panel asks for the identification.
    case identify
    /// CAP: the panel asks for the capabilities.
    case capabilities
    /// LSTAT: the panel asks for tamper and power.
    case localStatus
    /// ISTAT: the panel asks for the state of the inputs.
    case inputStatus
    /// OSTAT: the panel asks for the state of the outputs.
    case outputStatus
    /// RSTAT: the panel asks for the state of the reader.
    case readerStatus
    /// LED: the panel sets the light, to a colour that is not reported if `nil`.
    case light(OSDPLight?)
    /// OUT, BUZ or TEXT. The peripheral has no such part, and acknowledges the command.
    case withoutEffect
    /// CHLNG or SCRYPT without the security block that each requires.
    case handshakeWithoutBlock
    /// A command that the peripheral does not have, among them COMSET and KEYSET.
    case unsupported

    /// The codes of the commands.
    enum Code: UInt8 {
        case poll = 0x60, identify, capabilities
        case localStatus = 0x64, inputStatus, outputStatus, readerStatus
        case output, light, buzzer, text
        case challenge = 0x76, serverCryptogram
    }

    /// Parses a command. Throws `lengthWrong` if its data does not have the size that the code requires.
    init(code: UInt8, data: ArraySlice<UInt8>) throws(OSDPRefusal) {
        let hasFittingSize: Bool
        switch Code(rawValue: code) {
        case .poll: (self, hasFittingSize) = (.poll, data.isEmpty)
        // The kind of report that is asked. Some panels leave it out.
        case .identify: (self, hasFittingSize) = (.identify, data.count <= 1)
        case .capabilities: (self, hasFittingSize) = (.capabilities, data.count <= 1)
        case .localStatus: (self, hasFittingSize) = (.localStatus, data.isEmpty)
        case .inputStatus: (self, hasFittingSize) = (.inputStatus, data.isEmpty)
        case .outputStatus: (self, hasFittingSize) = (.outputStatus, data.isEmpty)
        case .readerStatus: (self, hasFittingSize) = (.readerStatus, data.isEmpty)
        case .output: (self, hasFittingSize) = (.withoutEffect, Self.isList(data, of: 4))
        case .light:
            (self, hasFittingSize) = (
                .light(OSDPLight(records: data)), Self.isList(data, of: OSDPLight.recordSize)
            )
        case .buzzer: (self, hasFittingSize) = (.withoutEffect, Self.isList(data, of: 5))
        case .text:
            // Six bytes before the text; the last of them is the length of the text.
            let length = data.count >= 6 ? Int(data[data.startIndex + 5]) : .max
            (self, hasFittingSize) = (.withoutEffect, length == data.count - 6)
        case .challenge, .serverCryptogram: (self, hasFittingSize) = (.handshakeWithoutBlock, true)
        case nil: (self, hasFittingSize) = (.unsupported, true)
        }
        guard hasFittingSize else { throw .lengthWrong }
    }

    private static func isList(_ data: ArraySlice<UInt8>, of size: Int) -> Bool {
        !data.isEmpty && data.count.isMultiple(of: size)
    }
}

/// The reason of a negative acknowledgement (NAK). The raw values are those of the standard.
enum OSDPRefusal: UInt8, Error, Sendable {
    case lengthWrong = 2
    case commandUnknown = 3
    case sequenceUnexpected = 4
    /// The peripheral does not support this security block: it has no key, or the panel asks for another key.
    case securityBlockUnsupported = 5
    /// The command requires the secure channel.
    case encryptionRequired = 6
}

/// The colour of the reader's light. Many panels show with it whether they have granted access; others show with
/// it whether the door is locked.
package enum OSDPLight: Equatable, Sendable {
    case green, red

    /// The size of one record of the command LED in bytes.
    static let recordSize = 14

    /// Returns the colour that the records set for the first light of the first reader, or `nil` if they set none or
    /// another colour.
    init?(records: ArraySlice<UInt8>) {
        var light: OSDPLight?
        var rest = records
        while rest.count >= Self.recordSize {
            let record = [UInt8](rest.prefix(Self.recordSize))
            rest = rest.dropFirst(Self.recordSize)
            guard record[0] == 0, record[1] == 0 else { continue }
            if record[2] == 2 {
                // A temporary state covers the permanent state that the same record may set.
                light = Self.colour(record[3...6])
            } else if record[9] == 1 {
                light = Self.colour(record[10...13])
            }
        }
        guard let light else { return nil }
        self = light
    }

    /// Returns the colour of a state: time on, time off, colour while on, colour while off.
    private static func colour(_ state: ArraySlice<UInt8>) -> OSDPLight? {
        let shown = state.first == 0 ? state.last : state.dropLast().last
        return switch shown {
        case 1: .red
        case 2: .green
        default: nil
        }
    }
}
