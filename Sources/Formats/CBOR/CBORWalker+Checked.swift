extension CBORWalker {
    /// Returns the position after an item that a walker has checked before. Reads only the heads of items.
    static func endOfChecked(_ span: borrowing Span<UInt8>, from start: Int) -> Int {
        var position = start
        // The number of items to skip. The check has shown that no count exceeds the number of bytes, so no
        // sum below overflows.
        var remaining = 1
        repeat {
            let head = CBORHead(checked: span, at: position)
            remaining &-= 1
            if head.isIndefinite {
                position = endOfCheckedIndefinite(span, from: position + 1)
                continue
            }
            position &+= head.size
            let count = Int(truncatingIfNeeded: head.argument)
            switch head.major {
            case 2, 3: position &+= count
            case 4: remaining &+= count
            case 5: remaining &+= 2 &* count
            case 6: remaining &+= 1
            default: break
            }
        } while remaining > 0
        return position
    }

    /// Returns the position after the "break" that ends the chunks or members from `start` on.
    private static func endOfCheckedIndefinite(_ span: borrowing Span<UInt8>, from start: Int) -> Int {
        var position = start
        while span[position] != 0xff { position = endOfChecked(span, from: position) }
        return position + 1
    }
}
