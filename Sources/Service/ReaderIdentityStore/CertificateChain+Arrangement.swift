internal import ErrorMapping
package import OpenSSLCrypto
package import PKIX

extension CertificateChain {
    /// The chain of `key` among the certificates that an authority returned, in whatever order they came, with or
    /// without their root.
    ///
    /// - Returns: the chain, and how many certificates belong to none.
    package static func arranged(
        _ certificates: [Certificate], for key: borrowing PrivateKey
    ) throws(IdentityStoreError) -> (chain: CertificateChain, leftOver: Int) {
        guard certificates.count <= maximumCount else {
            throw .chainUnusable(.tooLong(limit: maximumCount))
        }
        var rest = certificates
        // A renewed certificate beside the old one: the one that holds longer.
        let own = rest.indices.filter { rest[$0].isFor(key) }.max { rest[$0].notAfter < rest[$1].notAfter }
        guard let own else { throw .keyNotCertified }
        var chain = [rest.remove(at: own)]
        while let last = chain.last, !last.isSigned(by: last),
            let issuer = rest.firstIndex(where: last.isSigned(by:))
        {
            chain.append(rest.remove(at: issuer))
        }
        return try mapping((try CertificateChain(chain), rest.count), IdentityStoreError.chainUnusable)
    }
}

extension Certificate {
    fileprivate func isFor(_ key: borrowing PrivateKey) -> Bool {
        guard let own = try? publicKey() else { return false }
        return own.curve == key.curve && own.encodedPoint == key.encodedPoint
    }
}
