internal import JSON
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import ReaderStore

/// The trust of a fleet in the kiosk's store, by the rules of `countersign trust import-bundle`.
enum FleetTrust {
    /// Puts the snapshot of a bundle in place of what is trusted.
    ///
    /// - Parameters:
    ///   - isReinstated: whether the kiosk obeys the bundle's document already: the bundle was let in with it, and may come back.
    ///   - isTried: whether nothing is stored.
    /// - Returns: whether something changed.
    @discardableResult
    static func apply(
        _ bytes: [UInt8], signedBy key: FleetKey, in folder: String, isReinstated: Bool = false,
        isTried: Bool = false, at now: Timestamp
    ) throws(FleetDocumentError) -> Bool {
        let store = try using { () throws(ReaderStoreError) in try ReaderStore(at: folder, for: .changing) }
        let last = try using { () throws(ReaderStoreError) in try store.newestTrustBundle() }
        let newest = isReinstated ? nil : last
        let bundle: TrustBundle
        do {
            bundle = try TrustBundle(bytes[...], signedBy: key.key(), notOlderThan: newest, at: now)
        } catch let error as TrustBundleError {
            throw .trustRefused("\(error.fleetID)")
        } catch {
            throw .trustRefused("the key of the document cannot be used")
        }
        let current = try using { () throws(ReaderStoreError) in try store.currentTrustIfAny() }
        guard bundle.snapshot.id != current?.snapshot.id else { return false }
        if let current, !isReinstated, let list = refused(bundle.snapshot, current.snapshot, at: now) {
            throw .trustRefused(
                "\(Terminal.safe(list.kind.rawValue)) \(Terminal.safe(list.name)) is older than the one that is there, of another issuer, or lost much of it: export the bundle again"
            )
        }
        guard !isTried else { return true }
        try using { () throws(ReaderStoreError) in
            _ = try store.replaceTrust(
                with: bundle.snapshot, expecting: current?.record.number, by: .bundle, at: now,
                bundle: isReinstated ? nil : bundle.created)
        }
        return true
    }

    /// The first list that is an older issue, another issuer's or much smaller than the one of the same name before. One whose time
    /// is over may follow: the one before is not better.
    private static func refused(
        _ snapshot: TrustSnapshot, _ before: TrustSnapshot, at now: Timestamp
    ) -> TrustSource.Identity? {
        let both = TrustSnapshot(snapshot.sources + before.sources)
        return snapshot.sources.first { source in
            guard let there = before.source(source.identity), there.sha256 != source.sha256 else {
                return false
            }
            do throws(AdmissionRefusal) {
                _ = try both.admission(of: source, at: now)
                return false
            } catch .unusable(.listStale), .unusable(.vicalRefused(.expired)) {
                return false
            } catch {
                return true
            }
        }?.identity
    }

    private static func using<Value>(
        _ body: () throws(ReaderStoreError) -> Value
    ) throws(FleetDocumentError) -> Value {
        do throws(ReaderStoreError) { return try body() } catch { throw .trustRefused(error.explanation) }
    }
}

extension TrustBundleError {
    fileprivate var fleetID: String {
        switch self {
        case .malformed, .typeWrong: "it is not a trust bundle"
        case .cose: "another key than the document's signed it"
        case .older: "a later bundle was let in before"
        case .notYetValid: "it was made in the future"
        case .snapshotDiffers: "it does not hold what it names"
        }
    }
}
