internal import CBOR
internal import COSE
internal import MdocModel
package import MdocTrust
internal import OpenSSLCrypto
package import TestCredentials

/// The world's lists: what its root, its provider and their signers sign in the seeds, and nowhere else.
extension FuzzWorld {
    package static let revoked: [UInt8] = [0x42, 9, 9]

    package func revocationList() -> TestRevocationList {
        TestRevocationList(issuer.authority, [.init(Self.revoked, reason: 1), .init([7])])
    }

    package func vical() throws -> TestVICAL {
        try TestVICAL([.init(issuer.authority.der)], provider: provider, key: listKey)
    }

    package func statusToken(_ kind: StatusToken.Kind) throws -> TestStatusToken {
        var token = try TestStatusToken(kind, authority: issuer.authority, key: listKey)
        token.identifiers = [Self.revoked]
        return token
    }

    package func bundle(of sources: [TrustSource]? = nil) throws -> [UInt8] {
        try TrustBundle.export(
            TrustSnapshot(sources ?? roots), created: now, signedWith: listKey.privateKey)
    }

    /// A COSE_Sign1 over any payload by the signer of lists, so that what stands behind the signature is fuzzed too.
    func signed(_ payload: ArraySlice<UInt8>, type: String? = nil, certificate: [UInt8]) -> [UInt8] {
        var signer = COSESigner(algorithm: .es256, x5chain: [certificate[...]])
        signer.protected = CBOREncoder.encode { encoder in
            encoder.map(count: type == nil ? 1 : 2)
            encoder.integer(1)
            encoder.integer(COSEAlgorithm.es256.identifier)
            guard let type else { return }
            encoder.integer(16)
            encoder.text(type)
        }
        return
            (try? signer.sign1(
                Array(payload), detached: false, with: listKey.privateKey, algorithm: .ecdsa(.sha256))) ?? []
    }
}
