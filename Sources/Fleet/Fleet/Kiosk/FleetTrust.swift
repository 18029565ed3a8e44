internal import ErrorMapping
internal import JSON
internal import MdocModel
package import MdocTrust
package import OpenSSLCrypto
package import ReaderStore

/// A change of a kiosk's trust to that of a bundle, by the rules of `countersign trust import-bundle`: checked, and not stored yet.
struct FleetTrust: Sendable {
    /// A bundle that a document's key signed, opened once.
    struct Bundle: Sendable {
        let bytes: [UInt8]
        let signer: FleetKey.ID
        fileprivate let opened: TrustBundle

        init(_ bytes: [UInt8], signedBy key: FleetKey) throws(FleetTrustError) {
            let publicKey = try mapping(key.key(), FleetTrustError.keyUnusable)
            opened = try mapping(TrustBundle(bytes[...], signedBy: publicKey), FleetTrustError.bundle)
            self.bytes = bytes
            signer = key.id
        }
    }

    /// The lists that the bundle no longer has, neither complete nor incomplete: what they revoke is forgotten.
    let removedLists: [TrustSource.Identity]
    private let snapshot: TrustSnapshot
    /// The number of the snapshot that was there when the change was checked.
    private let current: Int64?
    /// When the bundle was made; nil for one that comes back.
    private let created: Timestamp?
    private let folder: String
    private let now: Timestamp

    /// Checks whether a bundle may take the place of what is trusted in the store.
    ///
    /// - Parameters:
    ///   - isObeyed: Whether the kiosk obeys a document with the bundle already. The bundle may come back then, whatever has come
    ///     since, if the store's history shows that it was let in: one that came while that of a later level counted was never checked.
    ///   - clockSkew: The seconds by which the bundle, and a list in it, may be from the future.
    /// - Returns: nil if the store trusts just that already, and knows that so late a bundle was let in.
    init?(
        _ bundle: Bundle, in folder: String, isObeyed: Bool = false, at now: Timestamp, clockSkew: Int64
    ) throws(FleetTrustError) {
        let store = try mapping(ReaderStore(at: folder, for: .changing), FleetTrustError.store)
        let newest = try mapping(store.newestTrustBundle(), FleetTrustError.store)
        let bundle = bundle.opened
        let isReinstated =
            try isObeyed ? mapping(store.hadBundle(of: bundle.snapshot.id), FleetTrustError.store) : false
        try mapping(
            bundle.requireUse(after: isReinstated ? nil : newest, at: now, clockSkew: clockSkew),
            FleetTrustError.bundle)
        let current = try mapping(store.currentTrustIfAny(), FleetTrustError.store)
        let isKnown = isReinstated || newest.map { $0 >= bundle.created } ?? false
        guard bundle.snapshot.id != current?.snapshot.id || !isKnown else { return nil }
        // Nobody names signers to a kiosk: those count whose lists were let in before.
        let signers = current?.snapshot.strangersAmongListSigners(at: now) ?? []
        var change = TrustChange(
            from: current?.snapshot, by: TrustRules(now: now, clockSkew: clockSkew, signers: signers))
        if isReinstated {
            change.reinstate(bundle.snapshot)
        } else {
            change.replaceAll(by: bundle.snapshot)
            if let list = change.firstRefused { throw .listRefused(list.identity) }
        }
        snapshot = change.snapshot
        removedLists = change.forgottenLists
        self.current = current?.record.number
        created = isReinstated ? nil : bundle.created
        self.folder = folder
        self.now = now
    }

    /// Puts the change in the store. Throws if something else has changed the store's trust since the check.
    func store() throws(FleetTrustError) {
        let store = try mapping(ReaderStore(at: folder, for: .changing), FleetTrustError.store)
        _ = try mapping(
            store.replaceTrust(
                with: snapshot, expecting: current, by: .bundle, at: now, bundle: created),
            FleetTrustError.store)
    }
}

extension ReaderStore {
    /// Whether a bundle put this snapshot in place, as far as the history is kept.
    fileprivate func hadBundle(of id: TrustSnapshot.ID) throws(ReaderStoreError) -> Bool {
        try trustHistory().contains { $0.id == id && $0.change == .bundle }
    }
}

/// Why the trust of a document does not become that of the kiosk.
package enum FleetTrustError: Error, Equatable, Sendable {
    case store(ReaderStoreError)
    /// The key of the document is not a point of its curve.
    case keyUnusable(OpenSSLCryptoError)
    case bundle(TrustBundleError)
    /// This list of the bundle is older than the one that is there, of another issuer, incomplete where the other is not, or lost
    /// much of it.
    case listRefused(TrustSource.Identity)

    /// In plain words: what is, and what to do.
    package var explanation: String {
        switch self {
        case .store(let error): error.explanation
        case .keyUnusable: "the key of the document cannot be used"
        case .bundle(.malformed), .bundle(.typeWrong): "it is not a trust bundle"
        case .bundle(.cose): "another key than the document's signed it"
        case .bundle(.older): "a later bundle was taken before"
        case .bundle(.notYetValid): "it was made in the future"
        case .bundle(.snapshotDiffers): "it does not hold what it names"
        case .listRefused(let list):
            "\(Terminal.safe(list.kind.rawValue)) \(Terminal.safe(list.name)) is older than the one that is there, of another issuer, incomplete where the other is not, or lost much of it: export the bundle again"
        }
    }
}
