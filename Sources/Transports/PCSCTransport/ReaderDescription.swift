package import Transport

/// A reader that pcscd lists, with everything that can be learnt about it without a card.
package struct ReaderDescription: Equatable, Sendable {
    /// The name that pcscd gives the reader. Two readers of one model differ only in the numbers at the end.
    package let name: String
    /// The kind of slot, from the name.
    package let slot: SlotKind
    /// The vendor and product number; `nil` if the driver does not report them.
    package let usb: USBIdentity?
    /// The place on the USB bus; `nil` if the driver does not report it.
    package let location: USBLocation?
    /// The version of the firmware, as the driver reports it.
    package let firmware: String?
    package let quirks: Set<ReaderQuirk>
    package let limits: APDULimits
    /// Whether the driver passes commands on to the reader itself, for its light and buzzer (Q126).
    package let allowsEscape: Bool

    /// The treatment of a card when its connection ends (Q208).
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
