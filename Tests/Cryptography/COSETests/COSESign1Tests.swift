import CBOR
import COSE
import OpenSSLCrypto
import PKIX
import Testing
import VectorFiles

@Suite("COSE_Sign1")
struct COSESign1Tests {
    static let signing: [(Curve, COSEAlgorithm, newer: Int64)] = [
        (.p256, .es256, -9), (.p384, .es384, -51), (.p521, .es512, -52), (.brainpoolP256r1, .es256, -265),
        (.brainpoolP320r1, .es384, -266), (.brainpoolP384r1, .es384, -267), (.brainpoolP512r1, .es512, -268),
        (.ed25519, .eddsa, -19), (.ed448, .eddsa, -53),
    ]

    private func header(_ algorithm: Int64) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: 1)
            encoder.integer(1)
            encoder.integer(algorithm)
        }
    }

    private func signed(
        _ curve: Curve, algorithm: Int64, payload: [UInt8]? = Array("payload".utf8)
    ) throws -> (COSEParts, COSEKeyPair) {
        let pair = COSEKeyPair(try PrivateKey.generate(curve))
        var parts = COSEParts()
        parts.protected = header(algorithm)
        parts.payload = payload
        try parts.sign(with: pair.privateKey, #require(curve.preferredSignatureAlgorithm))
        return (parts, pair)
    }

    @Test("Every curve verifies with its algorithm, and r‖s has its width", arguments: signing)
    func verifies(_ curve: Curve, algorithm: COSEAlgorithm, newer: Int64) throws {
        var (parts, pair) = try signed(curve, algorithm: algorithm.identifier)
        let key = try pair.privateKey.publicKey()
        #expect(parts.last.count == 2 * curve.coordinateSize)
        try parts.sign1().verify(with: key)
        let good = parts.last
        for index in [0, good.count / 2, good.count - 1] {
            parts.last = good
            parts.last[index] ^= 1
            #expect(throws: COSEError.signatureInvalid) { try parts.sign1().verify(with: key) }
        }
        parts.last = good
        parts.payload?[0] ^= 1
        #expect(throws: COSEError.signatureInvalid) { try parts.sign1().verify(with: key) }
    }

    @Test("Q153 The newer identifier of the same curve verifies and is reported", arguments: signing)
    func newerIdentifier(_ curve: Curve, algorithm: COSEAlgorithm, newer: Int64) throws {
        let (parts, pair) = try signed(curve, algorithm: newer)
        let key = try pair.privateKey.publicKey()
        let signature = try parts.sign1()
        try signature.verify(with: key)
        #expect(try signature.headers.algorithm().isFullySpecified)
        #expect(!algorithm.isFullySpecified)
    }

    @Test("Q153 An identifier of another curve or hash is refused, older or newer", arguments: signing)
    func otherIdentifier(_ curve: Curve, algorithm: COSEAlgorithm, newer: Int64) throws {
        let all = Set(Self.signing.flatMap { [$0.1.identifier, $0.newer] } + [5, 4, -37, -257, -47, 0, 999])
        for identifier in all.subtracting([algorithm.identifier, newer]) {
            let (parts, pair) = try signed(curve, algorithm: identifier)
            let key = try pair.privateKey.publicKey()
            #expect(throws: COSEError.algorithmNotAllowed(identifier)) { try parts.sign1().verify(with: key) }
        }
    }

    @Test(
        "Q151 Without an algorithm in the protected header it is refused, whatever the unprotected one says",
        arguments: [
            ("", "a0"), ("a0", "a0"), ("", "a10126"), ("a0", "a10126"), ("a1 01 6545533235 36", "a0"),
        ])
    func algorithmMissing(_ protected: String, unprotected: String) throws {
        let pair = COSEKeyPair(try PrivateKey.generate(.p256))
        var parts = COSEParts()
        parts.protected = [UInt8](hex: protected)
        parts.unprotected = [UInt8](hex: unprotected)
        try parts.sign(with: pair.privateKey, .ecdsa(.sha256))
        let key = try pair.privateKey.publicKey()
        #expect(throws: COSEError.algorithmMissing) { try parts.sign1().verify(with: key) }
    }

    @Test(
        "Q148 A label in both headers is refused, and so is one twice in a header",
        arguments: [
            ("a10126", "a10126", COSEError.labelInBothHeaders(1)),
            ("a10126", "a1180126", .labelInBothHeaders(1)),
            ("a20126182140", "a1182140", .labelInBothHeaders(33)), ("a201260126", "a0", .malformed(.sign1)),
            ("a20126180126", "a0", .malformed(.sign1)),
            ("a20126616100", "a1616101", .textLabelInBothHeaders),
            ("a201267f6161ff00", "a1616101", .textLabelInBothHeaders),
        ])
    func labels(_ protected: String, unprotected: String, error: COSEError) throws {
        var parts = COSEParts()
        parts.protected = [UInt8](hex: protected)
        parts.unprotected = [UInt8](hex: unprotected)
        parts.last = [UInt8](repeating: 1, count: 64)
        #expect(throws: error) { try parts.sign1() }
    }

    @Test("Q148 An unprotected header with one label twice is refused as invalid CBOR")
    func labelTwice() {
        var parts = COSEParts()
        parts.unprotected = [UInt8](hex: "a2182140182140")
        #expect(throws: CBORError.duplicateKey(at: 9)) { try parts.sign1() }
    }

    @Test(
        "Q148 Different labels in both headers are read",
        arguments: [
            ("a10126", "a1044131"), ("a20126616100", "a1616201"), ("a10126", "a16131 00"),
        ])
    func differentLabels(_ protected: String, unprotected: String) throws {
        var parts = COSEParts()
        parts.protected = [UInt8](hex: protected)
        parts.unprotected = [UInt8](hex: unprotected)
        parts.last = [UInt8](repeating: 1, count: 64)
        #expect(try parts.sign1().headers.algorithm().identifier == -7)
    }

    @Test(
        "Q149 Signed with external data nil, or any but an empty string, it is invalid",
        arguments: ["f6", "4100", "60", "f7"])
    func externalData(_ data: String) throws {
        let pair = COSEKeyPair(try PrivateKey.generate(.p256))
        let key = try pair.privateKey.publicKey()
        var parts = COSEParts()
        try parts.sign(with: pair.privateKey, .ecdsa(.sha256), externalData: [UInt8](hex: data))
        #expect(throws: COSEError.signatureInvalid) { try parts.sign1().verify(with: key) }
        try parts.sign(with: pair.privateKey, .ecdsa(.sha256))
        try parts.sign1().verify(with: key)
    }

    @Test("Q147 A value under tag 18 is read and reported; tag 17 and two tags are refused")
    func tags() throws {
        var (parts, pair) = try signed(.p256, algorithm: -7)
        let key = try pair.privateKey.publicKey()
        #expect(try !parts.sign1().isTagged)
        parts.tag = 18
        try parts.sign1().verify(with: key)
        #expect(try parts.sign1().isTagged)
        for tag in [17, 98, 24] as [UInt64] {
            parts.tag = tag
            #expect(throws: COSEError.malformed(.sign1)) { try parts.sign1() }
        }
        parts.tag = 18
        let twice = [0xd2] + parts.encoded()
        #expect(throws: COSEError.malformed(.sign1)) { try COSESign1(CBORItem.parse(twice[...])) }
    }

    @Test("A signature of another size or form is malformed, zeros are invalid")
    func malformedSignature() throws {
        var (parts, pair) = try signed(.p256, algorithm: -7)
        let key = try pair.privateKey.publicKey()
        let good = parts.last
        for bad in [[], Array(good.dropLast()), good + [0], [0] + good, Array(good.prefix(32))] {
            parts.last = bad
            #expect(throws: COSEError.signatureMalformed) { try parts.sign1().verify(with: key) }
        }
        parts.last = [UInt8](repeating: 0, count: 64)
        #expect(throws: COSEError.signatureInvalid) { try parts.sign1().verify(with: key) }
        parts.last = [UInt8](repeating: 0xff, count: 64)
        #expect(throws: COSEError.signatureInvalid) { try parts.sign1().verify(with: key) }
    }

    @Test("Q219 An embedded payload is not verified as detached, nor the other way")
    func payloadPlace() throws {
        let (embedded, pair) = try signed(.p256, algorithm: -7)
        let key = try pair.privateKey.publicKey()
        let payload = Array("payload".utf8)
        #expect(throws: COSEError.payloadMisplaced) {
            try embedded.sign1().verify(with: key, detachedPayload: [payload[...]])
        }
        var detached = embedded
        detached.payload = nil
        #expect(throws: COSEError.payloadMisplaced) { try detached.sign1().verify(with: key) }
        try detached.sign1().verify(with: key, detachedPayload: [payload[...]])
        try detached.sign1().verify(with: key, detachedPayload: [payload[..<3], payload[3...]])
        #expect(throws: COSEError.signatureInvalid) {
            try detached.sign1().verify(with: key, detachedPayload: [payload[..<3]])
        }
    }

    @Test(
        "What is not the array of four is malformed",
        arguments: [
            "a0", "80", "8343a10126a040", "8543a10126a0404040", "8443a10126a04060", "8463616263a04040",
            "8443a10126804040",
            "8443a10126a00040", "8443a101ffa04040", "844481a10126a04040", "8444a1012600a04040", "f6",
        ])
    func malformed(_ hex: String) throws {
        let bytes = [UInt8](hex: hex)
        guard let item = try? CBORItem.parse(bytes[...]) else {
            Issue.record("not CBOR: \(hex)")
            return
        }
        #expect(throws: COSEError.malformed(.sign1)) { try COSESign1(item) }
    }

    @Test(
        "A critical header that we do not know is refused in either place",
        arguments: [
            ("a20126028118 63", "a0"), ("a10126", "a1028118 63"), ("a201260280", "a0"),
        ])
    func critical(_ protected: String, unprotected: String) throws {
        var parts = COSEParts()
        parts.protected = [UInt8](hex: protected)
        parts.unprotected = [UInt8](hex: unprotected)
        #expect(throws: COSEError.criticalHeaderNotUnderstood) { try parts.sign1() }
    }

    @Test(
        "Q146 x5chain is a byte string or an array of them, in either header",
        arguments: [
            ("a10126", "a11821 43010203", ["010203"], false),
            ("a10126", "a11821 81 43010203", ["010203"], false),
            ("a10126", "a11821 82 43010203 4104", ["010203", "04"], false),
            ("a20126 1821 43010203", "a0", ["010203"], true),
            ("a20126 1821 82 43010203 4104", "a0", ["010203", "04"], true),
        ])
    func x5chain(_ protected: String, unprotected: String, chain: [String], isProtected: Bool) throws {
        var parts = COSEParts()
        parts.protected = [UInt8](hex: protected)
        parts.unprotected = [UInt8](hex: unprotected)
        let headers = try parts.sign1().headers
        #expect(try headers.x5chain().map(\.hex) == chain)
        #expect(headers.hasProtectedX5Chain == isProtected)
    }

    @Test(
        "Q146 An empty array, text, nothing, or too many certificates are no chain",
        arguments: [
            "a0", "a1182180", "a118216461626364", "a11821816461626364", "a11821f6", "a1182101",
            "a11821 82 4101 6102",
            "a11821 89 4101 4101 4101 4101 4101 4101 4101 4101 4101",
        ])
    func noX5chain(_ unprotected: String) throws {
        var parts = COSEParts()
        parts.unprotected = [UInt8](hex: unprotected)
        let headers = try parts.sign1().headers
        #expect(throws: COSEError.certificateChainMalformed) { try headers.x5chain() }
    }

    @Test("Our signer writes what is verified, untagged, with alg protected and x5chain not")
    func signer() throws {
        let pair = COSEKeyPair(try PrivateKey.generate(.p384))
        let signer = COSESigner(algorithm: .es384, x5chain: [[1, 2], [3]])
        let bytes = try signer.sign1([9], detached: false, with: pair.privateKey, algorithm: .ecdsa(.sha384))
        let signature = try COSESign1(CBORItem.parse(bytes[...]))
        #expect(!signature.isTagged)
        #expect(!signature.headers.hasProtectedX5Chain)
        #expect(try signature.headers.x5chain().map(Array.init) == [[1, 2], [3]])
        let key = try pair.privateKey.publicKey()
        try signature.verify(with: key)
        let detached = try signer.sign1(
            [9], detached: true, with: pair.privateKey, algorithm: .ecdsa(.sha384))
        try COSESign1(CBORItem.parse(detached[...])).verify(with: key, detachedPayload: [[9]])
    }
}
