/// RSA as some roots and CRLs still sign (RFC 8017, A.2; RFC 4055).
package struct RSASignatureAlgorithm: Hashable, Sendable {
    package enum Padding: Hashable, Sendable { case pkcs1, pss }

    package let hash: HashAlgorithm
    package let padding: Padding

    package init(_ hash: HashAlgorithm, _ padding: Padding) {
        self.hash = hash
        self.padding = padding
    }
}
