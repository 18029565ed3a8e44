package import CBOR

extension DateText {
    private static let dateTimeTag: UInt64 = 0
    private static let fullDateTag: UInt64 = 1004

    /// Reads a `tdate` (tag 0) or `full-date` (tag 1004, RFC 8943). The tag may be missing, or may be the tag
    /// of the other type (Q143).
    package init(_ item: CBORItem) throws(MdocModelError) {
        var text = item
        var tag: UInt64?
        if case .tagged(let number, let inner) = item.value {
            guard number == Self.dateTimeTag || number == Self.fullDateTag else {
                throw .notADate(at: item.offset)
            }
            tag = number
            text = inner
        }
        guard let characters = try? text.utf8(), let date = DateText(characters) else {
            throw .notADate(at: item.offset)
        }
        self = date
        switch (value, tag) {
        case (_, nil): form.insert(.tagMissing)
        case (.instant, Self.dateTimeTag), (.day, Self.fullDateTag): break
        // The tag does not change how the text is read. A tag of the other type is only reported (Q143).
        default: form.insert(.tagOfOtherForm)
        }
    }

    /// Reads a `tdate`. A day without a time is read as its first instant in UTC, and the deviation is
    /// recorded in `form`.
    static func instant(_ item: CBORItem) throws(MdocModelError) -> DateText {
        var date = try DateText(item)
        if case .day = date.value { date.form.insert(.dayOnly) }
        return date
    }
}
