internal import CPCSCLite

extension CardHandle {
    private static let getFeatureRequest: UInt32 = 0x4200_0000 + 3400
    private static let getUSBPath: UInt32 = 0x4200_0000 + 3601
    private static let getTLVProperties: UInt8 = 0x12
    private static let escapeCommand: UInt8 = 0x13
    /// SCARD_ATTR_CHANNEL_ID; a macro that does not import.
    private static let channelIdentifier: DWORD = 2 << 16 | 0x0110

    /// Asks the driver about its reader; what it does not answer stays nil.
    borrowing func readerProperties() -> ReaderProperties {
        var properties = ReaderProperties()
        let features = control(Self.getFeatureRequest) ?? []
        let wanted = TagLengthValues(features).first { $0.tag == Self.getTLVProperties }
        if let code = wanted?.value.bigEndian(UInt32.self), let list = control(code) {
            properties = ReaderProperties(parsing: list)
        }
        properties.location = usbLocation()
        properties.allowsEscape = TagLengthValues(features).contains { $0.tag == Self.escapeCommand }
        return properties
    }

    private borrowing func usbLocation() -> USBLocation? {
        if let path = control(Self.getUSBPath), !path.isEmpty {
            return .path(String(decoding: path.prefix { $0 != 0 }, as: UTF8.self))
        }
        return attribute(Self.channelIdentifier).flatMap { USBLocation(channelIdentifier: $0) }
    }
}
