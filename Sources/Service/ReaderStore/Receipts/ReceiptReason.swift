/// Why a verdict is what it is: an id of one of our closed tables, such as `CheckID`, and never a text.
package struct ReceiptReason: Hashable, Sendable, CustomStringConvertible {
    package let id: String

    /// One of the cases of an enumeration, by its id.
    package init<ID: CaseIterable & RawRepresentable<String>>(_ id: ID) {
        self.id = id.rawValue
    }

    /// As a receipt contains it: ids are 1 to 64 of `a-z 0-9 . _`.
    init?(parsing id: String) {
        guard (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy({ byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "._".utf8.contains(byte)
            })
        else { return nil }
        self.id = id
    }

    package var description: String { id }
}
