/// What sits behind one reader name: devices with several interfaces show one reader for each (Q127).
package enum SlotKind: Sendable {
    /// The antenna.
    case contactless
    /// A slot for a card with contacts.
    case contact
    /// A slot for a security module inside the reader.
    case securityModule
    /// The name does not say; mostly the antenna of a reader with one slot.
    case unmarked

    /// Reads the kind out of a reader name.
    ///
    /// pcscd puts the name of the USB interface, if it has one, into brackets: `ACS ACR1252 Dual Reader [ACR1252 Dual
    /// Reader SAM] 01 00`. Where there are brackets only they count. Of several kinds the last word decides: `ACR1552
    /// 1S CL Reader SAM` is a slot for a security module (Q210). A name like `CL + SAM Reader` lists the slots of a
    /// device and says no kind.
    package init(readerName: String) {
        let name = Self.interfaceName(in: readerName) ?? readerName[...]
        let words = name.uppercased().split { !$0.isLetter && !$0.isNumber }
        let kinds = words.compactMap(Self.kind(of:))
        let isList = name.contains("+") && Set(kinds).count > 1
        self = isList ? .unmarked : kinds.last ?? .unmarked
    }

    private static func kind(of word: Substring) -> SlotKind? {
        switch word {
        case "PICC", "CONTACTLESS", "NFC": .contactless
        case "ICC", "CONTACT": .contact
        // "5422CL" is one word of HID's, "SAM1" one of Feitian's.
        case _ where word.hasSuffix("CL"): .contactless
        case _ where word.hasPrefix("SAM") && word.dropFirst(3).allSatisfy(\.isNumber): .securityModule
        default: nil
        }
    }

    private static func interfaceName(in readerName: String) -> Substring? {
        guard let open = readerName.firstIndex(of: "["),
            let close = readerName[open...].firstIndex(of: "]")
        else { return nil }
        return readerName[readerName.index(after: open)..<close]
    }
}
