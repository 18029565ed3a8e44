internal import Glibc
package import OpenSSLCrypto
package import PKIX

/// Where the identities of this reader are: a folder for each, with its key and its certificates, and the rules that
/// choose among them. All of it is its owner's alone.
package struct IdentityFolder: Sendable {
    /// The folder of all that Countersign keeps.
    package let store: String
    /// `identities` in it.
    package let path: String

    package init(store: String) {
        self.store = store
        path = "\(store)/identities"
    }

    package func keyPath(_ name: IdentityName) -> String { "\(path)/\(name.text)/key.pem" }
    package func certificatesPath(_ name: IdentityName) -> String { "\(path)/\(name.text)/certificates.pem" }
    package var choicePath: String { "\(path)/choice.json" }

    /// The identities in the folder, by name. An entry without a key is not an identity.
    package func names() throws(IdentityStoreError) -> [IdentityName] {
        guard let folder = unsafe opendir(path) else {
            guard errno == ENOENT else { throw .fileRefused(path: path, errno: errno) }
            return []
        }
        defer { unsafe closedir(folder) }
        var names: [IdentityName] = []
        while let entry = unsafe readdir(folder) {
            let text = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if let name = IdentityName(text), has(name) { names.append(name) }
        }
        return names.sorted()
    }

    /// Throws `unknown`, and what is wrong with who may change its folder.
    func check(_ name: IdentityName) throws(IdentityStoreError) {
        guard has(name) else { throw .unknown(name.text) }
        for folder in [store, path, "\(path)/\(name.text)"] { try PrivateFile.checkFolder(folder) }
    }

    package func has(_ name: IdentityName) -> Bool {
        unsafe access(keyPath(name), F_OK) == 0
    }

    /// Makes an identity of a key, which is never on the disk but under its final permissions. The folder is put
    /// together under another name: an identity is there as a whole, or not at all.
    package func create(
        _ name: IdentityName, _ key: borrowing PrivateKey
    ) throws(IdentityStoreError) {
        try changing { () throws(IdentityStoreError) in
            guard !has(name) else { throw .nameTaken(name) }
            try PrivateFile.makeFolder(draft)
            defer { discardDraft() }
            try PrivateFile.create("\(draft)/key.pem", key)
            do throws(IdentityStoreError) {
                try PrivateFile.rename(draft, to: "\(path)/\(name.text)")
            } catch {
                if case .fileRefused(_, ENOTEMPTY) = error { throw .nameTaken(name) }
                throw error
            }
        }
    }

    /// Keeps the certificates of an identity in place of those it had.
    package func keep(_ chain: CertificateChain, for name: IdentityName) throws(IdentityStoreError) {
        let text = chain.certificates.flatMap { PEM.encode($0.der, label: "CERTIFICATE") }
        try changing { () throws(IdentityStoreError) in
            guard has(name) else { throw .unknown(name.text) }
            try PrivateFile.replace(certificatesPath(name), with: text[...])
        }
    }

    /// Runs `body` while no other process changes anything here, after removing what an interrupted one left.
    func changing<R>(_ body: () throws(IdentityStoreError) -> R) throws(IdentityStoreError) -> R {
        try PrivateFile.makeFolder(path)
        try PrivateFile.checkFolder(store)
        let lock = try FolderLock("\(path)/.lock")
        discardDraft()
        defer { lock.release() }
        return try body()
    }

    private var draft: String { "\(path)/.new" }

    private func discardDraft() {
        _ = unsafe unlink("\(draft)/key.pem")
        _ = unsafe rmdir(draft)
    }
}
