internal import ErrorMapping
internal import Foundation
internal import Glibc
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderIdentityStore

/// The keys of retained data, in a folder outside the store: one for each day on which fields expire, deleted with
/// that day. So purged data cannot be read from a copy of the store, nor from disk blocks that were freed. One more
/// key, which is kept, makes references unreadable.
struct RetentionKeys: Sendable {
    private static let suffix = ".key"
    private static let keySize = 32

    let folder: String

    /// Seals and opens fields that fall due on `day`. To be called while the store is held for a change.
    func cipher(due day: FullDate, making isNew: Bool) throws(ReaderStoreError) -> AESGCM {
        let key = try key("\(day)", making: isNew)
        do throws(OpenSSLCryptoError) {
            return try AESGCM(key: key)
        } catch {
            throw .sealBroken
        }
    }

    /// The value that the store has in place of a reference.
    func digest(
        of reference: RetainedReference, making isNew: Bool
    ) throws(ReaderStoreError) -> [UInt8] {
        let key = try key("reference", making: isNew)
        return try mapping(hmacSHA256(key: key, over: [Array(reference.text.utf8)[...]])) {
            (_: OpenSSLCryptoError) in ReaderStoreError.sealBroken
        }
    }

    /// Removes the keys of the days before `day`, as many as can be. To be called while the store is held for a change.
    ///
    /// - Returns: why some are still there, where they are.
    func removeAll(before day: FullDate) -> IdentityStoreError? {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
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

    /// `2026-11-28.key`, whose order is that of the days.
    private func isDay(_ name: String) -> Bool {
        guard name.hasSuffix(Self.suffix) else { return false }
        guard case .day? = DateText(name.dropLast(Self.suffix.count).utf8)?.value else { return false }
        return true
    }

    private func key(_ name: String, making isNew: Bool) throws(ReaderStoreError) -> SecretBytes {
        let path = "\(folder)/\(name)\(Self.suffix)"
        do throws(IdentityStoreError) {
            return try read(path)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            guard isNew else { throw .sealBroken }
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

    private func read(_ path: String) throws(IdentityStoreError) -> SecretBytes {
        try PrivateFile.withSecret(path) { bytes throws(IdentityStoreError) in
            guard bytes.count == Self.keySize else { throw .keyUnusable(.keySizeWrong) }
            return SecretBytes(copying: bytes)
        }
    }
}
