internal import ErrorMapping
internal import OpenSSLCrypto
internal import ReaderIdentityStore
internal import ReaderStore

/// The key from which the six digits of a presentation's outputs are made.
///
/// A till prints the digits in its journal. Only this computer can compute them from the presentation's id, so
/// they prove that a line of the journal belongs to a presentation. The key has its own file `output-code-key`
/// in the store's folder: the keys of pages and receipts can be replaced, and the digits must not change with
/// them.
final class OutputCodeKey: Sendable {
    private static let size = 32
    private static let digits = 6

    private let key: SecretBytes

    /// Reads the key, which is created if absent.
    ///
    /// - Parameter folder: the store's folder.
    /// - Throws: `keyFile` if the file cannot be read or written, or if other users may read it.
    init(store folder: String) throws(ReaderStoreError) {
        key = try mapping(Self.key(at: "\(folder)/output-code-key"), ReaderStoreError.keyFile)
    }

    private static func key(at path: String) throws(IdentityStoreError) -> SecretBytes {
        do throws(IdentityStoreError) {
            return try read(path)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            let fresh = try mapping(SecretBytes.random(size), IdentityStoreError.keyUnusable)
            try fresh.withUnprotectedBytes { bytes throws(IdentityStoreError) in
                try PrivateFile.replace(path, with: bytes)
            }
            return try read(path)
        }
    }

    private static func read(_ path: String) throws(IdentityStoreError) -> SecretBytes {
        try PrivateFile.withSecret(path) { bytes throws(IdentityStoreError) in
            guard bytes.count == size else { throw .keyUnusable(.keySizeWrong) }
            return SecretBytes(copying: bytes)
        }
    }

    /// Returns the six digits of a presentation: HMAC-SHA-256 of its id, reduced modulo a million.
    ///
    /// - Throws: `keyFile` if OpenSSL fails.
    func code(of id: PresentationID) throws(ReaderStoreError) -> String {
        let digest = try mapping(hmacSHA256(key: key, over: [Array(id.description.utf8)[...]])) {
            (error: OpenSSLCryptoError) in ReaderStoreError.keyFile(.keyUnusable(error))
        }
        // The remainder of 64 bits is uniform to one part in 10¹³.
        let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let text = String(number)
        return String(repeating: "0", count: Self.digits - text.utf8.count) + text
    }
}
