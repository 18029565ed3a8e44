/// Messages for a machine, cut from a fuzzer's input: a length byte, the message, and so on. Length ff is followed by
/// two bytes of length.
///
/// When all are given, the last comes again and again, as from a phone that never tires; the machine has to end.
struct MessageScript {
    private var rest: ArraySlice<UInt8>
    private var last: ArraySlice<UInt8> = []

    init(_ input: ArraySlice<UInt8>) {
        rest = input
    }

    mutating func next() -> ArraySlice<UInt8> {
        guard let first = rest.popFirst() else { return last }
        var count = Int(first)
        if first == 0xff, let high = rest.popFirst(), let low = rest.popFirst() {
            count = Int(high) << 8 | Int(low)
        }
        last = rest.prefix(count)
        rest = rest.dropFirst(count)
        return last
    }

    var isSpent: Bool { rest.isEmpty }
}
