internal import ErrorMapping
internal import JSON
internal import MdocModel
package import MdocTrust
package import OpenSSLCrypto
package import ReaderStore

/// A checked replacement of a kiosk's trust by the trust bundle of a fleet document. `store` puts the change
/// in force. The command `countersign trust import-bundle` applies the same rules.
struct FleetTrust: Sendable {
    /// A trust bundle that is signed by the key of its fleet document. The bundle is parsed only once.
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

    /// The trusted lists that the bundle does not contain. The revocations in these lists no longer apply.
    let removedLists: [TrustSource.Identity]
    private let snapshot: TrustSnapshot
    /// The number of the reader store's trust snapshot at the time of the check, or `nil` if the store had
    /// none.
    private let current: Int64?
    /// The time at which the bundle was made, or `nil` for a bundle that is reinstated.
    private let created: Timestamp?
    private let folder: String
    private let now: Timestamp

    /// Checks whether a bundle may replace the trust in the store.
    ///
    /// - Parameters:
    ///   - isObeyed: Whether a document with the bundle is in force already. Such a bundle may be reinstated,
    ///     even if a newer bundle was in force in between. The store's history must show that the bundle was
    ///     in force before, because a bundle that arrived while the bundle of a more specific level was in
    ///     force has never been checked.
    ///   - clockSkew: The number of seconds by which the bundle, and a list in it, may be dated in the
    ///     future.
    /// - Returns: `nil` if the store already has the bundle's trust and records that a bundle of this or a
    ///   later date was accepted.
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
        // A kiosk has no operator who could approve the signers of trusted lists. A signer that the issuers
        // did not certify is accepted only if its list was accepted before.
        let signers = current?.snapshot.unanchoredListSigners(at: now) ?? []
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

    /// Stores the change. Throws if the store's trust has changed since the check.
    func store() throws(FleetTrustError) {
        let store = try mapping(ReaderStore(at: folder, for: .changing), FleetTrustError.store)
        _ = try mapping(
            store.replaceTrust(
                with: snapshot, expecting: current, by: .bundle, at: now, bundle: created),
            FleetTrustError.store)
    }
}

extension ReaderStore {
    /// Whether the store's history contains a trust bundle that led to this snapshot. A snapshot is one state
    /// of the store's trust.
    fileprivate func hadBundle(of id: TrustSnapshot.ID) throws(ReaderStoreError) -> Bool {
        try trustHistory().contains { $0.id == id && $0.change == .bundle }
    }
}

/// The reason why a kiosk does not accept the trust bundle of a document.
package enum FleetTrustError: Error, Equatable, Sendable {
    case store(ReaderStoreError)
    /// The document's signing key is not a point on its curve.
    case keyUnusable(OpenSSLCryptoError)
    case bundle(TrustBundleError)
    /// A list of the bundle must not replace the present list. The bundle's list is older, comes from another
    /// issuer, is incomplete although the present list is complete, or lacks many entries of the present
    /// list.
    case listRefused(TrustSource.Identity)

    /// A message that says what is wrong and what to do.
    package var explanation: String {
        switch self {
        case .store(let error): error.explanation
        case .keyUnusable: "the key of the document cannot be used"
        case .bundle(.malformed), .bundle(.typeWrong): "the bytes are not a trust bundle"
        case .bundle(.cose): "the bundle is not signed by the document's key"
        case .bundle(.older): "a later bundle was accepted before"
        case .bundle(.notYetValid): "the bundle is dated in the future"
        case .bundle(.snapshotDiffers): "the bundle's content differs from the snapshot that it names"
        case .listRefused(let list):
            "\(Terminal.safe(list.kind.rawValue)) \(Terminal.safe(list.name)) is older than the present list, from another issuer, incomplete although the present list is complete, or lacks many entries of the present list: export the bundle again"
        }
    }
}
