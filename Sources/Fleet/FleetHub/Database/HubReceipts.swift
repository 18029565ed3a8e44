package import Fleet
internal import JSON
internal import MdocModel
package import ReaderStore

/// What became of a push of receipts.
package enum ReceiptPush: Equatable, Sendable {
    /// They are in the database, each once; this is the latest of the kiosk.
    case committed(HubState.Head)
    /// Nothing was taken: the next has to be the one after this head.
    case gap(HubState.Head)
    /// Nothing was taken: the hub has another receipt of the same number. The chain was rolled back, or is another one.
    case differs(at: Int64)
    case broken(at: Int64, ReceiptChainFault)
    /// Nothing was taken: the kiosk has pushed what it may push in an hour. After so many seconds it may push again.
    case tooMany(retryAfter: Int64)
    case malformed
    case revoked
}

/// The receipts of a chain's kiosks, and the keys that sign them.
package struct HubReceipts: Sendable {
    /// The most receipts of one push.
    package static let mostReceipts = 512
    /// The most keys that one kiosk may have, be there receipts of them or not.
    static let mostKeys: Int64 = 64

    /// The most that one kiosk pushes in an hour, in bytes: more than 20 000 receipts of the usual length, which are those of months.
    static let mostPushed: Int64 = 1 << 24
    /// PostgreSQL's code for a row that is for no partition.
    private static let partitionMissing = "23514"

    private let pool: PostgreSQLPool
    private let months: ReceiptMonths

    init(_ pool: PostgreSQLPool, _ months: ReceiptMonths) {
        self.pool = pool
        self.months = months
    }

    /// Takes the receipts that follow those that are there, all of them or none. What is there already changes nothing.
    package func take(
        _ chain: ReceiptChain, of kiosk: FleetName
    ) async throws(PostgreSQLError) -> ReceiptPush {
        guard !chain.links.isEmpty, chain.links.count <= Self.mostReceipts else { return .malformed }
        var receipts: [SignedReceipt] = []
        for link in chain.links {
            guard let receipt = try? SignedReceipt(parsing: link), (try? receipt.statement()) != nil else {
                return .broken(at: (receipts.last?.sequence ?? 0) + 1, .malformed)
            }
            guard receipts.last.map({ $0.sequence + 1 == receipt.sequence }) ?? true else {
                return .malformed
            }
            receipts.append(receipt)
        }
        do throws(PostgreSQLError) {
            return try await take(receipts, of: kiosk)
        } catch .failed(code: Self.partitionMissing) {
            // The clock of the database was put right by more than a month.
            try await months.make()
            return try await take(receipts, of: kiosk)
        } catch .failed(code: HubDatabase.keyTaken) {
            // Another kiosk has pushed the first receipts of one of the keys at the same time.
            return try await take(receipts, of: kiosk)
        }
    }

    private func take(
        _ receipts: [SignedReceipt], of kiosk: FleetName
    ) async throws(PostgreSQLError) -> ReceiptPush {
        let signatures = try await signatures(of: receipts, from: kiosk)
        return try await pool.transaction { link, deadline throws(PostgreSQLError) in
            try Self.take(receipts, having: signatures, of: kiosk, on: link, until: deadline)
        }
    }

    /// Checks the signatures of the receipts that are to be taken, as far as that can be seen without holding the kiosk's row. What is
    /// there already, and what is not taken whoever signed it, is not checked.
    func signatures(
        of receipts: [SignedReceipt], from kiosk: FleetName
    ) async throws(PostgreSQLError) -> CheckedSignatures {
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

    private static func take(
        _ receipts: [SignedReceipt], having signatures: CheckedSignatures, of kiosk: FleetName,
        on link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> ReceiptPush {
        guard let account = try ReceiptAccount(of: kiosk, isHeld: true, on: link, until: deadline),
            let earliest = receipts.first
        else {
            return .revoked
        }
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
            return fault == .predecessorDiffers && place == first.sequence
                ? .differs(at: head.sequence) : .broken(at: place, fault)
        case .intact(let count, let digest):
            next = HubState.Head(sequence: head.sequence + Int64(count), digest: digest)
        }
        try insert(new, of: kiosk, in: account, on: link, until: deadline)
        try use(keys.filter { !$0.isUsed }.map(\.key), of: kiosk, for: new, on: link, until: deadline)
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

    /// The number of the first receipt of which the database has another one. Receipts older than the retention period are not compared.
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
        stored[account.head.sequence] = account.head.digest
        return receipts.first { (stored[$0.sequence] ?? $0.digest) != $0.digest }?.sequence
    }

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

    /// The keys that a kiosk has sent, but those that have signed another's receipts.
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
            return (key, row[1] == [1])
        }
    }

    /// Remembers which keys have signed receipts that are there: they are this kiosk's, and a computer is known by them. Throws
    /// `failed` with `keyTaken` where one of them is another's by now.
    private static func use(
        _ keys: [ReceiptPublicKey], of kiosk: FleetName, for receipts: [SignedReceipt],
        on link: borrowing PostgreSQLLink, until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        let signers = Set(receipts.map(\.keyID))
        let points = keys.filter { signers.contains($0.id) }.map(\.point)
        guard !points.isEmpty else { return }
        _ = try link.rows(
            """
            UPDATE countersign_fleet_receipt_key SET is_used = true
            WHERE kiosk = $1::text AND point = ANY ($2::bytea[])
            """, [kiosk.text.bytes, .postgreSQLArray(points, of: 17)], until: deadline)
    }

    /// What became of further keys of a kiosk.
    enum KeyOutcome: Equatable, Sendable {
        case added
        /// They are there, and the kiosk's receipts are those of another computer from now on: a new one's from the first on, or one's
        /// that was here before.
        case replaced(epoch: Int64)
        case tooMany
        /// There is no such kiosk, or it is revoked.
        case unknown
        /// One of them has signed receipts of this other kiosk.
        case taken(by: FleetName)
    }

    /// Lets further keys sign a kiosk's receipts: all of them or none, and none that has signed another kiosk's. A key is a kiosk's
    /// with the first receipts that verify with it, and not before. It could not prove that it has the private half: that of a key that was
    /// replaced is not there any more.
    func add(
        _ keys: [ReceiptPublicKey], of kiosk: FleetName, at now: Timestamp
    ) async throws(PostgreSQLError) -> KeyOutcome {
        let points = [UInt8].postgreSQLArray(keys.map(\.point), of: 17)
        return try await pool.transaction { link, deadline throws(PostgreSQLError) in
            let owner = try link.rows(
                """
                SELECT kiosk FROM countersign_fleet_receipt_key
                WHERE point = ANY ($2::bytea[]) AND kiosk <> $1::text AND is_used LIMIT 1
                """, [kiosk.text.bytes, points], until: deadline
            ).first?.first??.text
            if let owner = owner.flatMap({ FleetName($0) }) { return .taken(by: owner) }
            guard
                let (epoch, isOther) = try ReceiptEpoch.current(
                    of: kiosk, having: points, on: link, until: deadline)
            else {
                return .unknown
            }
            let count = try link.rows(
                """
                SELECT count(*) FROM (
                    SELECT point FROM countersign_fleet_receipt_key WHERE kiosk = $1::text AND epoch = $3::bigint
                    UNION SELECT unnest($2::bytea[])) AS keys
                """, [kiosk.text.bytes, points, epoch.postgreSQL], until: deadline
            ).first?.first??.bigint
            guard let count, count <= Self.mostKeys else { return .tooMany }
            _ = try link.rows(
                """
                INSERT INTO countersign_fleet_receipt_key (kiosk, point, since, epoch)
                SELECT DISTINCT $1::text, unnest($2::bytea[]), $3::bigint, $4::bigint
                ON CONFLICT (kiosk, point) DO UPDATE SET epoch = excluded.epoch
                WHERE NOT countersign_fleet_receipt_key.is_used
                """,
                [kiosk.text.bytes, points, now.secondsSince1970.postgreSQL, epoch.postgreSQL],
                until: deadline)
            return isOther ? .replaced(epoch: epoch) : .added
        }
    }

    /// How many receipts of a kiosk the database has, for checks.
    package func count(of kiosk: FleetName) async throws(PostgreSQLError) -> Int64 {
        try await pool.rows(
            "SELECT count(*) FROM countersign_fleet_receipt WHERE kiosk = $1::text", [kiosk.text.bytes]
        ).first?.first??.bigint ?? 0
    }
}

/// Which receipts a kiosk's keys have signed. To find that out takes longer than all else of a push, and is done before the kiosk's
/// row is held.
struct CheckedSignatures {
    private struct Check: Hashable {
        /// The SHA-256 of the receipt with its signature.
        let receipt: [UInt8]
        let key: ReceiptPublicKey
    }

    private var results: [Check: Bool] = [:]

    /// How many were checked.
    var count: Int { results.count }

    /// Checks them in their order, up to the first that none of the keys has signed: no receipt after it is taken.
    init(of receipts: [SignedReceipt], by keys: [ReceiptPublicKey]) {
        let known = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for receipt in receipts {
            guard let key = known[receipt.keyID] else { return }
            let isSigned = receipt.isSigned(by: key)
            results[Check(receipt: receipt.digest, key: key)] = isSigned
            guard isSigned else { return }
        }
    }

    /// Whether this very key signed this very receipt. What was not checked is checked now: the kiosk has sent further keys, or has
    /// another chain, since its receipts and keys were looked up.
    func isSigned(_ receipt: SignedReceipt, by key: ReceiptPublicKey) -> Bool {
        results[Check(receipt: receipt.digest, key: key)] ?? receipt.isSigned(by: key)
    }
}
