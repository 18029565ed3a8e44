/// The maximum lengths of commands and answers on one reader: the values that the driver reports, lowered
/// because of known faults and by the configuration.
package struct APDULimits: Equatable, Sendable {
    /// Whether APDUs with extended length fields may be used.
    package let allowsExtended: Bool
    /// The maximum number of data bytes in one command.
    package let commandData: Int
    /// The maximum number of data bytes to request in one answer (Le), without the status word.
    package let responseData: Int
    /// The maximum number of bytes of a whole command, with header and length fields, that pcscd and the
    /// driver pass on.
    package let maximumCommand: Int

    /// The size in bytes of pcscd's buffer for extended APDUs: header (4), Lc (3), data (65,536), Le (3) and
    /// status word (2).
    static let pcscdBuffer = 65_548

    /// Derives the limits from what the driver reports. `dwMaxCCIDMessageLength` is not used, since the
    /// driver divides an extended APDU into blocks itself (Q122).
    init(
        name: String, properties: ReaderProperties, quirks: Set<ReaderQuirk>, configuration: PCSCConfiguration
    ) {
        let exception = Self.exceptions.first { name.hasPrefix($0.namePrefix) }
        maximumCommand = exception?.maximumCommand ?? Self.pcscdBuffer
        // A driver reports 0x10000 if the reader can exchange extended APDUs. If a driver reports nothing,
        // only the lengths that every reader can handle are used (Q120), except for the readers in
        // `exceptions`, which are known to pass on extended APDUs.
        let saysExtended = properties.maximumAPDUData.map { $0 >= 0x10000 } ?? (exception != nil)
        allowsExtended = saysExtended && !quirks.contains(.shortAPDUOnly)
        // The header, the extended Lc and the extended Le of a command take ten bytes.
        // A short command has at most 255 bytes of data.
        commandData = allowsExtended ? min(configuration.extendedData, maximumCommand - 10) : 255
        responseData = allowsExtended ? configuration.extendedData : configuration.shortResponseData
    }

    private struct NamedReader: Sendable {
        let namePrefix: String
        let maximumCommand: Int
    }

    /// Readers whose driver reports no limits, by the beginning of their names. vpcd passes on any APDU of up
    /// to 65,535 bytes, the maximum of the length field in its messages. A longer APDU makes vpcd's slot hang
    /// until the card is removed.
    private static let exceptions = [NamedReader(namePrefix: "Virtual PCD", maximumCommand: 65_535)]
}
