internal import Doctor
internal import ErrorMapping
internal import Fleet
internal import FoundationEssentials
internal import Glibc
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore
internal import ReaderTokens

/// The state of the files that the configuration names: who may read and change them, and their certificates
/// and keys.
struct HubFileFacts: Sendable {
    /// A file that cannot be used: the member of the configuration that names it, and the error.
    struct Fault: Sendable {
        let member: String
        let error: IdentityStoreError
    }

    /// The validity of a certificate with a matching key. The times are seconds since 1970.
    struct Credential: Sendable {
        let member: String
        let notBefore: Int64
        let notAfter: Int64
    }

    var now: Timestamp
    /// Files that the hub cannot read, or that other users may read or change.
    var files: [Fault] = []
    /// Certificates that are malformed, or do not match their key file.
    var mismatches: [Fault] = []
    var credentials: [Credential] = []
    /// The files of the member `keys` that contain no public key on P-256.
    var unusableKeys: [String] = []
    /// The number of public fleet keys that can be used.
    var keyCount = 0
    /// The paths of private fleet keys found beside their public halves.
    var privateKeys: [String] = []
    /// A message for each key of `readerTokens.keys` that cannot sign tokens.
    var unusableTokenKeys: [String] = []

    /// Examines every file that the configuration names.
    static func current(of configuration: HubConfiguration, at now: Timestamp) -> HubFileFacts {
        var facts = HubFileFacts(now: now)
        facts.examine("database", at: configuration.database, isSecret: true)
        facts.examine("broker.passwordFile", at: configuration.broker.passwordFile, isSecret: true)
        for (member, certificate, key) in [
            ("authority", configuration.authority, configuration.authorityKey),
            ("http", configuration.certificate, configuration.key),
            ("broker", configuration.broker.certificate, configuration.broker.key),
        ] {
            facts.examine(member, certificate: certificate, key: key)
        }
        for path in configuration.keys { facts.examine(fleetKey: path) }
        if let tokens = configuration.readerTokens {
            facts.examine(
                "readerTokens.brands", at: BrandFolder(path: tokens.brands).registryPath, isSecret: false)
            for key in tokens.keys { facts.examine("readerTokens.keys", at: key.path, isSecret: true) }
            facts.unusableTokenKeys = tokens.unusableKeys(at: now)
        }
        return facts
    }

    /// Reads a file, and records the error if the hub cannot read it or other users may change it.
    ///
    /// - Parameters:
    ///   - member: the member of the configuration that names the file.
    ///   - isSecret: whether only the owner may read the file.
    /// - Returns: whether there was no error.
    @discardableResult
    private mutating func examine(_ member: String, at path: String, isSecret: Bool) -> Bool {
        do throws(IdentityStoreError) {
            if isSecret {
                try PrivateFile.withSecret(path) { _ in }
            } else {
                _ = try PrivateFile.read(path)
            }
            return true
        } catch {
            files.append(Fault(member: member, error: error))
            return false
        }
    }

    /// Reads a certificate and its key, and records the certificate's validity or the error.
    private mutating func examine(_ member: String, certificate: String, key: String) {
        // Both files are examined, so that one fault does not hide the other.
        let isThere = examine("\(member).certificate", at: certificate, isSecret: false)
        guard examine("\(member).key", at: key, isSecret: true), isThere else { return }
        do throws(IdentityStoreError) {
            credentials.append(try Self.credential(of: member, certificate: certificate, key: key))
        } catch {
            mismatches.append(Fault(member: member, error: error))
        }
    }

    /// Reads the validity of the first certificate in a file.
    ///
    /// - Throws: `keyNotCertified` if the certificate is for another key.
    private static func credential(
        of member: String, certificate: String, key: String
    ) throws(IdentityStoreError) -> Credential {
        let bytes = try PrivateFile.read(certificate)
        // The hub's own certificate is the first of the file. A file without certificates is an error.
        let first = try mapping(
            certificates(fromPEMOrDER: bytes[...])[0], IdentityStoreError.certificatesUnreadable)
        let own = try PrivateFile.key(key)
        let info = try mapping(own.publicKey().subjectPublicKeyInfo, IdentityStoreError.keyUnusable)
        guard first.subjectPublicKeyInfo.encoding.elementsEqual(info) else { throw .keyNotCertified }
        return Credential(member: member, notBefore: first.notBefore, notAfter: first.notAfter)
    }

    /// Reads the public half of a fleet key. If the private half is in the same folder, records its path,
    /// because a private half must not be on a hub.
    private mutating func examine(fleetKey path: String) {
        // `countersign-hub authority fleet-key FILE` writes the public half to FILE.pub.
        if path.hasSuffix(".pub") {
            let own = String(path.dropLast(".pub".count))
            if unsafe access(own, F_OK) == 0 { privateKeys.append(own) }
        }
        guard examine("keys", at: path, isSecret: false) else { return }
        if let pem = try? PrivateFile.read(path), (try? FleetKey(pem: pem)) != nil {
            keyCount += 1
        } else {
            unusableKeys.append(path)
        }
    }
}

extension HubFileFacts {
    static let checks: [DoctorCheck.ID] = [.hubFiles, .hubCertificates, .hubKeys]

    private static let warningDays: Int64 = 30

    var checks: [DoctorCheck] { [filesCheck, certificatesCheck, keysCheck] }

    private var filesCheck: DoctorCheck {
        guard let first = files.first else {
            return .ok(.hubFiles, "the hub can read its files, and only the hub can read the secret ones")
        }
        let texts = files.map {
            // `shared` is the form of the text without names and paths of this installation.
            "\($0.member): \(full: $0.error.explanation, shared: $0.error.id)" as CheckText
        }
        let fix: DoctorCheck.Remedy? =
            switch first.error {
            // The hub's files belong to the hub's user, so root must repeat the check as that user.
            case .ownedByOther where geteuid() == 0:
                .command("runuser -u countersign-hub -- countersign-hub doctor")
            case .exposed(let path, _): .command("chmod go= \(full: path, shared: "FILE")")
            default: nil
            }
        return .failed(
            .hubFiles, "files that are unreadable or open to other users: \(texts.joined(by: "; "))", fix: fix
        )
    }

    /// The check of the certificates. It reports a fault, or else the certificate that expires first.
    private var certificatesCheck: DoctorCheck {
        if let fault = mismatches.first {
            return .failed(
                .hubCertificates, "\(fault.member): \(full: fault.error.explanation, shared: fault.error.id)",
                fix: Self.renewal)
        }
        if let early = credentials.first(where: { $0.notBefore > now.secondsSince1970 }) {
            return .failed(
                .hubCertificates, "the certificate of \(early.member) is not valid yet: check the clock",
                fix: .command("timedatectl"))
        }
        guard let next = credentials.min(by: { $0.notAfter < $1.notAfter }) else {
            return .skipped(.hubCertificates, "no certificate can be read")
        }
        let days = (next.notAfter - now.secondsSince1970) / 86_400
        if next.notAfter <= now.secondsSince1970 {
            return .failed(
                .hubCertificates, "the certificate of \(next.member) has expired", fix: Self.renewal)
        }
        return days < Self.warningDays
            ? .warning(
                .hubCertificates, "the certificate of \(next.member) expires in \(days) days",
                fix: Self.renewal)
            : .ok(
                .hubCertificates, "the certificate of \(next.member) expires first, in \(days) days")
    }

    private static let renewal = DoctorCheck.Remedy.command(
        "countersign-hub authority server FOLDER NAME --host HOST --replace")

    /// The check of the keys that sign documents and reader tokens. The check reports the most harmful fault.
    private var keysCheck: DoctorCheck {
        if let path = privateKeys.first {
            return .failed(
                .hubKeys,
                "\(full: path, shared: "a private fleet key") lies on this hub: anybody who takes over the hub can sign documents for all kiosks. Move the file away, then withdraw the key"
            )
        }
        if let path = unusableKeys.first {
            return .failed(
                .hubKeys,
                "\(full: path, shared: "a file of keys"): there is no public key on P-256 in it: name a PEM file"
            )
        }
        guard unusableTokenKeys.isEmpty else {
            let texts = unusableTokenKeys.joined(separator: "; ")
            return .failed(
                .hubKeys, "\(full: texts, shared: "a key of readerTokens.keys was revoked or has expired")")
        }
        switch keyCount {
        case 0: return .skipped(.hubKeys, "no key can be read")
        case 1:
            return .note(
                .hubKeys, "there is one fleet key: no other key can withdraw it if it is stolen")
        default: return .ok(.hubKeys, "\(keyCount) fleet keys: the first can withdraw the others")
        }
    }
}
