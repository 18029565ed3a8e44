internal import Doctor
internal import MdocModel
internal import MdocTrust
internal import ReaderStore

/// The state of the trust snapshot in the store.
struct TrustFacts: Sendable {
    /// The contents of a trust snapshot.
    struct Trust: Sendable {
        /// The number of trusted roots.
        var roots: Int
        /// The time when the newest list was obtained, or `nil` if there are only roots.
        var newestList: Timestamp?
        /// The ids of faults that `trust lint` finds, without repetitions.
        var faults: [String] = []
    }

    var trust: Result<Trust, ReaderStoreError>
    var now: Timestamp

    /// Reads the current trust snapshot of the store.
    static func current(in store: String, at now: Timestamp) -> TrustFacts {
        do throws(ReaderStoreError) {
            // Waits 1 s for a busy store, so that the examination ends within its limit.
            let stored = try ReaderStore(at: store, for: .reading, waiting: 1).currentTrust()
            return TrustFacts(trust: .success(Trust(stored.snapshot, at: now)), now: now)
        } catch {
            return TrustFacts(trust: .failure(error), now: now)
        }
    }
}

extension TrustFacts.Trust {
    fileprivate init(_ snapshot: TrustSnapshot, at now: Timestamp) {
        roots = snapshot.anchors.count
        newestList = snapshot.sources.filter(\.kind.isList).map(\.obtained)
            .max()
        faults = Set(snapshot.lint(at: now).map(\.condition).filter(\.isFault).map(\.id)).sorted()
    }
}

extension TrustFacts {
    static let checks: [DoctorCheck.ID] = [.trustRoots, .trustAge]

    var checks: [DoctorCheck] {
        switch trust {
        case .success(let trust): [rootsCheck(trust), ageCheck(trust)]
        case .failure(let error):
            [
                .failed(.trustRoots, error.text, fix: error.remedy),
                .skipped(.trustAge, "the trust store cannot be read"),
            ]
        }
    }

    private func rootsCheck(_ trust: Trust) -> DoctorCheck {
        trust.roots == 0
            ? .failed(.trustRoots, "no root is trusted, so every document is refused", fix: .importing)
            : .ok(.trustRoots, "\(trust.roots) trusted")
    }

    private func ageCheck(_ trust: Trust) -> DoctorCheck {
        guard trust.faults.isEmpty else {
            return .warning(
                .trustAge,
                "faults of lists or roots: \(trust.faults.joined(separator: ", ")); see countersign trust lint",
                fix: .updating)
        }
        guard let newest = trust.newestList else {
            return .note(
                .trustAge,
                "the trust store has only roots: without lists, it knows neither revocations nor new roots")
        }
        // The difference is negative if the clock was set back after the list was obtained. It then counts as
        // 0.
        let days = max(0, now.secondsSince1970 - newest.secondsSince1970) / 86_400
        return days > TrustSnapshot.oldListDays
            ? .warning(.trustAge, "the newest list was obtained \(days) days ago", fix: .updating)
            : .ok(.trustAge, "the newest list was obtained \(days == 0 ? "today" : "\(days) days ago")")
    }
}

extension DoctorCheck.Remedy {
    fileprivate static let importing = Self.command("countersign trust import FILE…")
    fileprivate static let updating = Self.command("countersign trust update")
}

extension ReaderStoreError {
    fileprivate var text: CheckText {
        switch self {
        case .absent, .empty: "no issuer is trusted yet, so every document is refused"
        default: "\(explanation)"
        }
    }

    fileprivate var remedy: DoctorCheck.Remedy? {
        switch self {
        case .absent, .empty: .importing
        case .snapshotDamaged: .command("countersign trust rollback")
        default: nil
        }
    }
}
