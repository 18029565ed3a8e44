/// The lengths of commands and answers that a reader can carry, or that we let it carry.
package struct APDULimits: Equatable, Sendable {
    /// Whether extended length fields may be used at all.
    package let allowsExtended: Bool
    package let commandData: Int
    /// Most bytes of data to ask for in one answer (Le), without the status word.
    package let responseData: Int
    /// Most bytes of a whole command, header and length fields counted, that pcscd and the driver pass on.
    package let maximumCommand: Int

    /// pcscd's buffer for extended APDUs; it holds 4 + 3 + 65,536 + 3 bytes and a little.
    static let pcscdBuffer = 65_548

    /// Derives the limits from what the driver says; never from dwMaxCCIDMessageLength, since the driver cuts an
    /// extended APDU into blocks itself (Q122).
    init(
        name: String, properties: ReaderProperties, quirks: Set<ReaderQuirk>, configuration: PCSCConfiguration
    ) {
        let exception = Self.exceptions.first { name.hasPrefix($0.namePrefix) }
        maximumCommand = exception?.maximumCommand ?? Self.pcscdBuffer
        // A driver that says nothing gets the lengths every reader can do (Q120).
        let saysExtended = properties.maximumAPDUData.map { $0 >= 0x10000 } ?? (exception != nil)
        allowsExtended = saysExtended && !quirks.contains(.shortAPDUOnly)
        commandData = allowsExtended ? min(configuration.extendedData, maximumCommand - 10) : 255
        responseData = allowsExtended ? configuration.extendedData : configuration.shortResponseData
    }

    private struct NamedReader: Sendable {
        let namePrefix: String
        let maximumCommand: Int
    }

    /// Drivers that cannot be asked. vpcd knows no features; it carries any APDU up to the 65,535 bytes its own
    /// length field can say, and its slot hangs until the card is pulled if one byte more is sent.
    private static let exceptions = [NamedReader(namePrefix: "Virtual PCD", maximumCommand: 65_535)]
}
