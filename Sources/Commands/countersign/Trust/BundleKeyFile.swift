internal import CommandLineInterface
internal import JSON
internal import OpenSSLCrypto
internal import PKIX

/// The public key of whoever makes bundles.
enum BundleKeyFile {
    static let largestFile = 1 << 16

    /// From PEM: a public key, or a certificate that has it.
    static func publicKey(_ path: String) throws(CommandFailure) -> PublicKey {
        let text = try InputFile.read(path, limit: largestFile)
        if let block = try? PEM.decode(text[...], label: "PUBLIC KEY").first,
            let key = try? SubjectPublicKeyInfo(der: block[...]).publicKey()
        {
            return key
        }
        if let block = try? PEM.decode(text[...], label: "CERTIFICATE").first,
            let key = try? Certificate(der: block[...]).publicKey()
        {
            return key
        }
        throw .usage(
            "\(Terminal.safe(path)): neither a public key nor a certificate in PEM whose key can be used")
    }
}
