internal import CBOR

// Readers of the members of a statement. They throw `receiptMalformed` if a member is absent or has another form.

extension Optional {
    /// Returns the value. Throws `receiptMalformed` for `nil`.
    func orMalformed() throws -> Wrapped {
        guard let self else { throw ReaderStoreError.receiptMalformed }
        return self
    }
}

extension Optional<CBORItem> {
    /// Returns the member as a label.
    func label() throws -> ReceiptLabel {
        try ReceiptLabel(orMalformed().text()).orMalformed()
    }

    /// Returns the member as a word of a closed list.
    func word<Word: RawRepresentable<String>>() throws -> Word {
        try Word(rawValue: orMalformed().text()).orMalformed()
    }
}
