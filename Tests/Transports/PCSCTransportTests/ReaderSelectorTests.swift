import Testing
import Transport

@testable import PCSCTransport

@Suite("Which slot is used")
struct ReaderSelectorTests {
    @Test(
        "Q127 The interface name in brackets tells antenna, contact and security module slots apart",
        arguments: [
            ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00", SlotKind.contactless),
            ("ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00", .securityModule),
            ("ACS ACR1581 [ACR1581 1S Dual Reader ICC] 01 00", .contact),
            (
                "HID Global OMNIKEY 5422 Smartcard Reader [OMNIKEY 5422CL Smartcard Reader] 00 00",
                .contactless
            ),
            ("HID Global OMNIKEY 5422 Smartcard Reader [OMNIKEY 5422 Smartcard Reader] 01 00", .unmarked),
            ("Feitian R502 [R502 Contactless Reader] (0123) 00 00", .contactless),
            ("Feitian R502 [R502 Contact Reader] (0123) 01 00", .contact),
            ("Feitian R502 [R502 SAM1 Reader] (0123) 02 00", .securityModule),
            ("Identiv uTrust 4711 F CL + SAM Reader [uTrust 4711 F SAM Reader] 00 00", .securityModule),
            ("Identiv uTrust 3700 F CL Reader 00 00", .contactless),
            ("Identiv uTrust 4711 F CL + SAM Reader 00 00", .unmarked),
            ("Identiv SCR3500 A Contact Reader 00 00", .contact),
            ("Elatec TWN4 SmartCard NFC 00 03", .contactless),
            ("Virtual PCD 00 00", .unmarked),
            ("ACS ACR1552 1S CL Reader [ACR1552 1S CL Reader PICC] 00 00", .contactless),
            ("Samsung Classic Reader 00 00", .unmarked),
            ("", .unmarked),
        ])
    func slotKinds(_ name: String, _ kind: SlotKind) {
        #expect(SlotKind(readerName: name) == kind)
    }

    @Test(
        "Q210 Of two kinds in a name the last word decides; a list of slots says none",
        arguments: [
            ("ACS ACR1552 1S CL Reader [ACR1552 1S CL Reader SAM] 01 00", SlotKind.securityModule),
            ("ACR1552 1S CL Reader SAM 01 00", .securityModule),
            ("Some SAM Reader CL 00 00", .contactless),
            ("Some Contact Reader PICC 00 00", .contactless),
            ("Some Contactless Reader ICC 00 00", .contact),
            ("Some CL+SAM Reader 00 00", .unmarked),
            ("Some CL + Contactless Reader 00 00", .contactless),
        ])
    func twoKinds(_ name: String, _ kind: SlotKind) {
        #expect(SlotKind(readerName: name) == kind)
    }

    @Test("Q210 The SAM slot of an ACR1552 is never opened, its antenna is")
    func samOfACR1552() {
        let readers = [
            reader("ACS ACR1552 1S CL Reader [ACR1552 1S CL Reader SAM] 01 00"),
            reader("ACS ACR1552 1S CL Reader [ACR1552 1S CL Reader PICC] 00 00"),
        ]
        #expect(ReaderSelector.any.candidates(among: readers) == [readers[1]])
    }

    @Test("Q127 Contact and security module slots are never opened, not even by their name")
    func passedOver() {
        let readers = [
            reader("ACS ACR1581 [ACR1581 1S Dual Reader SAM] 02 00"),
            reader("ACS ACR1581 [ACR1581 1S Dual Reader ICC] 01 00"),
            reader("ACS ACR1581 [ACR1581 1S Dual Reader PICC] 00 00"),
        ]
        #expect(ReaderSelector.any.candidates(among: readers) == [readers[2]])
        #expect(ReaderSelector("SAM").candidates(among: readers).isEmpty)
        #expect(ReaderSelector(readers[1].name).candidates(among: readers).isEmpty)
    }

    @Test("Q127 The antenna comes before slots that do not say, and those stay in pcscd's order")
    func order() {
        let readers = [
            reader("HID Global OMNIKEY 5422 Smartcard Reader [OMNIKEY 5422 Smartcard Reader] 01 00"),
            reader("Some Reader 00 00"),
            reader("HID Global OMNIKEY 5422 Smartcard Reader [OMNIKEY 5422CL Smartcard Reader] 00 00"),
        ]
        let names = ReaderSelector.any.candidates(among: readers).map(\.name)
        #expect(names == [readers[2].name, readers[0].name, readers[1].name])
    }

    @Test("Q123 A TPDU-level reader comes last, and is used when it is the only one")
    func notRecommended() {
        let tpdu = reader("HID OMNIKEY 5021-CL 00 00", usb: USBIdentity(vendor: 0x076b, product: 0x5340))
        let other = reader("Some Reader 00 00")
        #expect(ReaderSelector.any.candidates(among: [tpdu, other]) == [other, tpdu])
        #expect(ReaderSelector.any.candidates(among: [tpdu]) == [tpdu])
    }

    @Test("Q208 A model that polls by itself keeps the card powered, and no other does")
    func release() {
        let acs = reader("ACS ACR1252 00 00", usb: USBIdentity(vendor: 0x072f, product: 0x223e))
        let hid = reader("OMNIKEY 5022 00 00", usb: USBIdentity(vendor: 0x076b, product: 0x5022))
        #expect(acs.cardAtRelease == .leave)
        #expect(hid.cardAtRelease == .unpower && reader("Some Reader 00 00").cardAtRelease == .unpower)
    }

    @Test("Q136 A name, a part of it or the USB identity selects, and nothing else does")
    func selection() {
        let first = reader("ACS ACR1252 Reader 00 00", usb: USBIdentity(vendor: 0x072f, product: 0x223e))
        let second = reader("ACS ACR1252 Reader 01 00", usb: USBIdentity(vendor: 0x072f, product: 0x223e))
        let both = [first, second]
        #expect(ReaderSelector("acr1252").candidates(among: both) == both)
        #expect(ReaderSelector("Reader 01").candidates(among: both) == [second])
        #expect(ReaderSelector("072F:223E").candidates(among: both) == both)
        #expect(ReaderSelector("072f:223f").candidates(among: both).isEmpty)
        #expect(ReaderSelector("acr122").candidates(among: both).isEmpty)
        #expect(ReaderSelector("").candidates(among: both) == both)
    }

    @Test("Only four hexadecimal digits on both sides of a colon are a USB identity")
    func identities() {
        #expect(USBIdentity("072f:2200") == USBIdentity(vendor: 0x072f, product: 0x2200))
        #expect(USBIdentity("0000:FFFF")?.description == "0000:ffff")
        for text in ["72f:2200", "072f:22000", "072f2200", "072f:220g", "072f:-220", "072f:2200:", ":", ""] {
            #expect(USBIdentity(text) == nil, "\(text)")
        }
    }

    private func reader(_ name: String, usb: USBIdentity? = nil) -> ReaderDescription {
        var properties = ReaderProperties()
        properties.usb = usb
        return ReaderDescription(name: name, properties: properties, configuration: PCSCConfiguration())
    }
}
