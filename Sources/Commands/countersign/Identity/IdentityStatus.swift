internal import JSON
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import ReaderIdentityStore

/// The current state of one identity, for `identity list`, `identity lint` and the doctor.
struct IdentityStatus {
    /// The usability of an identity. The raw value is the value of the JSON member `state`.
    enum State: String {
        case ready
        case expiresSoon = "expires_soon"
        case noCertificates = "no_certificates"
        case notYetValid = "not_yet_valid"
        case expired
        case unusable
    }

    let name: IdentityName
    let state: State
    /// The storage of the private key (a file or the TPM), or `nil` if the key file cannot be read.
    let residence: PrivateKey.Residence?
    /// The imported certificates, or `nil` if no certificate was imported.
    let certificate: IdentityCertificate?
    /// The broken rules of the certificate profile for readers (ISO/IEC 18013-5 Annex B.1.7).
    let findings: [ProfileRule]
    /// The reason why the identity cannot sign, or `nil` if it can.
    let error: IdentityStoreError?

    /// Reads the state of an identity.
    ///
    /// - Parameters:
    ///   - warningDays: The number of days before the expiry at which the state becomes `expiresSoon`.
    ///   - usingKey: Whether the key is tested against the certificate. A key in a TPM needs the TPM.
    init(
        _ name: IdentityName, in folder: IdentityFolder, at now: Timestamp, warningDays: Int, usingKey: Bool
    ) {
        self.name = name
        let stored: StoredIdentity
        do throws(IdentityStoreError) {
            stored = try StoredIdentity(name, in: folder)
        } catch {
            (residence, certificate, findings) = (nil, nil, [])
            (state, self.error) = (.unusable, error)
            return
        }
        residence = stored.residence
        certificate = stored.chain.map { IdentityCertificate($0, now) }
        findings = stored.chain?.profileFindings.map(ProfileRule.init) ?? []
        error = Self.error(stored, at: now, usingKey: usingKey)
        state = Self.state(error, isSoon: certificate.map { $0.daysLeft < warningDays } ?? false)
    }

    /// Returns the reason why a stored identity cannot sign, or `nil` if it can.
    private static func error(
        _ stored: StoredIdentity, at now: Timestamp, usingKey: Bool
    ) -> IdentityStoreError? {
        do throws(IdentityStoreError) {
            guard let chain = stored.chain else { throw .noCertificates }
            try chain.requireValidity(at: now)
            // `readerIdentity` tests the key against the certificate. The identity is not needed, only the
            // error.
            if usingKey { _ = try stored.readerIdentity(at: now) }
            return nil
        } catch {
            return error
        }
    }

    private static func state(_ error: IdentityStoreError?, isSoon: Bool) -> State {
        switch error {
        case nil: isSoon ? .expiresSoon : .ready
        case .noCertificates: .noCertificates
        case .notYetValid: .notYetValid
        case .expired: .expired
        default: .unusable
        }
    }

    /// Returns the broken rules for which `identity lint` fails with this strictness.
    func refusals(_ strictness: ProfileStrictness) -> [ProfileRule] {
        CertificateProfile.reader.refusals(among: findings.map(\.finding), strictness).map(ProfileRule.init)
    }

    /// The text of an error or of the coming expiry, or `nil` if there is neither.
    var problem: String? {
        if let error { return error.explanation }
        guard state == .expiresSoon, let certificate else { return nil }
        return
            "\(IdentityCertificate.expiry(certificate.daysLeft)): ask the authority for a new certificate now"
    }

    var keyText: String {
        switch residence {
        case .memory: "file"
        case .tpm: "TPM"
        case nil: "not read"
        }
    }

    var json: [(String, JSONValue)] {
        [
            ("name", .string(name.text)), ("state", .string(state.rawValue)),
            ("key", residence.map { .string($0 == .tpm ? "tpm" : "file") } ?? .null),
        ] + (certificate?.json ?? IdentityCertificate.noJSON) + [
            ("findings", .array(findings.map(\.json))),
            ("error", error.map { ["id": .string($0.id), "detail": .string($0.explanation)] } ?? .null),
        ]
    }
}
