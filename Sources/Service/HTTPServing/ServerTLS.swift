internal import ErrorMapping
package import NIOSSL
internal import OpenSSLCrypto
package import ReaderIdentityStore
internal import Synchronization

/// The certificate and key of a listener, and its rules for client certificates. A renewed certificate can
/// replace the present one while the listener is open.
package final class ServerTLS: Sendable {
    /// Whether a client must show a certificate. A certificate that the client shows is verified in both
    /// cases.
    package enum ClientCertificate: Sendable {
        case required, optional
    }

    private let context: Mutex<NIOSSLContext>

    /// Reads the certificate and the key.
    ///
    /// - Parameters:
    ///   - certificate: the path of the PEM file with the chain, the server's certificate first.
    ///   - key: the path of the PEM file with the private key, which only its owner may read.
    ///   - clientAuthority: the path of the PEM file with the roots of client certificates; `nil` if clients
    ///     need no certificate.
    package init(
        certificate: String, key: String, clientAuthority: String?,
        clientCertificate: ClientCertificate = .required
    ) throws(ServerTLSFault) {
        let chain = try Self.certificates(certificate)
        let key = try Self.key(key)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        if let clientAuthority {
            configuration.trustRoots = .certificates(try Self.certificates(clientAuthority))
            // A client has no host name that its certificate could be compared with.
            configuration.certificateVerification =
                clientCertificate == .required ? .noHostnameVerification : .optionalVerification
        }
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
            context = Mutex(try NIOSSLContext(configuration: configuration))
        } catch {
            throw .notOfOneKey(certificate)
        }
    }

    package var handler: NIOSSLServerHandler { NIOSSLServerHandler(context: context.withLock { $0 }) }

    /// Uses the certificate of `other` for all new connections.
    package func renew(from other: ServerTLS) {
        let renewed = other.context.withLock { $0 }
        context.withLock { $0 = renewed }
    }

    /// Reads the certificates in a PEM file, at least one.
    private static func certificates(_ path: String) throws(ServerTLSFault) -> [NIOSSLCertificate] {
        // `PrivateFile.read` is used for a public file as well, because it refuses a file that another user
        // may change.
        let bytes = try mapping(PrivateFile.read(path), ServerTLSFault.of(path))
        guard let blocks = try? PEM.decode(bytes[...], label: "CERTIFICATE"), !blocks.isEmpty,
            let certificates = try? blocks.map({ try NIOSSLCertificate(bytes: $0, format: .der) })
        else { throw .noCertificate(path) }
        return certificates
    }

    /// Reads the private key in a PEM file that only its owner may read.
    private static func key(_ path: String) throws(ServerTLSFault) -> NIOSSLPrivateKey {
        let key = try mapping(
            PrivateFile.withSecret(path) { bytes throws(IdentityStoreError) in
                try? NIOSSLPrivateKey(bytes: Array(bytes.withoutByteOrderMark), format: .pem)
            }, ServerTLSFault.of(path))
        guard let key else { throw .noKey(path) }
        return key
    }
}

/// The reason why a listener's certificate or key cannot be used. Each case names the file.
package enum ServerTLSFault: Error {
    case file(String, IdentityStoreError)
    case noCertificate(String)
    case noKey(String)
    /// The certificate does not belong to the key, or TLS does not accept it.
    case notOfOneKey(String)

    /// Returns a function for `mapping`, which turns an error of the file at `path` into a fault.
    static func of(_ path: String) -> (IdentityStoreError) -> ServerTLSFault {
        { .file(path, $0) }
    }
}
