internal import OpenSSLCrypto

/// A chain of certificates, the leaf first. Each certificate is signed by the next one. The last certificate
/// need not be trusted.
package struct CertificateChain: Sendable {
    package let leaf: Certificate
    /// The certificates above the leaf, in order.
    package let issuers: [Certificate]

    /// Checks order, names and signatures, but neither validity nor profile.
    package init(_ certificates: [Certificate]) throws(CertificateChainError) {
        guard let leaf = certificates.first else { throw .empty }
        guard certificates.count <= Self.maximumCount else { throw .tooLong(limit: Self.maximumCount) }
        for (index, (certificate, issuer)) in zip(certificates, certificates.dropFirst()).enumerated() {
            guard certificate.isSigned(by: issuer) else { throw .notSignedByNext(index) }
        }
        self.leaf = leaf
        issuers = Array(certificates.dropFirst())
    }

    /// The maximum number of certificates.
    package static let maximumCount = 8

    /// All certificates, the leaf first.
    package var certificates: [Certificate] { [leaf] + issuers }

    /// The certificates to send: all that are not self-signed (Q171). Empty if the leaf is self-signed.
    package var withoutRoots: [Certificate] { certificates.filter { !$0.isSigned(by: $0) } }
}

/// The reason why certificates do not form a usable chain.
package enum CertificateChainError: Error, Equatable, Sendable {
    case empty
    case tooLong(limit: Int)
    /// The certificate at this index (from 0) is not signed by the next certificate, or names another issuer.
    case notSignedByNext(Int)
    /// The leaf is self-signed, so no root can make it trusted.
    case leafSelfSigned
    case keyNotOfLeaf
    /// The curve of the leaf's key has no signature algorithm.
    case keyCannotSign
}

extension Certificate {
    /// Returns whether `issuer` is the issuer of this certificate: its subject is this certificate's issuer
    /// name, and its key signed this certificate.
    package func isSigned(by issuer: Certificate) -> Bool {
        guard self.issuer == issuer.subject else { return false }
        do throws(OpenSSLCryptoError) {
            try verifySignature(with: issuer.subjectPublicKeyInfo.authorityKey())
            return true
        } catch {
            return false
        }
    }
}

extension CertificateChainError {
    /// A text that describes the error.
    package var explanation: String {
        switch self {
        case .empty: "there is no certificate"
        case .tooLong(let limit): "there are more than \(limit) certificates"
        case .notSignedByNext(let index): "certificate \(index + 1) is not signed by the next one"
        case .leafSelfSigned:
            "the certificate is self-signed: an authority that wallets trust must issue it"
        case .keyNotOfLeaf: "the certificate is not for this key"
        case .keyCannotSign: "the certificate's key is of a kind that cannot sign"
        }
    }
}
