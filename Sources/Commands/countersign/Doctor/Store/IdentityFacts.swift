internal import Doctor
internal import MdocModel
internal import MdocTrust
internal import ReaderIdentityStore

/// The identities in the store that sign this reader's requests.
struct IdentityFacts: Sendable {
    /// An identity and its state.
    struct Identity: Sendable {
        var name: String
        var state: IdentityStatus.State
        /// The days until the earliest expiry among the certificates that are sent to wallets.
        var daysLeft: Int64?
        /// The id of the error that prevents the use of the identity.
        var problem: String?
        /// The broken rules of the certificate profile for readers (ISO/IEC 18013-5 Annex B.1.7).
        var brokenRules: [String] = []
    }

    var identities: Result<[Identity], IdentityStoreError>
    /// The names in the rules of `choice.json` for which there is no identity.
    var missing: [String] = []

    /// Reads the identities and tests each key, in a file or in a TPM.
    static func current(in folder: IdentityFolder, at now: Timestamp) -> IdentityFacts {
        do throws(IdentityStoreError) {
            let names = try folder.names()
            let chosen = Set(try folder.rulesInEffect().rules.map(\.identity))
            return IdentityFacts(
                identities: .success(
                    names.map {
                        Identity(
                            IdentityStatus(
                                $0, in: folder, at: now, warningDays: Int(StoredIdentity.warningDays),
                                usingKey: true))
                    }), missing: chosen.subtracting(names).sorted().map(\.text))
        } catch {
            return IdentityFacts(identities: .failure(error))
        }
    }
}

extension IdentityFacts.Identity {
    fileprivate init(_ status: IdentityStatus) {
        self.init(
            name: status.name.text, state: status.state, daysLeft: status.certificate?.daysLeft,
            problem: status.error?.id, brokenRules: status.refusals(.strict).map(\.finding.rule.rawValue))
    }
}

extension IdentityFacts {
    static let checks: [DoctorCheck.ID] = [.identityPresent, .identityProfile, .identityExpiry]

    var checks: [DoctorCheck] {
        switch identities {
        case .success(let identities) where identities.isEmpty && missing.isEmpty:
            [
                .note(
                    .identityPresent,
                    "no reader identity: requests are unsigned, and some wallets refuse unsigned requests",
                    fix: .command("countersign identity init NAME")),
                .skipped(.identityProfile, "no identity"), .skipped(.identityExpiry, "no identity"),
            ]
        case .success(let identities):
            [
                presentCheck(identities), Self.profileCheck(identities), Self.expiryCheck(identities),
            ]
        case .failure(let error):
            [
                .failed(
                    // `shared` is the form of the text for a support bundle.
                    .identityPresent, "\(full: error.explanation, shared: error.id)",
                    fix: .command("countersign identity list")),
                .skipped(.identityProfile, "no identity can be read"),
                .skipped(.identityExpiry, "no identity can be read"),
            ]
        }
    }

    /// Returns the check that every identity in the rules of `choice.json` exists.
    private func presentCheck(_ identities: [Identity]) -> DoctorCheck {
        guard missing.isEmpty else {
            return .failed(
                .identityPresent,
                "choice.json names an identity that does not exist: \(missing.map(Self.shown).joined(by: ", "))",
                fix: .command("countersign identity choose --help"))
        }
        return .ok(.identityPresent, "\(identities.map { Self.shown($0.name) }.joined(by: ", "))")
    }

    /// Returns the check that every identity can sign, and that its certificates follow the profile for
    /// readers.
    private static func profileCheck(_ identities: [Identity]) -> DoctorCheck {
        let lint = DoctorCheck.Remedy.command("countersign identity lint")
        // `expiryCheck` reports identities that have expired or are not valid yet, so they are left out here.
        let unusable = identities.filter { $0.state == .unusable || $0.state == .noCertificates }
        if !unusable.isEmpty {
            let texts = unusable.map { "\(shown($0.name)) (\($0.problem ?? $0.state.rawValue))" as CheckText }
            return .failed(
                .identityProfile, "identities that cannot be used: \(texts.joined(by: ", "))", fix: lint)
        }
        let departing = identities.filter { !$0.brokenRules.isEmpty }
        if !departing.isEmpty {
            let texts = departing.map {
                "\(shown($0.name)) (\($0.brokenRules.joined(separator: ", ")))" as CheckText
            }
            return .warning(
                .identityProfile,
                "wallets may refuse requests, because a certificate breaks rules of the reader profile: \(texts.joined(by: ", "))",
                fix: lint)
        }
        return .ok(.identityProfile, "keys and certificate chains follow the reader profile")
    }

    /// Returns the check of the identity that expires first. An identity that is not valid now has priority.
    private static func expiryCheck(_ identities: [Identity]) -> DoctorCheck {
        let dated = identities.filter { $0.daysLeft != nil }
        if let wrong = dated.first(where: { $0.state == .expired || $0.state == .notYetValid }) {
            return wrong.state == .expired
                ? .failed(.identityExpiry, "\(shown(wrong.name)) has expired", fix: renewal(wrong))
                : .failed(
                    .identityExpiry, "\(shown(wrong.name)) is not valid yet: check the clock",
                    fix: .command("timedatectl"))
        }
        // The identities of `dated` all have `daysLeft`, so the number 0 is never used.
        guard let next = dated.min(by: { ($0.daysLeft ?? 0) < ($1.daysLeft ?? 0) }),
            let days = next.daysLeft
        else { return .skipped(.identityExpiry, "no certificate") }
        let text: CheckText = "\(shown(next.name)): \(IdentityCertificate.expiry(days))"
        return next.state == .expiresSoon
            ? .warning(.identityExpiry, text, fix: renewal(next)) : .ok(.identityExpiry, text)
    }

    private static func renewal(_ identity: Identity) -> DoctorCheck.Remedy {
        .command("countersign identity csr \(shown(identity.name)) --subject SUBJECT")
    }

    /// Returns the text for an identity's name: on the screen the name itself, in a support bundle
    /// `IDENTITY`.
    private static func shown(_ name: String) -> CheckText { "\(full: name, shared: "IDENTITY")" }
}
