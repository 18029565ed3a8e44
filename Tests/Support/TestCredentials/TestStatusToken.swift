internal import OpenSSLCrypto
internal import CBOR
internal import COSE
internal import MdocModel
package import MdocTrust
package import PKIX

/// A status or identifier list as CWT made for a test, conforming unless a member is changed.
package struct TestStatusToken {
    package static let uri = "https://utopia.example/status/1"
    /// 16 statuses of one bit, published as an example: 1 0 0 1 1 1 0 1 1 1 0 0 0 1 0 1.
    package static let published: [UInt8] = [0x78, 0xda, 0xdb, 0xb9, 0x18, 0x00, 0x02, 0x17, 0x01, 0x5d]

    package var kind: StatusToken.Kind
    package var type: String?
    /// The encoded type in the protected header, in place of `type`.
    package var encodedType: [UInt8]?
    package var subject: String? = uri
    package var issued: Int64? = TestAuthority.now - 3600
    package var expires: Int64? = TestAuthority.now + TestAuthority.day
    package var timeToLive: Int64? = 43_200
    package var bits: UInt64 = 1
    package var compressed = published
    package var identifiers: [[UInt8]] = []
    /// Encoded keys of further entries, of whatever type.
    package var moreIdentifiers: [[UInt8]] = []
    /// Rewrites the encoded claims before they are signed.
    package var moreClaims: [(Int64, [UInt8])] = []
    package var hasChain = true

    package let key: TestKey
    package let certificate: [UInt8]

    /// A list that a status signer of `authority` signs.
    package init(
        _ kind: StatusToken.Kind = .statusList, authority: TestAuthority, key: TestKey? = nil,
        _ change: (CertificateTemplate) throws -> CertificateTemplate = { $0 }
    ) throws {
        self.kind = kind
        type = kind.rawValue
        self.key = try key ?? TestKey()
        certificate = try authority.sign(change(authority.statusSigner(for: self.key)))
    }

    private var list: (Int64, [UInt8]) {
        switch kind {
        case .statusList:
            (65_533, Encoded.map([("bits", Encoded.unsigned(bits)), ("lst", Encoded.bytes(compressed))]))
        case .identifierList:
            (
                65_530,
                Encoded.map([
                    (
                        "identifiers",
                        CBOREncoder.encode { encoder in
                            encoder.map(count: identifiers.count + moreIdentifiers.count)
                            for identifier in identifiers {
                                encoder.byteString(identifier)
                                encoder.map(count: 0)
                            }
                            for key in moreIdentifiers {
                                encoder.encoded(key)
                                encoder.map(count: 0)
                            }
                        }
                    )
                ])
            )
        }
    }

    private var claims: [UInt8] {
        var claims: [(Int64, [UInt8])] = []
        if let subject { claims.append((2, Encoded.text(subject))) }
        if let issued { claims.append((6, Encoded.unsigned(UInt64(max(0, issued))))) }
        if let expires { claims.append((4, Encoded.unsigned(UInt64(max(0, expires))))) }
        if let timeToLive { claims.append((65_534, Encoded.unsigned(UInt64(max(0, timeToLive))))) }
        claims.append(list)
        claims += moreClaims
        return CBOREncoder.encode { encoder in
            encoder.map(count: claims.count)
            for (label, value) in claims {
                encoder.integer(label)
                encoder.encoded(value)
            }
        }
    }

    package func encoded(signedBy other: TestKey? = nil) throws -> [UInt8] {
        var signer = COSESigner(algorithm: .es256)
        signer.protected = CBOREncoder.encode { encoder in
            encoder.map(count: 1 + (type == nil ? 0 : 1) + (hasChain ? 1 : 0))
            encoder.integer(1)
            encoder.integer(COSEAlgorithm.es256.identifier)
            if let type {
                encoder.integer(16)
                encoder.encoded(encodedType ?? Encoded.text(type))
            }
            if hasChain {
                encoder.integer(33)
                encoder.byteString(certificate)
            }
        }
        return Encoded.tagged(
            18,
            try signer.sign1(
                claims, detached: false, with: (other ?? key).privateKey, algorithm: .ecdsa(.sha256)))
    }

    /// `{"status_list": …}` of an MSO that points to this list.
    package func reference(index: UInt64, certificate: [UInt8]? = nil) -> [UInt8] {
        var members = [("idx", Encoded.unsigned(index)), ("uri", Encoded.text(Self.uri))]
        if let certificate { members.append(("certificate", Encoded.bytes(certificate))) }
        return Encoded.map([("status_list", Encoded.map(members))])
    }

    /// `{"identifier_list": …}` of an MSO that points to this list.
    package func reference(identifier: [UInt8]) -> [UInt8] {
        Encoded.map([
            (
                "identifier_list",
                Encoded.map([("id", Encoded.bytes(identifier)), ("uri", Encoded.text(Self.uri))])
            )
        ])
    }
}
