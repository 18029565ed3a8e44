internal import HTTPClient
internal import OpenSSLCrypto
internal import PKIX

/// The roots that verify the certificates of servers. They say nothing about which issuers are trusted.
package enum ServerRoots: Sendable {
    /// The roots of the operating system.
    case system
    /// The certificates of a PEM instead of the system's: for a shop whose proxy opens TLS.
    case pem([UInt8])
}

extension ServerRoots {
    func trust() throws(TrustFetchError) -> ClientTrust {
        guard case .pem(let pem) = self else { return ClientTrust(.system) }
        guard let roots = try? certificates(fromPEMOrDER: pem[...]) else { throw .serverRootsUnreadable }
        return ClientTrust(.pem(roots.flatMap { PEM.encode($0.der, label: "CERTIFICATE") }))
    }
}
