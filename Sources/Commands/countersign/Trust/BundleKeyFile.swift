internal import JSON
internal import OpenSSLCrypto
internal import PKIX

/// The public key of whoever makes bundles.
enum BundleKeyFile {
    static let largestFile = 1 << 16

    /// From PEM: a public key, or a certificate that has it.
    static func publicKey(_ path: String) throws(CommandFailure) -> PublicKey {
        let text = try InputFile.read(path, limit: largestFile)
        if let block = try? PEM.decode(text[...], label: "PUBLIC KEY").first, let key = try? key(block[...]) {
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

    private static func key(_ der: ArraySlice<UInt8>) throws -> PublicKey {
        var reader = DERReader(der)
        let info = try SubjectPublicKeyInfo(reader.readElement())
        try reader.finish()
        return try info.publicKey()
    }
}
