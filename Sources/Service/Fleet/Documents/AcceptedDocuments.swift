package import JSON
package import MdocModel

/// The documents that a kiosk obeys, one of each level, and what it has seen: a value that only `accept` and `fail` change.
package struct AcceptedDocuments: Sendable {
    /// What only the file on the kiosk says.
    private static let fixed = ["$schema", "store", "keys", "fleet"]
    /// How many seconds ahead a document may be dated.
    private static let clockSkew: Int64 = 300

    package let membership: FleetMembership
    package private(set) var keyring: FleetKeyring
    package private(set) var documents: [FleetLevel: VerifiedFleetDocument] = [:]
    /// The highest version that was ever obeyed, by level.
    package private(set) var highest: [FleetLevel: Int64]
    /// The digests of documents with which the lanes did not become ready.
    package private(set) var failed: Set<[UInt8]>

    package init(
        _ membership: FleetMembership, _ keyring: FleetKeyring, highest: [FleetLevel: Int64] = [:],
        failed: Set<[UInt8]> = []
    ) {
        self.membership = membership
        self.keyring = keyring
        self.highest = highest
        self.failed = failed
    }

    /// Obeys a document from now on. Throws the reason by name, and changes nothing then.
    ///
    /// - Returns: whether it is new; false for the one that is obeyed already.
    @discardableResult
    package mutating func accept(_ bytes: [UInt8], at now: Timestamp) throws(FleetDocumentError) -> Bool {
        let verified = try VerifiedFleetDocument(bytes, by: keyring)
        let document = verified.document
        guard document.chain == membership.chain else { throw .otherChain }
        guard document.name == membership.name(at: document.level) else { throw .otherName }
        guard document.created <= now.advanced(bySeconds: Self.clockSkew) else { throw .notYetValid }
        if let held = documents[document.level], held.encoded == bytes { return false }
        let newest = highest[document.level] ?? 0
        guard document.version >= newest else { throw .older(than: newest) }
        guard !failed.contains(verified.digest) else { throw .failedBefore }
        guard document.version > newest else { throw .versionTaken }
        if let patch = document.configuration { _ = try Self.patch(patch) }
        try keyring.withdraw(document.withdrawn, by: verified.signer)
        documents[document.level] = verified
        highest[document.level] = document.version
        return true
    }

    /// Takes up a document that this kiosk stored when it obeyed it.
    mutating func restore(_ bytes: [UInt8]) throws(FleetDocumentError) {
        // Whoever withdrew its key did not withdraw what it signed before.
        let verified = try VerifiedFleetDocument(bytes, by: FleetKeyring(keyring.keys))
        let document = verified.document
        guard document.chain == membership.chain else { throw .otherChain }
        guard document.name == membership.name(at: document.level) else { throw .otherName }
        try keyring.withdraw(document.withdrawn, by: verified.signer)
        documents[document.level] = verified
        highest[document.level] = max(highest[document.level] ?? 0, document.version)
    }

    /// Goes back to the documents of `earlier`, and never obeys those again that it has in place of them.
    mutating func fail(backTo earlier: AcceptedDocuments) {
        for (level, document) in documents where earlier.documents[level]?.encoded != document.encoded {
            failed.insert(document.digest)
        }
        documents = earlier.documents
    }

    /// The configuration that the levels lead to, from the kiosk's own file on.
    package func configuration(over file: [UInt8]) throws(FleetDocumentError) -> [UInt8] {
        var patches: [JSONValue] = []
        for level in FleetLevel.allCases {
            guard let bytes = documents[level]?.document.configuration else { continue }
            patches.append(try Self.patch(bytes))
        }
        guard !patches.isEmpty else { return file }
        guard let base = try? JSONItem.parse(file[...], limits: (1 << 18, 16)) else { return file }
        return patches.reduce(JSONValue(base)) { $0.merging($1) }.text.utf8 + [UInt8(ascii: "\n")]
    }

    /// The most specific trust bundle and the key that must have signed it.
    package var trust: (bytes: [UInt8], signer: FleetKey.ID)? {
        for level in FleetLevel.allCases.reversed() {
            guard let document = documents[level], let trust = document.document.trust else { continue }
            return (trust, document.signer)
        }
        return nil
    }

    private static func patch(_ bytes: [UInt8]) throws(FleetDocumentError) -> JSONValue {
        guard let item = try? JSONItem.parse(bytes[...], limits: (FleetDocument.maximumSize, 16)),
            case .object(let members) = item.value
        else { throw .configurationRefused("it is not a JSON object") }
        if let name = members.map(\.name).first(where: fixed.contains) { throw .memberFixed(name) }
        guard !item.hasOtherNumber else { throw .configurationRefused("a number is not a whole number") }
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
