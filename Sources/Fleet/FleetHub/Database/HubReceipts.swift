package import Fleet
internal import JSON
internal import MdocModel
package import ReaderStore

/// The result of a push of receipts.
package enum ReceiptPush: Equatable, Sendable {
    /// All receipts of the push are in the database, each only once. The associated value is the kiosk's
    /// latest receipt.
    case committed(HubState.Head)
    /// Nothing was stored: the first new receipt must directly follow this receipt.
    case gap(HubState.Head)
    /// Nothing was stored: the hub has another receipt with this number. The kiosk's receipts were restored
    /// from a backup, or come from another computer.
    case differs(at: Int64)
    /// Nothing was stored: the receipt with this number has a fault.
    case broken(at: Int64, ReceiptChainFault)
    /// Nothing was stored: the receipt with this number has a version that is later than the versions that this
    /// hub knows.
    case versionUnknown(at: Int64, version: Int64)
    /// Nothing was stored: the kiosk has reached its hourly limit, and may push again after this number of
    /// seconds.
    case tooMany(retryAfter: Int64)
    /// The push does not consist of consecutive receipts, or has too many of them.
    case malformed
    /// There is no such kiosk, or it was revoked.
    case revoked
}

/// The receipts of a chain's kiosks, and the keys that verify them. A receipt is a signed statement that a
/// presentation took place.
///
/// `HubRoutes` calls `store` with a push of a kiosk. A push is stored completely or not at all:
/// - It contains 1 to 512 consecutive receipts, each signed by a key that the kiosk has sent.
/// - Receipts up to the kiosk's latest one must equal the stored receipts. A push that was repeated after a
///   lost answer therefore succeeds.
/// - The first new receipt must follow the kiosk's latest one: by number (`gap`), and by the digest that
///   links them (`differs`).
/// - A kiosk may push 16 MiB in an hour.
///
/// Signatures are verified before the transaction that locks the kiosk's row. A receipt is committed when the
/// kiosk gets its answer. The receipt is in the database once, whichever hub received it.
///
/// The hub stores receipts as they were signed. It checks that each receipt has the members of a receipt of a
/// known version and nothing else, so no data about a holder is stored. `ReceiptMonths` drops old months; the latest receipt of
/// each kiosk stays in the kiosk's row.
package struct HubReceipts: Sendable {
    /// The maximum number of receipts in one push.
    package static let mostReceipts = 512
    /// The maximum number of receipt keys of one kiosk in one epoch. A kiosk's epoch begins with the receipt
    /// chain of a new computer. Keys that have signed no receipt are counted too.
    static let mostKeys: Int64 = 64

    /// The maximum that one kiosk may push in an hour, in bytes. This is enough for more than 20 000 receipts
    /// of usual length. A kiosk needs several months to make so many receipts.
    static let mostPushed: Int64 = 1 << 24
    /// PostgreSQL's error code for a row that no partition of its table accepts.
    private static let partitionMissing = "23514"

    private let pool: PostgreSQLPool
    private let months: ReceiptMonths

    init(_ pool: PostgreSQLPool, _ months: ReceiptMonths) {
        self.pool = pool
        self.months = months
    }

    /// Stores the receipts that follow the kiosk's latest receipt: all of them or none. Receipts that are
    /// stored already change nothing.
    package func store(
        _ chain: ReceiptChain, of kiosk: FleetName
    ) async throws(PostgreSQLError) -> ReceiptPush {
        guard !chain.links.isEmpty, chain.links.count <= Self.mostReceipts else { return .malformed }
        let (receipts, refusal) = Self.parse(chain.links)
        if let refusal { return refusal }
        do throws(PostgreSQLError) {
            return try await store(receipts, of: kiosk)
        } catch .failed(code: Self.partitionMissing) {
            // The month's partition can be missing after the clock of the database was corrected by more than
            // a month.
            try await months.make()
            return try await store(receipts, of: kiosk)
        } catch .failed(code: HubDatabase.keyTaken) {
            // Meanwhile, another kiosk has stored receipts that a key of this push signed. The second attempt
            // finds that the key belongs to the other kiosk, and refuses the receipts.
            return try await store(receipts, of: kiosk)
        }
    }

    /// Parses the receipts of a push, up to the first one that is refused.
    ///
    /// - Returns: The receipts, and the reason of the refusal; `nil` if all receipts have a known form and
    ///   consecutive numbers.
    private static func parse(_ links: [[UInt8]]) -> (receipts: [SignedReceipt], refusal: ReceiptPush?) {
        var receipts: [SignedReceipt] = []
        for link in links {
            let receipt = try? SignedReceipt(parsing: link)
            if let receipt, receipt.version > ReceiptContent.latestVersion {
                return (receipts, .versionUnknown(at: receipt.sequence, version: receipt.version))
            }
            // The statement in the receipt is parsed only to check it: the hub must not store anything but
            // the members of a receipt.
            guard let receipt, (try? receipt.contents()) != nil else {
                // The number of a malformed receipt is not known, so the number after the previous receipt is
                // reported.
                return (receipts, .broken(at: (receipts.last?.sequence ?? 0) + 1, .malformed))
            }
            guard receipts.last.map({ $0.sequence + 1 == receipt.sequence }) ?? true else {
                return (receipts, .malformed)
            }
            receipts.append(receipt)
        }
        return (receipts, nil)
    }

    /// Verifies the signatures of receipts, and then stores the receipts in a second transaction.
    private func store(
        _ receipts: [SignedReceipt], of kiosk: FleetName
    ) async throws(PostgreSQLError) -> ReceiptPush {
        let signatures = try await signatures(of: receipts, from: kiosk)
        return try await pool.transaction { link, deadline throws(PostgreSQLError) in
            try Self.store(receipts, having: signatures, of: kiosk, on: link, until: deadline)
        }
    }

    /// Verifies the signatures of the new receipts before the kiosk's row is locked. Verifies nothing for
    /// receipts that are stored already, and nothing for a push that is refused for another reason.
    func signatures(
        of receipts: [SignedReceipt], from kiosk: FleetName
    ) async throws(PostgreSQLError) -> CheckedSignatures {
        // The list of new receipts is empty if the push is refused or has no new receipt. In both cases no
        // signature needs to be verified.
        let (new, keys) = try await pool.transaction {
            link, deadline throws(PostgreSQLError) -> ([SignedReceipt], [ReceiptPublicKey]) in
            guard let account = try ReceiptAccount(of: kiosk, isHeld: false, on: link, until: deadline),
                !account.isRejoining
            else { return ([], []) }
            let new = receipts.filter { $0.sequence > account.head.sequence }
            guard new.first?.sequence == account.head.sequence + 1,
                account.pushed(with: new) <= Self.mostPushed
            else { return ([], []) }
            return (new, try Self.receiptKeys(of: kiosk, on: link, until: deadline).map(\.key))
        }
        return CheckedSignatures(of: new, by: keys)
    }

    /// Compares the receipts with the stored ones. Stores the new receipts, and records the last of them as
    /// the kiosk's latest receipt.
    private static func store(
        _ receipts: [SignedReceipt], having signatures: CheckedSignatures, of kiosk: FleetName,
        on link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> ReceiptPush {
        // The row is locked, so that two pushes of one kiosk at two hubs are stored one after the other.
        // `receipts` is never empty here, so only an unknown or revoked kiosk leads to `.revoked`.
        guard let account = try ReceiptAccount(of: kiosk, isHeld: true, on: link, until: deadline),
            let earliest = receipts.first
        else {
            return .revoked
        }
        // Until a kiosk that was enrolled again has sent its keys, the stored latest receipt may be another
        // computer's. On the fault `keyUnknown`, the kiosk sends its receipt keys.
        guard !account.isRejoining else {
            return .broken(at: earliest.sequence, .keyUnknown(earliest.keyID))
        }
        let head = account.head
        let known = receipts.filter { $0.sequence <= head.sequence }
        if let other = try firstDifference(known, of: kiosk, in: account, on: link, until: deadline) {
            return .differs(at: other)
        }
        let new = Array(receipts.dropFirst(known.count))
        guard let first = new.first else { return .committed(head) }
        guard first.sequence == head.sequence + 1 else { return .gap(head) }
        let pushed = account.pushed(with: new)
        guard pushed <= mostPushed else { return .tooMany(retryAfter: account.secondsLeft) }
        let keys = try receiptKeys(of: kiosk, on: link, until: deadline)
        let verdict = ReceiptChain(new.map(\.encoded)).verify(
            by: keys.map(\.key), after: (head.sequence, head.digest), isSigned: signatures.isSigned)
        let next: HubState.Head
        switch verdict {
        case .broken(let place, let fault):
            // A first new receipt that does not follow the hub's latest receipt counts as different and not
            // as damaged: the kiosk was restored from a backup, or the receipts come from another computer.
            return fault == .predecessorDiffers && place == first.sequence
                ? .differs(at: head.sequence) : .broken(at: place, fault)
        case .intact(let count, let digest):
            next = HubState.Head(sequence: head.sequence + Int64(count), digest: digest)
        }
        try insert(new, of: kiosk, in: account, on: link, until: deadline)
        try markUsed(keys.filter { !$0.isUsed }.map(\.key), of: kiosk, for: new, on: link, until: deadline)
        _ = try link.rows(
            """
            UPDATE countersign_fleet_kiosk SET head_sequence = $2::bigint, head_digest = $3::bytea,
                seen = $4::bigint, pushed_hour = $4::bigint / 3600, pushed = $5::bigint WHERE kiosk = $1::text
            """,
            [
                kiosk.text.bytes, next.sequence.postgreSQL, next.digest, account.time.postgreSQL,
                pushed.postgreSQL,
            ], until: deadline)
        return .committed(next)
    }

    /// Returns the number of the first receipt that differs from the stored receipt of the same number.
    /// Receipts older than the retention period are not compared.
    private static func firstDifference(
        _ receipts: [SignedReceipt], of kiosk: FleetName, in account: ReceiptAccount,
        on link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> Int64? {
        guard let first = receipts.first, let last = receipts.last else { return nil }
        var stored: [Int64: [UInt8]] = [:]
        let rows = try link.rows(
            """
            SELECT sequence, digest FROM countersign_fleet_receipt
            WHERE kiosk = $1::text AND epoch = $2::bigint AND sequence BETWEEN $3::bigint AND $4::bigint
            """,
            [
                kiosk.text.bytes, account.epoch.postgreSQL, first.sequence.postgreSQL,
                last.sequence.postgreSQL,
            ], until: deadline)
        for row in rows {
            guard row.count == 2, let sequence = row[0]?.bigint, let digest = row[1] else {
                throw .rowMalformed
            }
            stored[sequence] = digest
        }
        // The latest receipt's month may have been dropped, but its digest is kept in the kiosk's row.
        stored[account.head.sequence] = account.head.digest
        return receipts.first { (stored[$0.sequence] ?? $0.digest) != $0.digest }?.sequence
    }

    /// Inserts receipts. PostgreSQL's numbers for the types of the arrays' values are 20 (bigint) and 17
    /// (bytea).
    private static func insert(
        _ receipts: [SignedReceipt], of kiosk: FleetName, in account: ReceiptAccount,
        on link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        _ = try link.rows(
            """
            INSERT INTO countersign_fleet_receipt (received, kiosk, epoch, sequence, digest, encoded)
            SELECT $1::bigint, $2::text, $3::bigint, new.sequence, new.digest, new.encoded
            FROM unnest($4::bigint[], $5::bytea[], $6::bytea[]) AS new (sequence, digest, encoded)
            """,
            [
                account.time.postgreSQL, kiosk.text.bytes, account.epoch.postgreSQL,
                .postgreSQLArray(receipts.map(\.sequence.postgreSQL), of: 20),
                .postgreSQLArray(receipts.map(\.digest), of: 17),
                .postgreSQLArray(receipts.map(\.encoded), of: 17),
            ], until: deadline)
    }

    /// Returns the keys that a kiosk has sent, without keys that have signed another kiosk's receipts.
    private static func receiptKeys(
        of kiosk: FleetName, on link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> [(key: ReceiptPublicKey, isUsed: Bool)] {
        try link.rows(
            """
            SELECT point, is_used FROM countersign_fleet_receipt_key AS own WHERE kiosk = $1::text AND NOT EXISTS (
                SELECT FROM countersign_fleet_receipt_key AS other
                WHERE other.point = own.point AND other.kiosk <> own.kiosk AND other.is_used)
            """, [kiosk.text.bytes], until: deadline
        ).map { row throws(PostgreSQLError) in
            guard row.count == 2, let point = row[0], let key = try? ReceiptPublicKey(point: point) else {
                throw .rowMalformed
            }
            // PostgreSQL's binary form of `true` is the byte 1.
            return (key, row[1] == [1])
        }
    }

    /// Marks the keys that signed these receipts as used. A used key belongs to this kiosk, and the hub
    /// recognises the kiosk's computer by the used keys. Throws `failed` with `keyTaken` if another kiosk has
    /// used one of the keys in the meantime.
    private static func markUsed(
        _ keys: [ReceiptPublicKey], of kiosk: FleetName, for receipts: [SignedReceipt],
        on link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        let signers = Set(receipts.map(\.keyID))
        let points = keys.filter { signers.contains($0.id) }.map(\.point)
        guard !points.isEmpty else { return }
        // 17 is PostgreSQL's number for bytea, the type of the array's values.
        _ = try link.rows(
            """
            UPDATE countersign_fleet_receipt_key SET is_used = true
            WHERE kiosk = $1::text AND point = ANY ($2::bytea[])
            """, [kiosk.text.bytes, .postgreSQLArray(points, of: 17)], until: deadline)
    }

    /// The result of adding receipt keys.
    enum KeyOutcome: Equatable, Sendable {
        /// The keys are stored.
        case added
        /// The keys are stored, and the kiosk's receipts now come from another computer than before. `epoch`
        /// is the number of that computer's receipt chain: a new number, or the number under which this
        /// computer has sent receipts earlier.
        case replaced(epoch: Int64)
        /// The kiosk would have more than `mostKeys` keys.
        case tooMany
        /// There is no such kiosk, or it was revoked.
        case unknown
        /// One of the keys has signed receipts of this other kiosk.
        case taken(by: FleetName)
    }

    /// Adds keys that may sign a kiosk's receipts: all of the keys or none. A key that has signed another
    /// kiosk's receipts is refused.
    ///
    /// A key belongs to a kiosk as soon as a stored receipt of the kiosk is signed by the key. The kiosk need
    /// not prove that it has the private key, because the private key of a replaced receipt key no longer
    /// exists.
    func add(
        _ keys: [ReceiptPublicKey], of kiosk: FleetName, at now: Timestamp
    ) async throws(PostgreSQLError) -> KeyOutcome {
        // 17 is PostgreSQL's number for bytea, the type of the array's values.
        let points = [UInt8].postgreSQLArray(keys.map(\.point), of: 17)
        return try await pool.transaction { link, deadline throws(PostgreSQLError) in
            // `first??` unwraps both the row and its column, each of which may be missing.
            let owner = try link.rows(
                """
                SELECT kiosk FROM countersign_fleet_receipt_key
                WHERE point = ANY ($2::bytea[]) AND kiosk <> $1::text AND is_used LIMIT 1
                """, [kiosk.text.bytes, points], until: deadline
            ).first?.first??.text
            if let owner = owner.flatMap({ FleetName($0) }) { return .taken(by: owner) }
            guard
                let choice = try ReceiptEpoch.choose(
                    of: kiosk, having: points, on: link, until: deadline)
            else {
                return .unknown
            }
            let count = try link.rows(
                """
                SELECT count(*) FROM (
                    SELECT point FROM countersign_fleet_receipt_key WHERE kiosk = $1::text AND epoch = $3::bigint
                    UNION SELECT unnest($2::bytea[])) AS keys
                """, [kiosk.text.bytes, points, choice.epoch.postgreSQL], until: deadline
            ).first?.first??.bigint
            // The number of keys is checked before `enter`, so that a refused list of keys cannot begin a new
            // epoch.
            guard let count, count <= Self.mostKeys else { return .tooMany }
            try ReceiptEpoch.enter(choice, of: kiosk, on: link, until: deadline)
            // A key without receipts moves to the present epoch. A key with receipts stays in the epoch of
            // its receipts.
            _ = try link.rows(
                """
                INSERT INTO countersign_fleet_receipt_key (kiosk, point, since, epoch)
                SELECT DISTINCT $1::text, unnest($2::bytea[]), $3::bigint, $4::bigint
                ON CONFLICT (kiosk, point) DO UPDATE SET epoch = excluded.epoch
                WHERE NOT countersign_fleet_receipt_key.is_used
                """,
                [kiosk.text.bytes, points, now.secondsSince1970.postgreSQL, choice.epoch.postgreSQL],
                until: deadline)
            return choice.isOther ? .replaced(epoch: choice.epoch) : .added
        }
    }

    /// Returns the number of stored receipts of a kiosk, for tests.
    package func count(of kiosk: FleetName) async throws(PostgreSQLError) -> Int64 {
        try await pool.rows(
            "SELECT count(*) FROM countersign_fleet_receipt WHERE kiosk = $1::text", [kiosk.text.bytes]
        ).first?.first??.bigint ?? 0
    }
}

/// The results of verifying receipts' signatures. Verification takes longer than the rest of a push, so the
/// signatures are verified before the kiosk's row is locked.
struct CheckedSignatures {
    private struct Check: Hashable {
        /// The SHA-256 of the receipt with its signature.
        let receipt: [UInt8]
        let key: ReceiptPublicKey
    }

    private var results: [Check: Bool] = [:]

    /// The number of checked signatures.
    var count: Int { results.count }

    /// Verifies receipts in their order, up to the first receipt that no key has signed, because no receipt
    /// after that one is stored.
    init(of receipts: [SignedReceipt], by keys: [ReceiptPublicKey]) {
        // Keys with the same identifier are equal, so the first of them is used.
        let known = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for receipt in receipts {
            guard let key = known[receipt.keyID] else { return }
            let isSigned = receipt.isSigned(by: key)
            results[Check(receipt: receipt.digest, key: key)] = isSigned
            guard isSigned else { return }
        }
    }

    /// Whether the key signed the receipt. A pair of receipt and key that was not checked before is checked
    /// now. Such a pair exists if the kiosk has sent further keys, or another push has stored receipts, since
    /// the keys were read.
    func isSigned(_ receipt: SignedReceipt, by key: ReceiptPublicKey) -> Bool {
        results[Check(receipt: receipt.digest, key: key)] ?? receipt.isSigned(by: key)
    }
}
