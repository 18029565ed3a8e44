/// An ECDSA signature as `ECDSA-Sig-Value` (RFC 5480, Appendix A), built without an allocation. Its numbers
/// have at most the size of a coordinate of the curve.
struct ECDSASignature: ~Copyable {
    /// The maximum size: two numbers of at most 66 bytes, each with a sign byte and two header bytes, in a
    /// sequence with three header bytes.
    static let capacity = 2 * (2 + 1 + 66) + 3
    // An `InlineArray` needs a literal size. 141 is the value of `capacity`.
    private var storage = InlineArray<141, UInt8>(repeating: 0)
    private var count = 0

    /// Reads a signature strictly. Throws `signatureInvalid` if r or s is zero.
    init(
        _ signature: ArraySlice<UInt8>, form: SignatureForm, curve: Curve
    ) throws(OpenSSLCryptoError) {
        let (r, s) = try form == .der ? Self.numbers(ofDER: signature) : Self.halves(of: signature, curve)
        guard r.count <= curve.coordinateSize, s.count <= curve.coordinateSize else {
            throw .signatureMalformed
        }
        let contents = Self.size(of: r) + Self.size(of: s)
        append(0x30)
        // A length above 0x7f has two bytes: 0x81, then the length itself.
        if contents > 0x7f { append(0x81) }
        append(UInt8(contents))
        append(number: r)
        append(number: s)
        // DER has exactly one encoding for two numbers. So a signature that differs from the encoding built
        // here is not DER.
        guard form == .fixedWidth || isEqual(to: signature) else { throw .signatureMalformed }
        guard !r.isEmpty, !s.isEmpty else { throw .signatureInvalid }
    }

    private mutating func append(_ byte: UInt8) {
        storage[count] = byte
        count += 1
    }

    /// Appends an INTEGER element, whose number is given without leading zeros.
    private mutating func append(number: ArraySlice<UInt8>) {
        append(0x02)
        append(UInt8(Self.size(of: number) - 2))
        // A zero byte keeps the number positive. For the number zero, `number` is empty, and this byte is the
        // only byte. `??` binds tighter than `>`.
        if number.first ?? 0xff > 0x7f { append(0x00) }
        for byte in number { append(byte) }
    }

    /// Returns the size of an INTEGER element of at most 67 bytes. `number` is empty for zero, which has one
    /// byte in DER.
    private static func size(of number: ArraySlice<UInt8>) -> Int {
        2 + number.count + (number.first ?? 0xff > 0x7f ? 1 : 0)
    }

    /// Returns r and s of a signature in fixed-width form, without leading zeros.
    private static func halves(
        of signature: ArraySlice<UInt8>, _ curve: Curve
    ) throws(OpenSSLCryptoError) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
        guard signature.count == 2 * curve.coordinateSize else { throw .signatureMalformed }
        return (
            signature.prefix(curve.coordinateSize).drop { $0 == 0 },
            signature.suffix(curve.coordinateSize).drop { $0 == 0 }
        )
    }

    /// Returns r and s of a signature in DER, without leading zeros. This function does not check that the
    /// bytes are DER. `init` does so: it encodes the numbers again and compares the bytes.
    static func numbers(
        ofDER signature: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
        var rest = signature.dropFirst(signature.dropFirst().first == 0x81 ? 3 : 2)
        return (try number(from: &rest), try number(from: &rest))
    }

    /// Removes an INTEGER element from `rest`, and returns its number without leading zeros.
    private static func number(
        from rest: inout ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) -> ArraySlice<UInt8> {
        // The tag and the length, which has one byte for numbers of this size.
        let header = rest.prefix(2)
        guard let count = header.last, header.count == 2, rest.count >= 2 + Int(count) else {
            throw .signatureMalformed
        }
        let number = rest.dropFirst(2).prefix(Int(count))
        rest = rest.dropFirst(2 + Int(count))
        return number.drop { $0 == 0 }
    }

    private borrowing func isEqual(to der: ArraySlice<UInt8>) -> Bool {
        unsafe withUnsafeDER { unsafe $0.elementsEqual(der) }
    }

    /// Calls `body` with the signature in DER.
    borrowing func withUnsafeDER<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        let span = storage.span
        return unsafe span.withUnsafeBufferPointer {
            unsafe body(UnsafeBufferPointer(rebasing: $0.prefix(count)))
        }
    }
}
