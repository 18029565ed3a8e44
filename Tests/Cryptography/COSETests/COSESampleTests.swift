import CBOR
import OpenSSLCrypto
import Testing
import VectorFiles

@testable import COSE

@Suite("Published COSE samples")
struct COSESampleTests {
    @Test(
        "Q147 Published COSE_Sign1 verify, tagged and bare",
        arguments: ["RFC 8392 A.3", "COSE_Sign1 \"This is"])
    func sign1(_ name: String) throws {
        let vector = try COSESamples.vector(name)
        let signature = try COSESign1(CBORItem.parse([UInt8](hex: vector.hex)[...]))
        #expect(signature.isTagged == vector.hex.hasPrefix("d2"))
        #expect(try signature.headers.algorithm() == .es256)
        let scalar = [UInt8](hex: try #require(vector.d))
        let key = try PrivateKey(curve: .p256, scalar: scalar[...])
        #expect(key.x.hex == vector.x)
        #expect(key.y.hex == vector.y)
        let payload = try #require(signature.payload)
        let structure = signedBytes(
            context: "Signature1", protected: signature.headers.protected, payload: [payload])
        #expect(structure.joined().hex == vector.sigStructure)
        try signature.verify(with: key.publicKey())
        let other = try PrivateKey.generate(.p256).publicKey()
        #expect(throws: COSEError.signatureInvalid) { try signature.verify(with: other) }
    }

    @Test("A published COSE_Mac0 verifies over its payload, and not over another")
    func mac0() throws {
        let vector = try COSESamples.vector("COSE_Mac0 \"This is")
        let (mac, payload) = try detached(vector)
        let key = SecretBytes(copying: [UInt8](hex: try #require(vector.key))[...])
        let structure = signedBytes(context: "MAC0", protected: mac.headers.protected, payload: [payload])
        #expect(structure.joined().hex == vector.macStructure)
        try mac.verify(with: key, detachedPayload: [payload])
        #expect(throws: COSEError.signatureInvalid) {
            try mac.verify(with: key, detachedPayload: [payload.dropLast()])
        }
    }

    @Test("A COSE_Mac0 whose header names a signature algorithm is refused, though its HMAC fits")
    func mac0WithSignatureAlgorithm() throws {
        let vector = try COSESamples.vector("isomdl, alg header says")
        let (mac, payload) = try detached(vector)
        let key = SecretBytes(copying: [UInt8](hex: try #require(vector.key))[...])
        #expect(throws: COSEError.algorithmNotAllowed(-7)) {
            try mac.verify(with: key, detachedPayload: [payload])
        }
    }

    @Test("A published COSE_Key is read, and its point lies on the curve")
    func key() throws {
        let vector = try COSESamples.vector("COSE_Key P-256")
        let key = try COSEKey(CBORItem.parse([UInt8](hex: vector.hex)[...]))
        #expect(key.curve == .p256)
        #expect(key.encoded.hex == vector.hex)
        let publicKey = try key.publicKey()
        #expect(COSEKey.encode(curve: .p256, x: publicKey.x, y: publicKey.y).hex == vector.hex)
    }

    /// The published objects embed their payload; mdoc MACs are detached.
    private func detached(_ vector: COSESamples.Vector) throws -> (COSEMac0, ArraySlice<UInt8>) {
        let item = try CBORItem.parse([UInt8](hex: vector.hex)[...])
        let published = try COSEMac0(item, limits: .standard)
        let payload = try #require(published.payload)
        let fields = Array(try item.untagged(18).untagged(17).array())
        let bytes = CBOREncoder.encode { encoder in
            encoder.array(count: 4)
            encoder.encoded(fields[0].encoded)
            encoder.encoded(fields[1].encoded)
            encoder.null()
            encoder.encoded(fields[3].encoded)
        }
        return (try COSEMac0(CBORItem.parse(bytes[...])), payload)
    }
}
