extension CBORWalker {
    /// Returns the position after a checked item. Reads only heads.
    static func endOfChecked(_ span: borrowing Span<UInt8>, from start: Int) -> Int {
        var position = start
        // The check has shown that no count exceeds the number of bytes. Therefore no sum below overflows.
        var due = 1
        repeat {
            let head = CBORHead(checked: span, at: position)
            due &-= 1
            if head.isIndefinite {
                position = endOfCheckedIndefinite(span, from: position + 1)
                continue
            }
            position &+= head.size
            let count = Int(truncatingIfNeeded: head.argument)
            switch head.major {
            case 2, 3: position &+= count
            case 4: due &+= count
            case 5: due &+= 2 &* count
            case 6: due &+= 1
            default: break
            }
        } while due > 0
        return position
    }

    /// Returns the position after the "break" that ends the chunks or members from `start` on.
    private static func endOfCheckedIndefinite(_ span: borrowing Span<UInt8>, from start: Int) -> Int {
        var position = start
        while span[position] != 0xff { position = endOfChecked(span, from: position) }
        return position + 1
    }
}
