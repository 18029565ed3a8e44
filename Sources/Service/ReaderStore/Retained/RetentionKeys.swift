internal import ErrorMapping
internal import Foundation
internal import Glibc
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderIdentityStore

/// The keys of retained data, in a folder outside the store.
///
/// For each day on which fields expire there is one key, which is deleted after that day. Deleted data
/// therefore cannot be read from a copy of the store or from freed disk blocks. One more key, which stays,
/// turns references into keyed digests.
struct RetentionKeys: Sendable {
    private static let suffix = ".key"
    private static let keySize = 32

    let folder: String

    /// Returns the cipher for fields whose deadline is on `day`. Call this function inside a write
    /// transaction of the store.
    ///
    /// - Parameter createIfMissing: whether a missing key is created; otherwise `sealBroken` is thrown.
    func cipher(due day: FullDate, createIfMissing: Bool) throws(ReaderStoreError) -> AESGCM {
        let key = try key("\(day)", createIfMissing: createIfMissing)
        do throws(OpenSSLCryptoError) {
            return try AESGCM(key: key)
        } catch {
            throw .sealBroken
        }
    }

    /// Returns the keyed digest (HMAC-SHA-256) that the store holds instead of a reference.
    ///
    /// - Parameter createIfMissing: whether a missing key is created; otherwise `sealBroken` is thrown.
    func digest(
        of reference: RetainedReference, createIfMissing: Bool
    ) throws(ReaderStoreError) -> [UInt8] {
        let key = try key("reference", createIfMissing: createIfMissing)
        return try mapping(hmacSHA256(key: key, over: [Array(reference.text.utf8)[...]])) {
            (_: OpenSSLCryptoError) in ReaderStoreError.sealBroken
        }
    }

    /// Deletes the keys of all days before `day`, as many as possible. Call this function inside a write
    /// transaction of the store.
    ///
    /// - Returns: the last error, or `nil` if all of these keys were deleted.
    func removeAll(before day: FullDate) -> IdentityStoreError? {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            // Without a folder there are no keys. For an existing folder `EACCES` stands for any error,
            // because the error of `FileManager` need not have an errno.
            return FileManager.default.fileExists(atPath: folder)
                ? .fileRefused(path: folder, errno: EACCES) : nil
        }
        var failure: IdentityStoreError?
        for name in names where isDay(name) && name < "\(day)" {
            do throws(IdentityStoreError) {
                try PrivateFile.remove("\(folder)/\(name)")
            } catch {
                failure = error
            }
        }
        return failure
    }

    /// Whether `name` is the file of a day's key, such as `2026-11-28.key`. Such names sort in the order of
    /// their days.
    private func isDay(_ name: String) -> Bool {
        guard name.hasSuffix(Self.suffix) else { return false }
        guard case .day? = DateText(name.dropLast(Self.suffix.count).utf8)?.value else { return false }
        return true
    }

    /// Returns a key of the folder.
    ///
    /// - Parameter createIfMissing: whether a missing key is created; otherwise `sealBroken` is thrown.
    private func key(_ name: String, createIfMissing: Bool) throws(ReaderStoreError) -> SecretBytes {
        let path = "\(folder)/\(name)\(Self.suffix)"
        do throws(IdentityStoreError) {
            return try read(path)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            // A new key would open nothing: fields sealed with the lost key stay unreadable, and a new key
            // for references would find none of the existing records.
            guard createIfMissing else { throw .sealBroken }
        } catch {
            throw .keyFile(error)
        }
        do throws(IdentityStoreError) {
            try PrivateFile.makeFolder(folder)
            let fresh = try mapping(SecretBytes.random(Self.keySize), IdentityStoreError.keyUnusable)
            try fresh.withUnprotectedBytes { bytes throws(IdentityStoreError) in
                try PrivateFile.replace(path, with: bytes)
            }
            return try read(path)
        } catch {
            throw .keyFile(error)
        }
    }

    /// Reads the file of a key, which must have `keySize` bytes.
    private func read(_ path: String) throws(IdentityStoreError) -> SecretBytes {
        try PrivateFile.withSecret(path) { bytes throws(IdentityStoreError) in
            guard bytes.count == Self.keySize else { throw .keyUnusable(.keySizeWrong) }
            return SecretBytes(copying: bytes)
        }
    }
}
