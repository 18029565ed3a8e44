internal import NIOCore
internal import NIOSSL
internal import PKIX

/// The roots that verify the certificates of servers. They say nothing about which issuers are trusted.
package enum ServerRoots: Sendable {
    /// The roots of the operating system.
    case system
    /// The certificates of a PEM instead of the system's: for a shop whose proxy opens TLS.
    case pem([UInt8])
}

extension ServerRoots {
    /// TLS 1.2 or newer, the certificate verified with the host's name.
    func tlsConfiguration() throws(TrustFetchError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        // A server that does not close TLS must not delay the end.
        configuration.shutdownTimeout = .milliseconds(200)
        if case .pem(let pem) = self {
            guard let certificates = try? certificates(fromPEMOrDER: pem[...]),
                let roots = try? certificates.map({
                    try NIOSSLCertificate(bytes: Array($0.der), format: .der)
                })
            else { throw .serverRootsUnreadable }
            configuration.trustRoots = .certificates(roots)
        }
        return configuration
    }
}
