package import JSON
package import MdocModel
internal import MdocTrust

/// The documents that are in force on a kiosk, at most one for each level, and the versions of all documents
/// that were in force. A kiosk *obeys* a document that is in force.
///
/// This value does no I/O. `FleetAgent` owns it through `KeptState`, which writes the documents to the
/// kiosk's folder. Only `accept` and `restore` put a document in force.
///
/// A document is accepted only if
/// - its signature was verified by a key of the kiosk's own file that has not been withdrawn;
/// - its chain is the kiosk's chain, and its name is the kiosk's own site, group or name;
/// - it is dated at most 300 s ahead of the kiosk's clock;
/// - its version is higher than every version that the kiosk has obeyed at its level under the same key or an
///   earlier key of the file. Documents by later keys do not count. Otherwise a stolen later key could use up
///   the version numbers of the key that can withdraw it;
/// - it has not failed on this kiosk, and changes no member that only the kiosk's own file may set.
///
/// `configuration(over:)` merges the levels from chain to kiosk into the kiosk's own file (RFC 7396). Trust
/// and brands are not merged: they come from the most specific level that contains them.
///
/// The value never applies a configuration and never stores trust or brands: `FleetAgent` and
/// `DocumentInstaller` do.
package struct AcceptedDocuments: Sendable {
    /// The members of the configuration that only the kiosk's own file may set.
    private static let fixed = ["$schema", "store", "keys", "fleet", "accessories"]
    /// The maximum time by which a document may be dated ahead of the kiosk's clock, in seconds.
    private static let clockSkew: Int64 = 300
    /// The maximum number of trials without a result for one document. A power cut, for example, ends a trial
    /// without a result. A trial applies the document's configuration and waits until the lanes are ready.
    private static let mostTrials: Int64 = 2

    /// The documents of one level (chain, site, group or kiosk) that were in force: the last document, and
    /// the highest version for each signing key.
    package struct Seen: Equatable, Sendable {
        /// The SHA-256 of the document that was put in force last.
        package var latest: [UInt8] = []
        /// The highest version that was in force, for each key that has signed a document of this level.
        package var versions: [FleetKey.ID: Int64] = [:]
    }

    /// A kiosk's configuration.
    package enum Configuration: Equatable, Sendable {
        /// The bytes of the kiosk's own file, which no document changes.
        case file([UInt8])
        /// The members of the kiosk's own file, merged with the documents' changes. The result is only in
        /// memory.
        case changed(JSONItem)
    }

    package let membership: FleetMembership
    package private(set) var keyring: FleetKeyring
    package private(set) var documents: [FleetLevel: VerifiedFleetDocument] = [:]
    /// The documents that were in force so far, by level. Versions are counted for each key separately, so
    /// that a stolen key cannot use up the version numbers of an earlier key.
    package private(set) var seen: [FleetLevel: Seen]
    /// The SHA-256 of each failed document. A document has failed if the lanes did not become ready with its
    /// configuration.
    package private(set) var failed: Set<[UInt8]>
    /// The number of trials without a result, by the SHA-256 of the tried document. A trial applies the
    /// document's configuration and waits for the lanes. The trial has no result if the power was cut.
    package private(set) var trials: [[UInt8]: Int64]
    /// The stored documents that are no longer for this kiosk, with the reason for each.
    package private(set) var leftOut: [FleetLevel: FleetDocumentError] = [:]
    /// The configuration that was built last. `builtConfiguration(over:)` returns it for an equal file and
    /// equal changes.
    private(set) var built: BuiltConfiguration?

    /// A configuration with the file and the changes from which it was built.
    struct BuiltConfiguration: Sendable {
        fileprivate let file: [UInt8]
        fileprivate let changes: [[UInt8]]
        let configuration: Configuration
    }

    package init(
        _ membership: FleetMembership, _ keyring: FleetKeyring, seen: [FleetLevel: Seen] = [:],
        failed: Set<[UInt8]> = [], trials: [[UInt8]: Int64] = [:]
    ) {
        self.membership = membership
        self.keyring = keyring
        self.seen = seen
        self.failed = failed
        self.trials = trials
    }

    /// Accepts a document, which is in force from now on. The document's signature is not verified again. If
    /// the function throws, nothing has changed.
    ///
    /// - Returns: `true` if the document is new, `false` if it is in force already.
    /// - Throws: The reason why the document is refused.
    @discardableResult
    package mutating func accept(
        _ verified: VerifiedFleetDocument, at now: Timestamp
    ) throws(FleetDocumentError) -> Bool {
        let document = verified.document
        // The key is checked again here, because another document may have withdrawn the key since the
        // signature was verified.
        _ = try keyring.key(verified.signer)
        guard document.chain == membership.chain else { throw .otherChain }
        guard document.name == membership.name(at: document.level) else { throw .otherName }
        guard document.created <= now.advanced(bySeconds: Self.clockSkew) else { throw .notYetValid }
        if let held = documents[document.level], held.encoded == verified.encoded { return false }
        let newest = newestVersion(at: document.level, for: verified.signer)
        guard document.version >= newest else { throw .older(than: newest) }
        guard !failed.contains(verified.digest), trials[verified.digest, default: 0] < Self.mostTrials else {
            throw .failedBefore
        }
        // The kiosk may have lost the file of the document that was in force last. Only this document is
        // accepted again with a known version.
        guard document.version > newest || seen[document.level]?.latest == verified.digest else {
            throw .versionTaken
        }
        // Configuration changes and brands are checked before this value is modified below.
        if let patch = document.configuration { _ = try Self.patch(patch) }
        _ = try document.brands?.bundle()
        try keyring.withdraw(document.withdrawn, by: verified.signer)
        documents[document.level] = verified
        seen[document.level, default: Seen()].versions[verified.signer] = document.version
        seen[document.level]?.latest = verified.digest
        return true
    }

    /// Accepts the document of a trial, with the configuration that was built for the trial.
    mutating func accept(_ trial: Trial, at now: Timestamp) throws(FleetDocumentError) {
        try accept(trial.document, at: now)
        built = trial.built
    }

    /// Returns the highest version that was in force at a level. A document counts only if this key or an
    /// earlier key of the kiosk's file has signed the document. Returns 0 if there is no such document.
    /// Documents by later keys do not count, so that a later key cannot block an earlier key.
    private func newestVersion(at level: FleetLevel, for signer: FleetKey.ID) -> Int64 {
        // `accept` calls this only for a key of the keyring, so the key is found.
        guard let place = keyring.keys.firstIndex(where: { $0.id == signer }) else { return 0 }
        return keyring.keys.prefix(through: place).compactMap { seen[level]?.versions[$0.id] }.max() ?? 0
    }

    /// Records that a trial of this document begins. The record is stored before the trial, so that a
    /// document that makes the computer crash is not tried without end.
    mutating func beginTrial(of digest: [UInt8]) { trials[digest, default: 0] += 1 }

    /// Records that the trial has a result. One trial runs at a time, so all counts are cleared.
    mutating func endTrial() { trials = [:] }

    /// Restores a document that this kiosk has accepted and stored. A document that is no longer for this
    /// kiosk is recorded in `leftOut`. This happens if the kiosk's file now has other keys, or another site
    /// or group.
    mutating func restore(_ bytes: [UInt8], at level: FleetLevel) throws(FleetDocumentError) {
        do throws(FleetDocumentError) {
            try restore(bytes)
        } catch {
            switch error {
            case .keyUnknown, .otherChain, .otherName, .withdrawalNotAllowed: leftOut[level] = error
            // The stored file is damaged.
            default: throw error
            }
        }
    }

    /// Verifies a stored document and restores it. Throws if the document is damaged or no longer for this
    /// kiosk.
    private mutating func restore(_ bytes: [UInt8]) throws(FleetDocumentError) {
        // Withdrawn keys are accepted here, because a document stays in force if its key was withdrawn later.
        let verified = try VerifiedFleetDocument(bytes, by: FleetKeyring(keyring.keys))
        let document = verified.document
        guard document.chain == membership.chain else { throw .otherChain }
        guard document.name == membership.name(at: document.level) else { throw .otherName }
        try keyring.withdraw(document.withdrawn, by: verified.signer)
        documents[document.level] = verified
        // A known `latest` is not replaced, because `FleetFolder.save` writes `latest` before the document.
        // After a power cut, `latest` may therefore belong to a newer document than the stored one.
        var seen = seen[document.level] ?? Seen(latest: verified.digest)
        seen.versions[verified.signer] = max(seen.versions[verified.signer] ?? 0, document.version)
        self.seen[document.level] = seen
    }

    /// Records that the lanes did not become ready with this document's configuration. The document is never
    /// accepted again.
    mutating func fail(_ digest: [UInt8]) { failed.insert(digest) }

    /// Returns the kiosk's own file with the changes of all levels. A call with an equal file and equal
    /// changes returns the configuration that was built before.
    package mutating func configuration(over file: [UInt8]) throws(FleetDocumentError) -> Configuration {
        try builtConfiguration(over: file).configuration
    }

    /// Returns the configuration as `configuration(over:)` does, with the file and the changes that it was
    /// built from.
    mutating func builtConfiguration(
        over file: [UInt8]
    ) throws(FleetDocumentError) -> BuiltConfiguration {
        let changes = FleetLevel.allCases.compactMap { documents[$0]?.document.configuration }
        if let built, built.file == file, built.changes == changes { return built }
        let made = BuiltConfiguration(
            file: file, changes: changes, configuration: try Self.configuration(over: file, with: changes))
        built = made
        return made
    }

    /// Merges the changes, the least specific level first, into the kiosk's own file.
    private static func configuration(
        over file: [UInt8], with changes: [[UInt8]]
    ) throws(FleetDocumentError) -> Configuration {
        // Tests count this work, to check that a configuration is not built more often than necessary.
        WorkCount.add(.fleetConfigurationBuilt)
        var patches: [JSONValue] = []
        for change in changes { patches.append(try patch(change)) }
        // The daemon accepts a file of at most 256 KiB and 16 levels of nesting. It reports the fault of a
        // file that does not parse, so such a file is returned unchanged.
        guard !patches.isEmpty, let base = try? JSONItem.parse(file[...], limits: (1 << 18, 16)) else {
            return .file(file)
        }
        return .changed(JSONItem(patches.reduce(JSONValue(base)) { $0.merging($1) }))
    }

    /// The trust bundle of the most specific level that has one, and the key that must have signed the
    /// bundle.
    package var trust: (bytes: [UInt8], signer: FleetKey.ID)? {
        for level in FleetLevel.allCases.reversed() {
            guard let document = documents[level], let trust = document.document.trust else { continue }
            return (trust, document.signer)
        }
        return nil
    }

    /// The brands of the most specific level that has brands.
    package var brands: FleetBrands? {
        FleetLevel.allCases.reversed().lazy.compactMap { documents[$0]?.document.brands }.first
    }

    /// Parses the changes of a document. Throws if the changes are not a JSON object, change a fixed member,
    /// or contain a number that is not whole.
    private static func patch(_ bytes: [UInt8]) throws(FleetDocumentError) -> JSONValue {
        // The limits are the size in bytes and the depth of nesting.
        guard let item = try? JSONItem.parse(bytes[...], limits: (FleetDocument.maximumSize, 16)),
            case .object(let members) = item.value
        else { throw .configurationRefused("the changes are not a JSON object") }
        if let name = members.map(\.name).first(where: fixed.contains) { throw .memberFixed(name) }
        if let member = members.first(where: { $0.item.hasOtherNumber }) {
            throw .configurationRefused(
                "\(Terminal.safe(member.name, limit: 64)) has a number that is not a whole number: use whole numbers"
            )
        }
        return JSONValue(item)
    }
}

extension JSONItem {
    /// Whether the value contains a number with a fraction or an exponent, or outside of `Int64`. `JSONValue`
    /// has no such numbers.
    fileprivate var hasOtherNumber: Bool {
        switch value {
        case .otherNumber: true
        case .array(let items): items.contains(where: \.hasOtherNumber)
        case .object(let members): members.contains { $0.item.hasOtherNumber }
        default: false
        }
    }
}

extension JSONValue {
    /// Returns the value with the changes of a JSON Merge Patch (RFC 7396 2).
    package func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [(String, JSONValue)] = if case .object(let own) = self { own } else { [] }
        for (name, change) in changes {
            // Names are compared as bytes, because `==` on strings would also match another Unicode form of
            // the name.
            let place = members.firstIndex { $0.0.utf8.elementsEqual(name.utf8) }
            if case .null = change {
                if let place { members.remove(at: place) }
            } else if let place {
                members[place].1 = members[place].1.merging(change)
            } else {
                // The new value is merged into `null` instead of copied, because a new object must not
                // contain nulls.
                members.append((name, JSONValue.null.merging(change)))
            }
        }
        return .object(members)
    }
}
