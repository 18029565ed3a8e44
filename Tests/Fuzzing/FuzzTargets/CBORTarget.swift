internal import CBOR

/// `CBORItem` against `ReferenceCBOR`: both take the same inputs and read the same values from them.
func fuzzCBOR(_ input: ArraySlice<UInt8>) {
    let limits = CBORLimits.standard
    let expected = ReferenceCBOR.decode(input, depth: limits.depth)
    do throws(CBORError) {
        var form: EncodingForm = []
        let item = try CBORItem.parse(input, limits: limits, noting: &form)
        guard let expected else { fatalError("an item was taken that is none") }
        demand(item.isSame(as: expected), "an item reads as another value")
        checkEncoding(of: expected, input, form)
        checkLimits(expected, input)
        demand(!item.diagnostic(.hostile).isEmpty, "an item without a notation")
        demand(refusal(of: input.dropLast()) != nil, "an item cut short was taken")
        let longer = Array(input) + [0]
        demand(refusal(of: longer[...]) == .trailingBytes(at: input.count), "bytes after the item were taken")
    } catch {
        demand(expected == nil, "an item was refused that is one")
    }
}

/// Written anew the item has preferred form, and is what came in where that had it.
private func checkEncoding(of tree: ReferenceCBOR, _ input: ArraySlice<UInt8>, _ form: EncodingForm) {
    let encoded = CBOREncoder.encode { tree.encode(into: &$0) }
    if form.isEmpty {
        demand(encoded.elementsEqual(input), "preferred form does not survive")
        return
    }
    do throws(CBORError) {
        var again: EncodingForm = []
        let item = try CBORItem.parse(encoded[...], noting: &again)
        demand(again.isEmpty, "the encoder departs from preferred form")
        demand(item.isSame(as: tree), "an item written anew reads as another value")
    } catch {
        fatalError("an item written anew is refused")
    }
}

/// Tighter limits refuse exactly what exceeds them.
private func checkLimits(_ tree: ReferenceCBOR, _ input: ArraySlice<UInt8>) {
    let depth = tree.depth
    demand(
        refusal(of: input, CBORLimits(depth: depth, bytes: input.count)) == nil, "within the limits, refused")
    if depth > 0 {
        let error = refusal(of: input, CBORLimits(depth: depth - 1))
        guard case .tooDeep? = error else { fatalError("the depth limit does not hold") }
    }
    let limit = input.count - 1
    demand(
        refusal(of: input, CBORLimits(bytes: limit)) == .tooLong(limit: limit), "the size limit does not hold"
    )
}

private func refusal(of bytes: ArraySlice<UInt8>, _ limits: CBORLimits = .standard) -> CBORError? {
    do throws(CBORError) {
        _ = try CBORItem.parse(bytes, limits: limits)
        return nil
    } catch {
        return error
    }
}

extension CBORItem {
    fileprivate func isSame(as tree: ReferenceCBOR) -> Bool {
        switch (value, tree) {
        case (.unsigned(let value), .unsigned(let other)): return value == other
        case (.negative(let value), .negative(let other)): return value == other
        case (.byteString(let value), .bytes(let other)): return value.elementsEqual(other)
        case (.text(let value), .text(let other)): return value.utf8.elementsEqual(other)
        case (.array(let items), .array(let others)):
            return items.count == others.count && zip(items, others).allSatisfy { $0.isSame(as: $1) }
        case (.map(let members), .map(let others)):
            return members.count == others.count
                && zip(members, others).allSatisfy {
                    $0.key.isSame(as: $1.key) && $0.value.isSame(as: $1.value)
                }
        case (.tagged(let number, let item), .tagged(let other, let content)):
            return number == other && item.isSame(as: content)
        case (let value, .primitive(let information, let bits)):
            return value.isPrimitive(information, bits)
        default: return false
        }
    }
}

extension CBORValue {
    fileprivate func isPrimitive(_ information: UInt8, _ bits: UInt64) -> Bool {
        switch (self, information) {
        case (.boolean(false), 20), (.boolean(true), 21), (.null, 22), (.undefined, 23): true
        case (.float(let value), 25): value.isSame(as: Double(Float16(bitPattern: UInt16(bits))))
        case (.float(let value), 26): value.isSame(as: Double(Float(bitPattern: UInt32(bits))))
        case (.float(let value), 27): value.bitPattern == bits
        case (.simple(let value), 0..<20), (.simple(let value), 24): UInt64(value) == bits
        default: false
        }
    }
}

extension Double {
    fileprivate func isSame(as other: Double) -> Bool {
        isNaN ? other.isNaN : self == other
    }
}

extension ReferenceCBOR {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        switch self {
        case .unsigned(let value): encoder.unsigned(value)
        case .negative(let value):
            // The encoder writes what fits a signed integer; the rest it never needs to.
            if value <= UInt64(Int64.max) {
                encoder.integer(-1 - Int64(value))
            } else {
                encoder.encoded([0x3b] + value.bigEndianBytes(8))
            }
        case .bytes(let value): encoder.byteString(value)
        case .text(let value): encoder.text(String(decoding: value, as: UTF8.self))
        case .array(let items):
            encoder.array(count: items.count)
            for item in items { item.encode(into: &encoder) }
        case .map(let members):
            encoder.map(count: members.count)
            for member in members {
                member.key.encode(into: &encoder)
                member.value.encode(into: &encoder)
            }
        case .tagged(let number, let item):
            encoder.tag(number)
            item.encode(into: &encoder)
        case .primitive(let information, let bits):
            let width = information < 24 ? 0 : 1 << Int(information - 24)
            encoder.encoded([0xe0 | information] + bits.bigEndianBytes(width))
        }
    }
}

extension UInt64 {
    fileprivate func bigEndianBytes(_ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}

extension DiagnosticNotation {
    /// Everything on that makes work.
    fileprivate static let hostile = {
        var notation = DiagnosticNotation()
        notation.isIndented = true
        notation.opensTag24 = true
        notation.longestByteString = 16
        notation.longestText = 16
        notation.embeddedItems = { _ in [0, 1] }
        return notation
    }()
}
