internal import ErrorMapping
internal import JSON
internal import MdocModel
package import MdocTrust
package import OpenSSLCrypto
package import ReaderStore

/// The trust of a fleet in the kiosk's store, by the rules of `countersign trust import-bundle`.
enum FleetTrust {
    /// Puts the snapshot of a bundle in place of what is trusted.
    ///
    /// - Parameters:
    ///   - isReinstated: whether the kiosk obeys the bundle's document already: the bundle was let in with it, and may come back.
    ///   - isTried: whether nothing is stored.
    /// - Returns: what changed; nil if nothing did.
    @discardableResult
    static func apply(
        _ bytes: [UInt8], signedBy key: FleetKey, in folder: String, isReinstated: Bool = false,
        isTried: Bool = false, at now: Timestamp
    ) throws(FleetTrustError) -> Change? {
        let store = try mapping(ReaderStore(at: folder, for: .changing), FleetTrustError.store)
        let last = try mapping(store.newestTrustBundle(), FleetTrustError.store)
        let newest = isReinstated ? nil : last
        let publicKey = try mapping(key.key(), FleetTrustError.keyUnusable)
        let bundle = try mapping(
            TrustBundle(bytes[...], signedBy: publicKey, notOlderThan: newest, at: now),
            FleetTrustError.bundle)
        let current = try mapping(store.currentTrustIfAny(), FleetTrustError.store)
        guard bundle.snapshot.id != current?.snapshot.id else { return nil }
        if let current, !isReinstated, let list = refused(bundle.snapshot, current.snapshot, at: now) {
            throw .listRefused(list)
        }
        let change = Change(from: current?.snapshot, to: bundle.snapshot)
        guard !isTried else { return change }
        _ = try mapping(
            store.replaceTrust(
                with: bundle.snapshot, expecting: current?.record.number, by: .bundle, at: now,
                bundle: isReinstated ? nil : bundle.created), FleetTrustError.store)
        return change
    }

    /// A change of the kiosk's trust.
    struct Change: Sendable {
        /// The lists that a bundle no longer has, neither complete nor incomplete: what they revoke is forgotten.
        let removedLists: [TrustSource.Identity]

        fileprivate init(from before: TrustSnapshot?, to snapshot: TrustSnapshot) {
            let kept = Set(snapshot.sources.map(\.identity.complete))
            removedLists = (before?.sources ?? []).filter {
                $0.kind.isList && !kept.contains($0.identity.complete)
            }.map(\.identity)
        }
    }

    /// The first list that is an older issue, another issuer's or much smaller than the one of the same name before. One whose time
    /// is over may follow: the one before is not better.
    private static func refused(
        _ snapshot: TrustSnapshot, _ before: TrustSnapshot, at now: Timestamp
    ) -> TrustSource.Identity? {
        let both = TrustSnapshot(snapshot.sources + before.sources)
        return snapshot.sources.first { source in
            guard (try? before.requireNothingLost(by: source, in: snapshot)) != nil else { return true }
            guard let there = before.source(source.identity), there.sha256 != source.sha256 else {
                return false
            }
            do throws(AdmissionRefusal) {
                _ = try both.admission(of: source, by: TrustRules(now: now))
                return false
            } catch .unusable(.vicalRefused(.expired)) {
                return false
            } catch {
                return true
            }
        }?.identity
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
