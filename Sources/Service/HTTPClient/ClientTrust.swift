package import OpenSSLCrypto

/// The roots that verify servers, and what the client shows for itself. TLS is 1.2 or newer, and every certificate is verified with
/// the host's name.
package struct ClientTrust: Sendable {
    package enum Roots: Sendable {
        /// The roots of the operating system (ca-certificates).
        case system
        /// These certificates (PEM) and no others.
        case pem([UInt8])
    }

    let roots: Roots
    let credentials: ClientCredentials?

    package init(_ roots: Roots, showing credentials: ClientCredentials? = nil) {
        self.roots = roots
        self.credentials = credentials
    }
}

/// A client's certificate with those above it, and its key, in PEM.
package final class ClientCredentials: Sendable {
    let certificates: [UInt8]
    let key: SecretBytes

    package init(certificates: [UInt8], key: consuming SecretBytes) {
        self.certificates = certificates
        self.key = key
    }
}
