internal import ErrorMapping
internal import JSON
internal import MdocModel
package import OpenSSLCrypto
package import PKIX
package import ReaderIdentityStore

/// The folder `fleet` in a kiosk's store: the kiosk's key and certificate, the accepted documents, the
/// versions of the documents that were in force, and the broker's password. Only the daemon's user can read
/// the folder.
package struct FleetFolder: Sendable {
    package let path: String

    package init(store: String) throws(IdentityStoreError) {
        path = "\(store)/fleet"
        try PrivateFile.makeFolder(path)
    }

    package var keyPath: String { "\(path)/key.pem" }
    package var certificatePath: String { "\(path)/certificate.pem" }
    private var statePath: String { "\(path)/state.json" }

    private func documentPath(_ level: FleetLevel) -> String { "\(path)/\(level.rawValue).cose" }

    /// Returns the kiosk's private key, and creates it if it does not exist.
    package func key() throws(IdentityStoreError) -> PrivateKey {
        do throws(IdentityStoreError) {
            return try PrivateFile.key(keyPath)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            let key = try mapping(PrivateKey.generate(.p256), IdentityStoreError.keyUnusable)
            try PrivateFile.create(keyPath, key)
            return key
        }
    }

    /// Returns the kiosk's certificate, or `nil` before the enrolment.
    package func certificate() throws(IdentityStoreError) -> Certificate? {
        guard let bytes = try Self.contents(certificatePath) else { return nil }
        return try mapping(
            certificates(fromPEMOrDER: bytes[...])[0], IdentityStoreError.certificatesUnreadable)
    }

    /// Stores the kiosk's certificate, in PEM.
    package func save(certificate pem: [UInt8]) throws(IdentityStoreError) {
        try PrivateFile.replace(certificatePath, with: pem[...])
    }

    /// Returns the broker's address and password that were used last, or `nil` if the kiosk must ask the hub
    /// for them.
    func brokerAccess() -> BrokerAccess? {
        // A file that cannot be read counts as absent, because the hub can then supply a new password.
        let bytes = try? PrivateFile.withSecret("\(path)/broker.json") { Array($0) }
        return bytes.flatMap { try? BrokerAccess($0) }
    }

    /// Stores the broker's address and password, or deletes them.
    func save(_ access: BrokerAccess?) throws(IdentityStoreError) {
        guard let access else { return try PrivateFile.remove("\(path)/broker.json") }
        try PrivateFile.replace("\(path)/broker.json", with: access.json.utf8[...])
    }

    /// Returns the bytes of a file, or `nil` if the file does not exist.
    private static func contents(_ path: String) throws(IdentityStoreError) -> [UInt8]? {
        do throws(IdentityStoreError) {
            return try PrivateFile.read(path)
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return nil
        }
    }

    // MARK: The accepted documents

    /// Returns the documents that were in force when the daemon ended, and whether the kiosk was stopped. The
    /// signature of each document is verified again.
    package func load(
        _ membership: FleetMembership, _ keys: [FleetKey]
    ) throws(FleetFolderError) -> (accepted: AcceptedDocuments, isStopped: Bool) {
        let state = try state()
        var accepted = AcceptedDocuments(
            membership, FleetKeyring(keys, withdrawn: state.withdrawn), seen: state.seen,
            failed: state.failed, trials: state.trials)
        for level in FleetLevel.allCases {
            // Without a file, no document of this level is in force.
            guard let bytes = try mapping(Self.contents(documentPath(level)), FleetFolderError.file)
            else { continue }
            try mapping(accepted.restore(bytes, at: level)) { (error: FleetDocumentError) in
                FleetFolderError.document(level, error)
            }
        }
        return (accepted, state.isStopped)
    }

    /// Stores the accepted documents, and whether the kiosk is stopped. The versions of the documents that
    /// were in force (`state.json`) are written before the documents. If the power is cut after the first
    /// file, the kiosk downloads the missing documents again.
    package func save(_ accepted: AcceptedDocuments, isStopped: Bool) throws(FleetFolderError) {
        do throws(IdentityStoreError) {
            try PrivateFile.replace(
                statePath, with: State(accepted, isStopped: isStopped).json.text.utf8.map(\.self)[...])
            for level in FleetLevel.allCases {
                guard let document = accepted.documents[level] else {
                    try PrivateFile.remove(documentPath(level))
                    continue
                }
                // An unchanged file is not written, because each change of the kiosk's state calls this
                // function.
                if try Self.contents(documentPath(level)) != document.encoded {
                    try PrivateFile.replace(documentPath(level), with: document.encoded[...])
                }
            }
        } catch {
            throw .file(error)
        }
    }

    private func state() throws(FleetFolderError) -> State {
        guard let bytes = try mapping(Self.contents(statePath), FleetFolderError.file) else { return State() }
        return try mapping(State(JSONText(bytes[...]))) { (_: JSONFault) in FleetFolderError.stateMalformed }
    }
}

/// The reason why the folder of a kiosk cannot be read or written.
package enum FleetFolderError: Error, Equatable, Sendable {
    case file(IdentityStoreError)
    case stateMalformed
    /// A stored document is damaged, or its signature does not verify.
    case document(FleetLevel, FleetDocumentError)

    /// A message that says what is wrong and what to do.
    package var explanation: String {
        switch self {
        case .file(let error): error.explanation
        case .stateMalformed:
            "STORE/fleet/state.json is damaged: restore it from a backup"
        case .document(let level, let error):
            "STORE/fleet/\(level.rawValue).cose: \(error.explanation)"
        }
    }
}

/// The contents of `state.json`: the versions of the documents that were in force, the withdrawn keys, the
/// trials, and whether the kiosk is stopped. By the versions, the kiosk recognises an outdated document.
private struct State {
    /// The maximum number of failed documents that are stored. If there are more, an arbitrary part of them
    /// is stored.
    private static let mostFailed = 64

    var seen: [FleetLevel: AcceptedDocuments.Seen] = [:]
    var withdrawn: Set<FleetKey.ID> = []
    var failed: Set<[UInt8]> = []
    var trials: [[UInt8]: Int64] = [:]
    var isStopped = false

    init() {}

    init(_ accepted: AcceptedDocuments, isStopped: Bool) {
        seen = accepted.seen
        trials = accepted.trials
        withdrawn = accepted.keyring.withdrawn
        failed = Set(accepted.failed.prefix(Self.mostFailed))
        self.isStopped = isStopped
    }

    init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(["seen", "withdrawn", "failed", "trials", "stopped"])
        for (name, value) in try members.required("seen").entries(upTo: FleetLevel.allCases.count) {
            guard let level = FleetLevel(rawValue: name) else {
                throw value.wrong("must have the name of a level (chain, site, group or kiosk)")
            }
            seen[level] = try AcceptedDocuments.Seen(value)
        }
        for entry in try members.required("withdrawn").array() {
            withdrawn.insert(try FleetKey.ID(entry.string(), of: entry))
        }
        // There are only a few counts of trials, because the end of a trial clears all of them. `mostFailed`
        // is therefore high enough for the counts.
        for (digest, count) in try members.required("trials").entries(upTo: Self.mostFailed) {
            trials[try count.digest(named: digest)] = try count.integer(in: 1...FleetDocument.highestVersion)
        }
        for entry in try members.required("failed").array() {
            failed.insert(try entry.digest())
        }
        isStopped = try members.required("stopped").boolean()
    }

    var json: JSONValue {
        [
            "seen": .object(
                FleetLevel.allCases.compactMap { level in seen[level].map { (level.rawValue, $0.json) } }),
            "trials": .object(trials.map { ($0.key.hexadecimal, .integer($0.value)) }),
            "withdrawn": .array(withdrawn.map { .string($0.bytes.hexadecimal) }),
            "failed": .array(failed.map { .string($0.hexadecimal) }),
            "stopped": .boolean(isStopped),
        ]
    }
}

extension AcceptedDocuments.Seen {
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(["latest", "versions"])
        latest = try members.required("latest").digest()
        for (id, version) in try members.required("versions").entries(upTo: 64) {
            versions[try FleetKey.ID(id, of: version)] = try version.integer(
                in: 1...FleetDocument.highestVersion)
        }
    }

    fileprivate var json: JSONValue {
        [
            "latest": .string(latest.hexadecimal),
            "versions": .object(versions.map { ($0.key.bytes.hexadecimal, .integer($0.value)) }),
        ]
    }
}

extension FleetKey.ID {
    /// Parses the hexadecimal digits of a fleet key's identifier. A thrown fault states the position of
    /// `place`.
    fileprivate init(_ text: String, of place: JSONText) throws(JSONFault) {
        guard let id = FleetKey.ID(text.utf8.bytesOfHexadecimal ?? []) else {
            throw place.wrong("must be the identifier of a key, in hexadecimal digits")
        }
        self = id
    }
}
