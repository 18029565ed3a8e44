/// An object identifier (X.660), compared by the contents of its DER encoding.
package struct ObjectIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The contents octets of the encoding (X.690 8.19).
    package let encoded: ArraySlice<UInt8>

    /// Creates an identifier from received contents octets; `nil` if an arc is incomplete or not in its
    /// shortest form.
    package init?(encoded: ArraySlice<UInt8>) {
        guard let last = encoded.last, last < 0x80 else { return nil }
        var startsArc = true
        for byte in encoded {
            if startsArc, byte == 0x80 { return nil }
            startsArc = byte < 0x80
        }
        self.encoded = encoded
    }

    /// Creates an identifier from text such as "1.0.18013.5.1.2"; `nil` unless it has at least two valid
    /// arcs.
    package init?(dotted: some StringProtocol) {
        var arcs: [UInt64] = []
        for part in dotted.split(separator: ".", omittingEmptySubsequences: false) {
            // Below 2⁵⁶ the first two arcs fit into one number without overflow.
            guard let arc = UInt64(part), arc < 1 << 56 else { return nil }
            arcs.append(arc)
        }
        guard arcs.count >= 2, arcs[0] <= 2, arcs[0] == 2 || arcs[1] < 40 else { return nil }
        var bytes: [UInt8] = []
        // The first two arcs share one number (X.690 8.19.4).
        for arc in [40 * arcs[0] + arcs[1]] + arcs.dropFirst(2) { Self.append(arc, to: &bytes) }
        encoded = bytes[...]
    }

    /// Creates an identifier from a literal. Traps if the literal is not an identifier.
    package init(_ literal: StaticString) {
        guard let identifier = Self(dotted: literal.description) else {
            preconditionFailure("not an object identifier: \(literal)")
        }
        self = identifier
    }

    /// Appends an arc in groups of seven bits. All bytes but the last have their first bit set (X.690
    /// 8.19.2).
    private static func append(_ arc: UInt64, to bytes: inout [UInt8]) {
        let groups = max(1, (64 - arc.leadingZeroBitCount + 6) / 7)
        for group in (0..<groups).reversed() {
            bytes.append(UInt8(arc >> (7 * group) & 0x7f) | (group == 0 ? 0 : 0x80))
        }
    }

    /// The identifier in dotted decimals. An arc that does not fit in 63 bits appears as "…".
    package var description: String {
        var text: [String] = []
        // Becomes `nil` if the arc does not fit in 63 bits.
        var arc: UInt64? = 0
        for byte in encoded {
            arc = arc.flatMap { $0 >> 56 == 0 ? $0 << 7 | UInt64(byte & 0x7f) : nil }
            guard byte < 0x80 else { continue }
            if text.isEmpty, let first = arc {
                // The first number encodes two arcs: 40 times the first arc, which is at most 2, plus the
                // second arc.
                let root = min(first / 40, 2)
                text.append("\(root).\(first - 40 * root)")
            } else {
                text.append(arc.map { "\($0)" } ?? "…")
            }
            arc = 0
        }
        return text.joined(separator: ".")
    }
}
