package import Transport

/// One reader as pcscd lists it, with all that can be learnt of it without a card.
package struct ReaderDescription: Equatable, Sendable {
    /// pcscd's name; two readers of one model differ in the numbers at its end.
    package let name: String
    package let slot: SlotKind
    /// Vendor and product, if the driver reports them.
    package let usb: USBIdentity?
    package let location: USBLocation?
    /// The firmware's own name for its version.
    package let firmware: String?
    package let quirks: Set<ReaderQuirk>
    package let limits: APDULimits
    /// Whether the driver passes commands on to the reader itself, for its light and buzzer (Q126).
    package let allowsEscape: Bool

    /// What happens to a card when it is let go.
    var cardAtRelease: CardDisposition { quirks.contains(.announcesAgain) ? .leave : .unpower }

    init(name: String, properties: ReaderProperties, configuration: PCSCConfiguration) {
        self.name = name
        slot = SlotKind(readerName: name)
        usb = properties.usb
        location = properties.location
        firmware = properties.firmware
        allowsEscape = properties.allowsEscape
        quirks = properties.usb.flatMap(ReaderModel.known(as:))?.quirks ?? []
        limits = APDULimits(name: name, properties: properties, quirks: quirks, configuration: configuration)
    }
}
