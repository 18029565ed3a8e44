package import Transport

/// What a model carries out itself, by commands to the reader and not to the phone. None is sent unless an installation
/// asks for it, and none arrives unless its driver passes such commands on (Q126).
///
/// The bytes are those of the makers' manuals; no reader and no iPhone has answered them yet.
package struct ReaderCommands: Sendable {
    /// Puts one of Apple's polling frames on the air, which wakes a wallet that is not open (ECP, Q213).
    package let pollingFrame: [[UInt8]]
    /// Turns the reader's own tone for a card off, which comes before the engagement is complete (Q8).
    package let quieting: Quieting?

    package enum Quieting: Sendable {
        /// Until the reader is unplugged.
        case command([UInt8])
        /// Stays in the reader's memory: the byte of settings is read, and written if one of these bits is set.
        case storedSetting(read: [UInt8], write: [UInt8], bits: UInt8)
    }

    /// ECP's frame of the identity kind, without its checksum.
    private static let frame: [UInt8] = [0x6a, 0x02, 0x81, 0x03, 0x00, 0x00]

    /// PC/SC part 3, 3.2.2: a transparent session with the field on, the frame with the reader's checksum and without an
    /// answer, the end of the session.
    private static let transparent: [[UInt8]] = [
        [0xff, 0xc2, 0x00, 0x00, 0x04, 0x81, 0x00, 0x84, 0x00],
        [0xff, 0xc2, 0x00, 0x01, 0x0c, 0x90, 0x02, 0x00, 0x00, 0x93, UInt8(frame.count)] + frame,
        [0xff, 0xc2, 0x00, 0x00, 0x02, 0x82, 0x00],
    ]

    /// The PN532 of an ACR122U: checksums off in both directions, whole bytes; then the frame with its checksum.
    private static let chip: [[UInt8]] = [
        [
            0xff, 0x00, 0x00, 0x00, 0x0b, 0xd4, 0x08, 0x63, 0x02, 0x00, 0x63, 0x03, 0x00, 0x63, 0x3d, 0x00,
        ],
        [0xff, 0x00, 0x00, 0x00, 0x0a, 0xd4, 0x42] + frame + [0x35, 0x51],
    ]

    private static let toneBit = Quieting.storedSetting(
        read: [0xe0, 0x00, 0x00, 0x21, 0x00], write: [0xe0, 0x00, 0x00, 0x21, 0x01], bits: 0x08)

    /// What the model has; nil for one that has nothing, or whose answer to such commands is not known.
    package static func of(_ reader: USBIdentity) -> ReaderCommands? {
        switch (reader.vendor, reader.product) {
        case (0x072f, 0x2200):
            ReaderCommands(pollingFrame: chip, quieting: .command([0xff, 0x00, 0x52, 0x00, 0x00]))
        case (0x072f, 0x223b), (0x072f, 0x223e):
            ReaderCommands(pollingFrame: transparent, quieting: toneBit)
        case (0x072f, 0x2303), (0x072f, 0x2308):
            ReaderCommands(pollingFrame: transparent, quieting: nil)
        default: nil
        }
    }
}
