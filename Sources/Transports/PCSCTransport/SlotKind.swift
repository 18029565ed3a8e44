/// The kind of slot behind one reader name. A device with several interfaces has a reader name for each
/// interface (Q127).
package enum SlotKind: Sendable {
    /// The antenna of a contactless reader.
    case contactless
    /// A slot for a card with contacts.
    case contact
    /// A slot for a security module inside the reader.
    case securityModule
    /// A slot whose name does not indicate the kind of slot. Such a slot is usually the antenna of a reader
    /// with one slot.
    case unmarked

    /// Determines the kind from a reader name.
    ///
    /// pcscd writes the name of the USB interface, if there is one, into brackets: `ACS ACR1252 Dual Reader
    /// [ACR1252 Dual Reader SAM] 01 00`. If a name has brackets, only the text in the brackets is used;
    /// otherwise the whole name is used. If this text has words for several kinds, the last of these words
    /// decides: `ACR1552 1S CL Reader SAM` is a slot for a security module (Q210). A name such as `CL + SAM
    /// Reader` lists the slots of a device and does not indicate a kind.
    package init(readerName: String) {
        let name = Self.interfaceName(in: readerName) ?? readerName[...]
        let words = name.uppercased().split { !$0.isLetter && !$0.isNumber }
        let kinds = words.compactMap(Self.kind(of:))
        let isList = name.contains("+") && Set(kinds).count > 1
        self = isList ? .unmarked : kinds.last ?? .unmarked
    }

    /// Returns the kind of slot that a word of a reader name indicates, or `nil` if the word indicates no
    /// kind.
    ///
    /// - Parameter word: the word, in capital letters.
    private static func kind(of word: Substring) -> SlotKind? {
        switch word {
        case "PICC", "CONTACTLESS", "NFC": .contactless
        case "ICC", "CONTACT": .contact
        // HID writes "5422CL" as one word; Feitian writes "SAM1".
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
