/// The kind of slot behind one reader name. A device with several interfaces has a reader name for each
/// interface (Q127).
package enum SlotKind: Sendable {
    /// The antenna of a contactless reader.
    case contactless
    /// A slot for a card with contacts.
    case contact
    /// A slot for a security module inside the reader.
    case securityModule
    /// A slot whose name tells no kind. Such a slot is mostly the antenna of a reader with one slot.
    case unmarked

    /// Determines the kind from a reader name.
    ///
    /// pcscd writes the name of the USB interface, if there is one, into brackets: `ACS ACR1252 Dual Reader
    /// [ACR1252 Dual Reader SAM] 01 00`. If a name has brackets, only their content counts. If the text that
    /// counts has words for several kinds, the last word decides: `ACR1552 1S CL Reader SAM` is a slot for a
    /// security module (Q210). A name such as `CL + SAM Reader` lists the slots of a device and tells no
    /// kind.
    package init(readerName: String) {
        let name = Self.interfaceName(in: readerName) ?? readerName[...]
        let words = name.uppercased().split { !$0.isLetter && !$0.isNumber }
        let kinds = words.compactMap(Self.kind(of:))
        let isList = name.contains("+") && Set(kinds).count > 1
        self = isList ? .unmarked : kinds.last ?? .unmarked
    }

    /// Returns the kind that a word of a name stands for, in capital letters; `nil` if it stands for no
    /// kind.
    private static func kind(of word: Substring) -> SlotKind? {
        switch word {
        case "PICC", "CONTACTLESS", "NFC": .contactless
        case "ICC", "CONTACT": .contact
        // HID writes "5422CL" as one word, Feitian "SAM1".
        case _ where word.hasSuffix("CL"): .contactless
        case _ where word.hasPrefix("SAM") && word.dropFirst(3).allSatisfy(\.isNumber): .securityModule
        default: nil
        }
    }

    /// Returns the text in the first brackets of a name; `nil` if the name has no brackets.
    private static func interfaceName(in readerName: String) -> Substring? {
        guard let open = readerName.firstIndex(of: "["),
            let close = readerName[open...].firstIndex(of: "]")
        else { return nil }
        return readerName[readerName.index(after: open)..<close]
    }
}
