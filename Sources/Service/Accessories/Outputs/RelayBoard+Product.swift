extension RelayBoard {
    /// Returns the number of contacts that a "USBRelay" board names in its product text.
    ///
    /// - Parameter product: the USB product text such as `USBRelay4`, or hidraw's name of the device, which
    ///   has the maker before it.
    /// - Returns: a number from 1 to 8, or `nil` if the text names none.
    package static func channels(product: String) -> Int? {
        let name = product.split(separator: " ").last ?? ""
        guard name.hasPrefix(usbRelayName) else { return nil }
        let digits = name.dropFirst(usbRelayName.count)
        guard digits.utf8.count == 1, let channels = Int(digits), (1...mostChannels).contains(channels) else {
            return nil
        }
        return channels
    }

    /// Checks a HID board's product text against the configuration.
    ///
    /// Boards with two protocols have the same USB numbers and differ by this text. A command of the other
    /// protocol may switch another contact, so that a board with an unknown text is refused.
    ///
    /// - Returns: a fault if the board has the other protocol or lacks the contact; `nil` if the text agrees,
    ///   and for boards that are no HID devices.
    package func fault(product: String, channel: Int) -> RelayFault? {
        switch self {
        case .usbRelay:
            guard let channels = Self.channels(product: product) else { return .productUnknown }
            return (1...channels).contains(channel) ? nil : .channelMissing(channel, of: channels)
        case .hidRelay:
            let name = product.split(separator: " ").last ?? ""
            guard name.hasPrefix("HIDRelay") else { return .productUnknown }
            // The text does not say how many contacts the board has.
            return (1...Self.mostChannels).contains(channel)
                ? nil : .channelMissing(channel, of: Self.mostChannels)
        case .gpio, .lcus, .kmtronic, .modbusRTU, .modbusTCP: return nil
        }
    }

    private static let usbRelayName = "USBRelay"
}
