package import Transport

/// The commands that one model of reader carries out itself, without the phone.
///
/// The commands are sent only if an installation requests them, and they arrive only if the driver passes
/// such commands on (Q126). The bytes are from the makers' manuals. The commands have not been tested with a
/// real reader or iPhone yet.
package struct ReaderCommands: Sendable {
    /// The commands that send one of Apple's polling frames (ECP), which wakes a wallet that is not open
    /// (Q213).
    package let pollingFrame: [[UInt8]]
    /// The command that turns off the reader's own tone for a card. The tone would sound before the
    /// engagement is complete (Q8).
    package let quieting: Quieting?

    /// A way to turn off the reader's own tone.
    package enum Quieting: Sendable {
        /// A command that turns the tone off until the reader is unplugged.
        case command([UInt8])
        /// A setting that the reader stores. The byte with the settings is read. If any of the bits `bits` is
        /// set in it, the byte is written back with these bits cleared.
        case storedSetting(read: [UInt8], write: [UInt8], bits: UInt8)
    }

    /// Apple's polling frame for identity readers, without its checksum.
    private static let frame: [UInt8] = [0x6a, 0x02, 0x81, 0x03, 0x00, 0x00]

    /// The three commands of a transparent session (PC/SC part 3, 3.2.2): begin the session and switch the
    /// field on, send the frame, end the session. The reader adds the checksum and expects no answer.
    private static let transparent: [[UInt8]] = [
        [0xff, 0xc2, 0x00, 0x00, 0x04, 0x81, 0x00, 0x84, 0x00],
        [0xff, 0xc2, 0x00, 0x01, 0x0c, 0x90, 0x02, 0x00, 0x00, 0x93, UInt8(frame.count)] + frame,
        [0xff, 0xc2, 0x00, 0x00, 0x02, 0x82, 0x00],
    ]

    /// The two commands to the PN532 chip of an ACR122U. The first command switches the checksums off in both
    /// directions, and makes the chip send whole bytes. The second command sends the frame with its checksum.
    private static let chip: [[UInt8]] = [
        [
            0xff, 0x00, 0x00, 0x00, 0x0b, 0xd4, 0x08, 0x63, 0x02, 0x00, 0x63, 0x03, 0x00, 0x63, 0x3d, 0x00,
        ],
        [0xff, 0x00, 0x00, 0x00, 0x0a, 0xd4, 0x42] + frame + [0x35, 0x51],
    ]

    /// The setting for the tone of the ACR1252.
    private static let toneBit = Quieting.storedSetting(
        read: [0xe0, 0x00, 0x00, 0x21, 0x00], write: [0xe0, 0x00, 0x00, 0x21, 0x01], bits: 0x08)

    /// Returns the commands of a model; `nil` if the model has no such commands, or if its answers to them
    /// are not known.
    package static func of(_ reader: USBIdentity) -> ReaderCommands? {
        switch (reader.vendor, reader.product) {
        // ACR122U.
        case (0x072f, 0x2200):
            ReaderCommands(pollingFrame: chip, quieting: .command([0xff, 0x00, 0x52, 0x00, 0x00]))
        // ACR1252.
        case (0x072f, 0x223b), (0x072f, 0x223e):
            ReaderCommands(pollingFrame: transparent, quieting: toneBit)
        // ACR1552.
        case (0x072f, 0x2303), (0x072f, 0x2308):
            ReaderCommands(pollingFrame: transparent, quieting: nil)
        default: nil
        }
    }
}
