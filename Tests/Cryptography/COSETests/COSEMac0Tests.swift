import CBOR
import COSE
import OpenSSLCrypto
import Testing
import VectorFiles

@Suite("COSE_Mac0")
struct COSEMac0Tests {
    private let key = [UInt8](repeating: 0x42, count: 32)
    private let payload = Array("payload".utf8)

    private func parts(algorithm: String = "a10105") throws -> COSEParts {
        let protected = [UInt8](hex: algorithm)
        let structure = CBOREncoder.encode { encoder in
            encoder.array(count: 4)
            encoder.text("MAC0")
            encoder.byteString(protected)
            encoder.byteString([])
            encoder.byteString(payload)
        }
        let tag = try hmacSHA256(key: SecretBytes(copying: key[...]), over: [structure[...]])
        return COSEParts(protected: protected, payload: nil, last: tag)
    }

    @Test("HMAC 256/256 over the detached payload verifies; a bit off in tag, key or payload does not")
    func verifies() throws {
        var parts = try parts()
        let secret = SecretBytes(copying: key[...])
        try parts.mac0().verify(with: secret, detachedPayload: [payload[...]])
        try parts.mac0().verify(with: secret, detachedPayload: [payload[..<2], payload[2...]])
        #expect(throws: COSEError.signatureInvalid) {
            try parts.mac0().verify(with: secret, detachedPayload: [payload[1...]])
        }
        var other = key
        other[31] ^= 1
        let wrong = SecretBytes(copying: other[...])
        #expect(throws: COSEError.signatureInvalid) {
            try parts.mac0().verify(with: wrong, detachedPayload: [payload[...]])
        }
        parts.last[31] ^= 1
        #expect(throws: COSEError.signatureInvalid) {
            try parts.mac0().verify(with: secret, detachedPayload: [payload[...]])
        }
    }

    @Test(
        "Any other algorithm is refused, though the tag fits",
        arguments: [
            ("a10104", 4), ("a10106", 6), ("a10107", 7), ("a10126", -7), ("a1010e", 14), ("a10100", 0),
        ])
    func algorithms(_ header: String, identifier: Int64) throws {
        let mac = try parts(algorithm: header).mac0()
        let secret = SecretBytes(copying: key[...])
        #expect(throws: COSEError.algorithmNotAllowed(identifier)) {
            try mac.verify(with: secret, detachedPayload: [payload[...]])
        }
    }

    @Test("Q151 Without an algorithm it is refused")
    func algorithmMissing() throws {
        let mac = try parts(algorithm: "a0").mac0()
        let secret = SecretBytes(copying: key[...])
        #expect(throws: COSEError.algorithmMissing) {
            try mac.verify(with: secret, detachedPayload: [payload[...]])
        }
    }

    @Test("Q199 A tag of another size is malformed: a prefix never counts", arguments: [0, 8, 16, 31, 33])
    func tagSize(_ count: Int) throws {
        var parts = try parts()
        parts.last = Array((parts.last + [0]).prefix(count))
        let mac = try parts.mac0()
        let secret = SecretBytes(copying: key[...])
        #expect(throws: COSEError.signatureMalformed) {
            try mac.verify(with: secret, detachedPayload: [payload[...]])
        }
    }

    @Test("An embedded payload is refused")
    func embedded() throws {
        var parts = try parts()
        parts.payload = payload
        let mac = try parts.mac0()
        let secret = SecretBytes(copying: key[...])
        #expect(throws: COSEError.payloadMisplaced) {
            try mac.verify(with: secret, detachedPayload: [payload[...]])
        }
    }

    @Test("Q147 Tag 17 is read and reported; tag 18 is refused")
    func tags() throws {
        var parts = try parts()
        #expect(try !parts.mac0().isTagged)
        parts.tag = 17
        #expect(try parts.mac0().isTagged)
        try parts.mac0().verify(with: SecretBytes(copying: key[...]), detachedPayload: [payload[...]])
        parts.tag = 18
        #expect(throws: COSEError.malformed(.mac0)) { try parts.mac0() }
    }

    @Test("What we write verifies")
    func written() throws {
        let bytes = try COSESigner(algorithm: .hmac256).mac0(
            detachedPayload: payload, key: SecretBytes(copying: key[...]))
        #expect(try bytes == parts().encoded())
    }
}
