package import CBOR
package import OpenSSLCrypto

/// A COSE_Key (RFC 9052 7) with a public key of type EC2 or OKP.
///
/// The initialiser parses the key. `publicKey()` checks that the key is on its curve.
package struct COSEKey: Sendable {
    /// The map as received. Transcripts use these bytes, never a new encoding of the key (Q45).
    package let encoded: ArraySlice<UInt8>
    package let curve: Curve
    private let x: ArraySlice<UInt8>
    private let y: YCoordinate

    private enum YCoordinate: Sendable {
        case none
        case coordinate(ArraySlice<UInt8>)
        case isOdd(Bool)
    }

    private enum Label {
        static let keyType: Int64 = 1
        static let curve: Int64 = -1
        static let x: Int64 = -2
        static let y: Int64 = -3
        static let privatePart: Int64 = -4
    }

    package init(_ item: CBORItem) throws(COSEError) {
        encoded = item.encoded
        // All members are read first, because the key is malformed if any member has a wrong CBOR type.
        let members:
            (privatePart: CBORItem?, keyType: Int64?, curve: Int64?, x: ArraySlice<UInt8>?, y: CBORItem?)
        do throws(CBORError) {
            let map = try item.map()
            members = (
                map[Label.privatePart], try map[Label.keyType]?.integer(), try map[Label.curve]?.integer(),
                try map[Label.x]?.byteString(), map[Label.y]
            )
        } catch {
            throw .malformed(.key)
        }
        guard members.privatePart == nil else { throw .privateKeyPresent }
        guard let keyType = members.keyType, let identifier = members.curve, let x = members.x else {
            throw .malformed(.key)
        }
        // Key type 2 is EC2, with Weierstrass curves; 1 is OKP.
        guard let curve = Curve(coseIdentifier: identifier), keyType == (curve.family == .weierstrass ? 2 : 1)
        else { throw .keyNotUsable }
        self.curve = curve
        self.x = x
        y = curve.family == .weierstrass ? try Self.yCoordinate(members.y) : .none
    }

    /// Reads y: a coordinate, or a boolean that says whether y is odd (a compressed point).
    private static func yCoordinate(_ item: CBORItem?) throws(COSEError) -> YCoordinate {
        if let isOdd = try? item?.boolean() { return .isOdd(isOdd) }
        guard let coordinate = try? item?.byteString() else { throw .malformed(.key) }
        return .coordinate(coordinate)
    }

    /// Returns the public key. Throws for a point that is not on its curve, or a coordinate that does not
    /// have the size of the curve (Q48, Q218).
    package func publicKey() throws(COSEError) -> PublicKey {
        try requireSize(of: x)
        if case .coordinate(let y) = y { try requireSize(of: y) }
        do throws(OpenSSLCryptoError) {
            switch y {
            case .none: return try PublicKey(curve: curve, raw: x)
            case .coordinate(let y): return try PublicKey(curve: curve, x: x, y: y)
            case .isOdd(let isOdd): return try PublicKey(curve: curve, x: x, yIsOdd: isOdd)
            }
        } catch {
            throw .keyNotUsable
        }
    }

    /// Throws if a coordinate lacks leading zero bytes (Q218). All other wrong sizes are reported by
    /// `PublicKey`.
    private func requireSize(of coordinate: ArraySlice<UInt8>) throws(COSEError) {
        // The raw key of a Montgomery or Edwards curve is not a number, so it cannot lack leading zeros.
        guard coordinate.count >= curve.coordinateSize || curve.family != .weierstrass else {
            throw .coordinateTooShort(count: coordinate.count, size: curve.coordinateSize)
        }
    }

    /// Returns the encoding of a public key. `y` is empty for keys of type OKP.
    package static func encode(curve: Curve, x: [UInt8], y: [UInt8]) -> [UInt8] {
        CBOREncoder.encode { encoder in
            let isEC2 = curve.family == .weierstrass
            encoder.map(count: isEC2 ? 4 : 3)
            encoder.integer(Label.keyType)
            encoder.integer(isEC2 ? 2 : 1)
            encoder.integer(Label.curve)
            encoder.integer(curve.coseIdentifier)
            encoder.integer(Label.x)
            encoder.byteString(x)
            if isEC2 {
                encoder.integer(Label.y)
                encoder.byteString(y)
            }
        }
    }

    /// Returns the identifier of a key in receipts and fleets: the first 16 bytes of the SHA-256 over the
    /// COSE_Key (RFC 9679).
    ///
    /// - Parameter point: the uncompressed point 04‖x‖y on P-256.
    package static func shortThumbprint(ofP256 point: [UInt8]) -> [UInt8] {
        let key = encode(curve: .p256, x: Array(point.dropFirst().prefix(32)), y: Array(point.suffix(32)))
        return Array(Digest(.sha256, of: key[...]).bytes.prefix(shortThumbprintSize))
    }

    /// The size of a short thumbprint, in bytes.
    package static let shortThumbprintSize = 16
}

extension Curve {
    /// Finds the curve by its number in IANA "COSE Elliptic Curves".
    package init?(coseIdentifier: Int64) {
        guard let curve = Curve.allCases.first(where: { $0.coseIdentifier == coseIdentifier }) else {
            return nil
        }
        self = curve
    }

    /// The curve's number in IANA "COSE Elliptic Curves".
    package var coseIdentifier: Int64 {
        switch self {
        case .p256: 1
        case .p384: 2
        case .p521: 3
        case .x25519: 4
        case .x448: 5
        case .ed25519: 6
        case .ed448: 7
        case .brainpoolP256r1: 256
        case .brainpoolP320r1: 257
        case .brainpoolP384r1: 258
        case .brainpoolP512r1: 259
        }
    }
}

/// A private key and its public COSE_Key, which is encoded once, so that the transcript has exactly the bytes
/// that were sent (Q45).
package final class COSEKeyPair: Sendable {
    package let privateKey: PrivateKey
    package let publicKeyBytes: EncodedCBOR<COSEKey>

    package init(_ privateKey: consuming PrivateKey) {
        publicKeyBytes = EncodedCBOR(
            embedding: COSEKey.encode(curve: privateKey.curve, x: privateKey.x, y: privateKey.y))
        self.privateKey = privateKey
    }
}
