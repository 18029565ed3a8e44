/// The choices that make a mutant, cut from a fuzzer's input. After the last byte every choice is the first.
struct ReissueScript {
    private var rest: ArraySlice<UInt8>

    init(_ input: ArraySlice<UInt8>) {
        rest = input
    }

    var isSpent: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func number(below bound: Int) -> Int { Int(byte()) % bound }

    mutating func pick<Element>(_ list: [Element]) -> Element { list[number(below: list.count)] }

    /// Up to 31 bytes, preceded by their count.
    mutating func bytes() -> [UInt8] {
        let count = number(below: 32)
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
