internal import COSE
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocWallet
internal import OpenSSLCrypto
internal import ReaderIdentityStore

/// The folder of `--issuer`, in which the root of a test issuer is kept between runs: `key.pem` and `root.der`.
///
/// Anybody who reads the key can make documents that a reader with this root accepts. So only the owner may
/// access the folder and its files.
struct IssuerFolder {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    private var keyPath: String { "\(path)/key.pem" }
    private var rootPath: String { "\(path)/root.der" }

    /// Returns the root in the folder, or makes a root if the folder has no key. A root must be valid for
    /// longer than each document signer's certificate. If the root in the folder expires too early, a new
    /// root with the old key replaces it, and the new root must be imported.
    func root(at now: Timestamp) throws(CommandFailure) -> TestIssuerRoot {
        do throws(IdentityStoreError) {
            try PrivateFile.makeFolder(path)
        } catch {
            throw Self.refused(error)
        }
        guard let key = try key() else {
            let made = try making { () throws(OpenSSLCryptoError) in try TestIssuerRoot(now: now) }
            do throws(IdentityStoreError) {
                try PrivateFile.create(keyPath, made.key.privateKey)
            } catch {
                throw Self.refused(error)
            }
            return try keep(made)
        }
        if let root = try kept(of: key), root.outlivesSigner(madeAt: now) { return root }
        return try keep(making { () throws(OpenSSLCryptoError) in try TestIssuerRoot(key: key, now: now) })
    }

    /// Reads the key. Returns nil if there is none yet.
    private func key() throws(CommandFailure) -> COSEKeyPair? {
        do throws(IdentityStoreError) {
            return COSEKeyPair(try PrivateFile.key(keyPath))
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return nil
        } catch .keyUnusable(let error) {
            throw damaged(keyPath, "not a private key (\(error.explanation))")
        } catch {
            throw Self.refused(error)
        }
    }

    /// Reads the certificate of `key`. Returns nil if the file does not exist, for example because an earlier
    /// run was interrupted after it had written the key.
    private func kept(of key: COSEKeyPair) throws(CommandFailure) -> TestIssuerRoot? {
        let certificate: [UInt8]
        do throws(IdentityStoreError) {
            certificate = try PrivateFile.read(rootPath)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return nil
        } catch {
            throw Self.refused(error)
        }
        guard let root = TestIssuerRoot(key: key, certificate: certificate) else {
            throw damaged(rootPath, "not the root certificate of key.pem")
        }
        return root
    }

    private func keep(_ root: TestIssuerRoot) throws(CommandFailure) -> TestIssuerRoot {
        do throws(IdentityStoreError) {
            try PrivateFile.replace(rootPath, with: root.certificate[...])
        } catch {
            throw Self.refused(error)
        }
        return root
    }

    private func making(
        _ body: () throws(OpenSSLCryptoError) -> TestIssuerRoot
    ) throws(CommandFailure) -> TestIssuerRoot {
        do throws(OpenSSLCryptoError) {
            return try body()
        } catch {
            throw .unavailable("the issuer cannot be made: \(error.explanation)")
        }
    }

    private func damaged(_ file: String, _ what: String) -> CommandFailure {
        .malformed(
            "\(Terminal.safe(file)): \(what): restore the file, or remove the folder to make a new issuer, whose root must be imported again"
        )
    }

    private static func refused(_ error: IdentityStoreError) -> CommandFailure {
        .usage("--issuer: \(error.explanation)")
    }
}
