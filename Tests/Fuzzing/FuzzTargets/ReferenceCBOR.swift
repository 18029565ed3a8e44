/// CBOR read a second way, to compare with: byte by byte into a tree, by the pseudocode of RFC 8949 Appendix C and the
/// validity rules of its 5.3. Slow and simple where `CBORItem` is fast; shares no code with it.
indirect enum ReferenceCBOR: Hashable {
    case unsigned(UInt64)
    case negative(UInt64)
    case bytes([UInt8])
    case text([UInt8])
    case array([ReferenceCBOR])
    case map([Member])
    case tagged(UInt64, ReferenceCBOR)
    /// A simple value or float: additional information and bits as they stood.
    case primitive(UInt8, UInt64)

    struct Member: Hashable {
        let key: ReferenceCBOR
        let value: ReferenceCBOR
    }

    /// The tree of one item that fills `bytes`; nil where they are not one, or exceed `depth`.
    static func decode(_ bytes: ArraySlice<UInt8>, depth: Int) -> ReferenceCBOR? {
        var rest = bytes
        guard let tree = item(&rest, depth), rest.isEmpty else { return nil }
        return tree
    }

    /// How many arrays, maps and tags contain one another.
    var depth: Int {
        switch self {
        case .array(let items): 1 + (items.map(\.depth).max() ?? 0)
        case .map(let members): 1 + (members.map { max($0.key.depth, $0.value.depth) }.max() ?? 0)
        case .tagged(_, let item): 1 + item.depth
        default: 0
        }
    }

    private enum Step {
        case item(ReferenceCBOR)
        case end
    }

    private static func item(_ rest: inout ArraySlice<UInt8>, _ depth: Int) -> ReferenceCBOR? {
        if case .item(let item)? = next(&rest, depth) { item } else { nil }
    }

    private static func next(_ rest: inout ArraySlice<UInt8>, _ depth: Int) -> Step? {
        guard let initial = rest.popFirst() else { return nil }
        let major = initial >> 5
        let information = initial & 0x1f
        if information == 31 {
            if major == 7 { return .end }
            return indefinite(major, &rest, depth).map(Step.item)
        }
        guard let argument = argument(information, &rest) else { return nil }
        return definite(major, information, argument, &rest, depth).map(Step.item)
    }

    private static func argument(_ information: UInt8, _ rest: inout ArraySlice<UInt8>) -> UInt64? {
        guard information >= 24 else { return UInt64(information) }
        guard let width = [24: 1, 25: 2, 26: 4, 27: 8][information] else { return nil }
        var value: UInt64 = 0
        for _ in 0..<width {
            guard let byte = rest.popFirst() else { return nil }
            value = value * 256 + UInt64(byte)
        }
        return value
    }

    private static func definite(
        _ major: UInt8, _ information: UInt8, _ argument: UInt64, _ rest: inout ArraySlice<UInt8>,
        _ depth: Int
    ) -> ReferenceCBOR? {
        switch major {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return string(argument, &rest).map(ReferenceCBOR.bytes)
        case 3: return string(argument, &rest).flatMap(validText)
        case 4:
            guard depth > 0, let items = items(argument, &rest, depth - 1) else { return nil }
            return .array(items)
        case 5:
            guard depth > 0, argument < 1 << 62, let items = items(2 * argument, &rest, depth - 1) else {
                return nil
            }
            return members(items)
        case 6:
            guard depth > 0, let item = item(&rest, depth - 1) else { return nil }
            return .tagged(argument, item)
        default:
            if information == 24, argument < 32 { return nil }
            return .primitive(information, argument)
        }
    }

    private static func indefinite(
        _ major: UInt8, _ rest: inout ArraySlice<UInt8>, _ depth: Int
    ) -> ReferenceCBOR? {
        switch major {
        case 2, 3:
            var content: [UInt8] = []
            while let initial = rest.popFirst() {
                if initial == 0xff { return major == 2 ? .bytes(content) : .text(content) }
                guard initial >> 5 == major, let count = argument(initial & 0x1f, &rest),
                    let chunk = string(count, &rest), major == 2 || validText(chunk) != nil
                else { return nil }
                content += chunk
            }
            return nil
        case 4, 5:
            guard depth > 0 else { return nil }
            var items: [ReferenceCBOR] = []
            while let step = next(&rest, depth - 1) {
                switch step {
                case .item(let item): items.append(item)
                case .end: return major == 4 ? .array(items) : members(items)
                }
            }
            return nil
        default: return nil
        }
    }

    private static func string(_ count: UInt64, _ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest.removeFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    private static func validText(_ bytes: [UInt8]) -> ReferenceCBOR? {
        String(validating: bytes, as: UTF8.self) == nil ? nil : .text(bytes)
    }

    private static func items(
        _ count: UInt64, _ rest: inout ArraySlice<UInt8>, _ depth: Int
    ) -> [ReferenceCBOR]? {
        guard count <= UInt64(rest.count) else { return nil }
        var items: [ReferenceCBOR] = []
        for _ in 0..<count {
            guard let item = item(&rest, depth) else { return nil }
            items.append(item)
        }
        return items
    }

    /// Keys and values in turn; nil where a value is missing or a key stands twice.
    private static func members(_ items: [ReferenceCBOR]) -> ReferenceCBOR? {
        guard items.count.isMultiple(of: 2) else { return nil }
        let members = stride(from: 0, to: items.count, by: 2).map {
            Member(key: items[$0], value: items[$0 + 1])
        }
        return Set(members.map(\.key)).count == members.count ? .map(members) : nil
    }
}

/// Trees are the same where their values are: a float in another width, a map in another order.
extension ReferenceCBOR {
    static func == (one: ReferenceCBOR, other: ReferenceCBOR) -> Bool {
        switch (one, other) {
        case (.unsigned(let value), .unsigned(let second)), (.negative(let value), .negative(let second)):
            value == second
        case (.bytes(let value), .bytes(let second)), (.text(let value), .text(let second)): value == second
        case (.array(let items), .array(let others)): items == others
        case (.map(let members), .map(let others)): Set(members) == Set(others)
        case (.tagged(let number, let item), .tagged(let second, let content)):
            number == second && item == content
        case (.primitive, .primitive): one.comparableBits == other.comparableBits
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .unsigned(let value), .negative(let value): hasher.combine(value)
        case .bytes(let value), .text(let value): hasher.combine(value)
        case .array(let items): hasher.combine(items)
        case .map(let members): hasher.combine(Set(members))
        case .tagged(let number, let item):
            hasher.combine(number)
            hasher.combine(item)
        case .primitive: hasher.combine(comparableBits)
        }
    }

    /// Of a float the bits as a double, of a simple value its number.
    private var comparableBits: [UInt64] {
        switch self {
        case .primitive(25, let bits): [1, Double(Float16(bitPattern: UInt16(bits))).bitPattern]
        case .primitive(26, let bits): [1, Double(Float(bitPattern: UInt32(bits))).bitPattern]
        case .primitive(27, let bits): [1, bits]
        case .primitive(_, let bits): [0, bits]
        default: []
        }
    }
}
