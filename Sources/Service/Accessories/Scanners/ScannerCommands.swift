/// The commands that switch a serial scanner on and off, and the scanner's answers to them.
///
/// All commands are temporary: none changes a setting that outlives the scanner's power. An unknown answer is not an
/// error. The commands have an effect only if the scanner is set to a serial trigger. No command was tried with a
/// scanner of its maker yet; each comment says where its bytes were found.
package struct ScannerCommands: Equatable, Sendable {
    private let maker: ScannerMaker
    /// The bytes that begin a reading. The scanner reads until it has a code, is switched off, or its time is over.
    package let on: [UInt8]
    /// The bytes that end a reading.
    package let off: [UInt8]

    package init(_ maker: ScannerMaker) {
        self.maker = maker
        switch maker {
        case .honeywell:
            // SYN T CR and SYN U CR. In manuals of Honeywell and of NCR, which sells Honeywell's scanners.
            (on, off) = ([0x16, 0x54, 0x0d], [0x16, 0x55, 0x0d])
        case .datalogic:
            // T and X. In the manual of the PowerScan series (host commands of RS-232 and USB-COM).
            (on, off) = ([0x54], [0x58])
        case .newland:
            // The frame is in the manual of the NLS-HR52. The words SCNTRG1 and SCNTRG0 are in several programs that
            // drive Newland's scan engines, and were not found in a manual.
            (on, off) = (Self.newland("SCNTRG1"), Self.newland("SCNTRG0"))
        case .zebra:
            // START_SESSION and STOP_SESSION of the Simple Serial Interface, in several programs that drive SSI
            // engines. The scanner must be set to SSI, and must send codes as plain text ("unpacketed").
            (on, off) = (Self.zebra(0xe4), Self.zebra(0xe5))
        case .opticon:
            // ESC Z CR and ESC Y CR. In the manual of the NLV-4001, which asks for a pause between the characters.
            (on, off) = ([0x1b, 0x5a, 0x0d], [0x1b, 0x59, 0x0d])
        }
    }

    /// The beginning of Newland's commands and answers: SOH and four digits.
    private static let newlandHead: [UInt8] = [0x01] + "0000".utf8

    /// Returns a temporary command (`#`) in Newland's frame.
    private static func newland(_ word: String) -> [UInt8] {
        [UInt8(ascii: "~")] + newlandHead + "#\(word);".utf8 + [0x03]
    }

    /// Returns an SSI packet without data: its length, the opcode, the source (4 is the host), the status, and the
    /// two's complement of the sum of these bytes.
    private static func zebra(_ opcode: UInt8) -> [UInt8] {
        let packet: [UInt8] = [0x04, opcode, 0x04, 0x00]
        let sum = 0 &- packet.reduce(UInt16(0)) { $0 &+ UInt16($1) }
        return packet + [UInt8(truncatingIfNeeded: sum >> 8), UInt8(truncatingIfNeeded: sum)]
    }

    /// Returns a text of the scanner without the scanner's answers to commands at its beginning.
    ///
    /// Without this, an answer would count as a foreign code, and the customer would be told so.
    func removingAnswers(from text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        switch maker {
        case .newland: text.starts(with: Self.newlandHead) ? [] : text
        case .zebra: Self.removingPackets(from: text)
        case .honeywell, .datalogic, .opticon: text
        }
    }

    /// Removes acknowledgements (D0) and refusals (D1) of the Simple Serial Interface. A code may follow directly.
    private static func removingPackets(from text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text
        while let length = rest.first, (4...5).contains(length), let opcode = rest.dropFirst().first,
            opcode == 0xd0 || opcode == 0xd1
        {
            // The length does not include the two bytes of the sum.
            rest = rest.dropFirst(Int(length) + 2)
        }
        return rest
    }
}
