/// The symbology of a code, as far as it matters here. The scanner reports it by an AIM identifier (ISO/IEC 15424):
/// `]`, a letter for the symbology, and a digit for the options of the decoder.
package enum ScanSymbology: String, CaseIterable, Sendable {
    /// `]Q` and a digit from 0 to 6.
    case qr
    /// `]L` and a digit from 0 to 2. The back of a plastic licence has such a code.
    case pdf417

    /// The number of characters of an AIM identifier.
    static let identifierLength = 3

    /// Reads an AIM identifier. `nil` if `identifier` is anything else.
    init?(identifier: some Collection<UInt8>) {
        let characters = Array(identifier)
        guard characters.count == Self.identifierLength, characters[0] == UInt8(ascii: "]") else {
            return nil
        }
        switch (characters[1], characters[2]) {
        case (UInt8(ascii: "Q"), UInt8(ascii: "0")...UInt8(ascii: "6")): self = .qr
        case (UInt8(ascii: "L"), UInt8(ascii: "0")...UInt8(ascii: "2")): self = .pdf417
        default: return nil
        }
    }

    /// Removes one AIM identifier from the beginning of a code.
    ///
    /// - Returns: the symbology, or `nil` if the code has no identifier of a symbology that is listed here.
    static func removeIdentifier(from code: inout ArraySlice<UInt8>) -> ScanSymbology? {
        guard let symbology = ScanSymbology(identifier: code.prefix(identifierLength)) else { return nil }
        code = code.dropFirst(identifierLength)
        return symbology
    }
}
