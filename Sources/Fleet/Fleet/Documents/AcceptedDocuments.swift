package import JSON
package import MdocModel
internal import MdocTrust

/// The documents that a kiosk obeys, one of each level, and what it has seen: a value that only `accept` and `fail` change.
package struct AcceptedDocuments: Sendable {
    /// What only the file on the kiosk says.
    private static let fixed = ["$schema", "store", "keys", "fleet"]
    /// How many seconds ahead a document may be dated.
    private static let clockSkew: Int64 = 300
    /// How often the lanes are tried with a document of which nobody learned whether they became ready.
    private static let mostTrials: Int64 = 2

    /// What was obeyed at one level.
    package struct Seen: Equatable, Sendable {
        /// The digest of the document that was obeyed last.
        package var latest: [UInt8] = []
        /// The highest version of each key.
        package var versions: [FleetKey.ID: Int64] = [:]
    }

    /// What a kiosk is configured with.
    package enum Configuration: Equatable, Sendable {
        /// The kiosk's own file as it is: nothing changes it.
        case file([UInt8])
        /// The file's members with the changes of documents, which is no text.
        case changed(JSONItem)
    }

    package let membership: FleetMembership
    package private(set) var keyring: FleetKeyring
    package private(set) var documents: [FleetLevel: VerifiedFleetDocument] = [:]
    /// What was ever obeyed, by level. A key that is stolen uses up its own versions, and none of an earlier key.
    package private(set) var seen: [FleetLevel: Seen]
    /// The digests of documents with which the lanes did not become ready.
    package private(set) var failed: Set<[UInt8]>
    /// How often the lanes were tried with a document, by its digest, where nobody learned what came of it: the power was cut.
    package private(set) var trials: [[UInt8]: Int64]
    /// Documents of the store that are not for this kiosk any more.
    package private(set) var leftOut: [FleetLevel: FleetDocumentError] = [:]
    /// The configuration that was built last. It counts for the same file and the same changes alone.
    private(set) var built: BuiltConfiguration?

    /// A configuration with what it was built of.
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

    /// Obeys a document from now on, whose signature is not verified again. Throws the reason by name, and changes nothing then.
    ///
    /// - Returns: whether it is new; false for the one that is obeyed already.
    @discardableResult
    package mutating func accept(
        _ verified: VerifiedFleetDocument, at now: Timestamp
    ) throws(FleetDocumentError) -> Bool {
        let document = verified.document
        // Another document may have withdrawn the key since the signature was verified.
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
        // The one that was obeyed last comes again where it was lost.
        guard document.version > newest || seen[document.level]?.latest == verified.digest else {
            throw .versionTaken
        }
        if let patch = document.configuration { _ = try Self.patch(patch) }
        _ = try document.brands?.bundle()
        try keyring.withdraw(document.withdrawn, by: verified.signer)
        documents[document.level] = verified
        seen[document.level, default: Seen()].versions[verified.signer] = document.version
        seen[document.level]?.latest = verified.digest
        return true
    }

    /// Obeys the document of a trial, with the configuration that was built for it.
    mutating func accept(_ trial: Trial, at now: Timestamp) throws(FleetDocumentError) {
        try accept(trial.document, at: now)
        built = trial.built
    }

    /// The highest version at a level by this key or an earlier one: later keys' do not count.
    private func newestVersion(at level: FleetLevel, for signer: FleetKey.ID) -> Int64 {
        guard let place = keyring.keys.firstIndex(where: { $0.id == signer }) else { return 0 }
        return keyring.keys.prefix(through: place).compactMap { seen[level]?.versions[$0.id] }.max() ?? 0
    }

    /// Counts that the lanes are tried with the document of this digest.
    mutating func beginTrial(of digest: [UInt8]) { trials[digest, default: 0] += 1 }

    /// What came of the lanes is known.
    mutating func endTrial() { trials = [:] }

    /// Takes up a document that this kiosk stored when it obeyed it. One that is not for it any more, since its file has other keys
    /// or another site, is left out.
    mutating func restore(_ bytes: [UInt8], at level: FleetLevel) throws(FleetDocumentError) {
        do throws(FleetDocumentError) {
            try restore(bytes)
        } catch {
            switch error {
            case .keyUnknown, .otherChain, .otherName, .withdrawalNotAllowed: leftOut[level] = error
            default: throw error
            }
        }
    }

    private mutating func restore(_ bytes: [UInt8]) throws(FleetDocumentError) {
        // Whoever withdrew its key did not withdraw what it signed before.
        let verified = try VerifiedFleetDocument(bytes, by: FleetKeyring(keyring.keys))
        let document = verified.document
        guard document.chain == membership.chain else { throw .otherChain }
        guard document.name == membership.name(at: document.level) else { throw .otherName }
        try keyring.withdraw(document.withdrawn, by: verified.signer)
        documents[document.level] = verified
        var seen = seen[document.level] ?? Seen(latest: verified.digest)
        seen.versions[verified.signer] = max(seen.versions[verified.signer] ?? 0, document.version)
        self.seen[document.level] = seen
    }

    /// Never obeys the document of this digest: the lanes did not become ready with it.
    mutating func fail(_ digest: [UInt8]) { failed.insert(digest) }

    /// The configuration that the levels lead to, from the kiosk's own file on. It is built once for one file and the same changes.
    package mutating func configuration(over file: [UInt8]) throws(FleetDocumentError) -> Configuration {
        try builtConfiguration(over: file).configuration
    }

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

    private static func configuration(
        over file: [UInt8], with changes: [[UInt8]]
    ) throws(FleetDocumentError) -> Configuration {
        WorkCount.add(.fleetConfigurationBuilt)
        var patches: [JSONValue] = []
        for change in changes { patches.append(try patch(change)) }
        guard !patches.isEmpty, let base = try? JSONItem.parse(file[...], limits: (1 << 18, 16)) else {
            return .file(file)
        }
        return .changed(JSONItem(patches.reduce(JSONValue(base)) { $0.merging($1) }))
    }

    /// The most specific trust bundle and the key that must have signed it.
    package var trust: (bytes: [UInt8], signer: FleetKey.ID)? {
        for level in FleetLevel.allCases.reversed() {
            guard let document = documents[level], let trust = document.document.trust else { continue }
            return (trust, document.signer)
        }
        return nil
    }

    /// The brands of the most specific level that says anything of them.
    package var brands: FleetBrands? {
        FleetLevel.allCases.reversed().lazy.compactMap { documents[$0]?.document.brands }.first
    }

    private static func patch(_ bytes: [UInt8]) throws(FleetDocumentError) -> JSONValue {
        guard let item = try? JSONItem.parse(bytes[...], limits: (FleetDocument.maximumSize, 16)),
            case .object(let members) = item.value
        else { throw .configurationRefused("it is not a JSON object") }
        if let name = members.map(\.name).first(where: fixed.contains) { throw .memberFixed(name) }
        if let member = members.first(where: { $0.item.hasOtherNumber }) {
            throw .configurationRefused(
                "\(Terminal.safe(member.name, limit: 64)) has a number that is not a whole number: use whole ones"
            )
        }
        return JSONValue(item)
    }
}

extension JSONItem {
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
    /// The value with the changes of a JSON Merge Patch (RFC 7396 2).
    package func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [(String, JSONValue)] = if case .object(let own) = self { own } else { [] }
        for (name, change) in changes {
            let place = members.firstIndex { $0.0.utf8.elementsEqual(name.utf8) }
            if case .null = change {
                if let place { members.remove(at: place) }
            } else if let place {
                members[place].1 = members[place].1.merging(change)
            } else {
                members.append((name, JSONValue.null.merging(change)))
            }
        }
        return .object(members)
    }
}
