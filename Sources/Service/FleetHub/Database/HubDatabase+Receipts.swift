package import Fleet
package import JSON
package import MdocModel
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
    case malformed
    case revoked
}

extension HubDatabase {
    /// The most receipts of one push.
    package static let mostReceipts = 512
    /// The most keys that one kiosk may have.
    static let mostKeys: Int64 = 64

    /// Takes the receipts that follow those that are there, all of them or none. What is there already changes nothing.
    package func take(
        _ chain: ReceiptChain, of kiosk: FleetName, at now: Timestamp
    ) async throws(PostgreSQLError) -> ReceiptPush {
        guard !chain.links.isEmpty, chain.links.count <= Self.mostReceipts else { return .malformed }
        var receipts: [SignedReceipt] = []
        for link in chain.links {
            guard let receipt = try? SignedReceipt(parsing: link) else {
                return .broken(at: (receipts.last?.sequence ?? 0) + 1, .malformed)
            }
            guard receipts.last.map({ $0.sequence + 1 == receipt.sequence }) ?? true else {
                return .malformed
            }
            receipts.append(receipt)
        }
        let all = receipts
        return try await pool.transaction { link, deadline throws(PostgreSQLError) in
            try Self.take(all, of: kiosk, at: now, link, deadline)
        }
    }

    private static func take(
        _ receipts: [SignedReceipt], of kiosk: FleetName, at now: Timestamp, _ link: borrowing PostgreSQLLink,
        _ deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> ReceiptPush {
        // Who pushes for the same kiosk at the same time waits here.
        let row = try link.rows(
            """
            SELECT head_sequence, head_digest FROM countersign_fleet_kiosk
            WHERE kiosk = $1::text AND state = 'active' FOR UPDATE
            """, [kiosk.text.bytes], until: deadline
        ).first
        guard let row else { return .revoked }
        guard row.count == 2, let sequence = row[0]?.bigint, let digest = row[1] else { throw .rowMalformed }
        let head = HubState.Head(sequence: sequence, digest: digest)
        let known = receipts.filter { $0.sequence <= head.sequence }
        if let other = try firstDifference(known, of: kiosk, head, link, deadline) {
            return .differs(at: other)
        }
        let new = Array(receipts.dropFirst(known.count))
        guard let first = new.first, let last = new.last else { return .committed(head) }
        guard first.sequence == head.sequence + 1 else { return .gap(head) }
        let keys = try receiptKeys(of: kiosk, link, deadline)
        let verdict = ReceiptChain(new.map(\.encoded)).verify(
            by: keys, after: (head.sequence, head.digest))
        if case .broken(let place, let fault) = verdict {
            return fault == .predecessorDiffers && place == first.sequence
                ? .differs(at: head.sequence) : .broken(at: place, fault)
        }
        try insert(new, of: kiosk, at: now, link, deadline)
        _ = try link.rows(
            """
            UPDATE countersign_fleet_kiosk SET head_sequence = $2::bigint, head_digest = $3::bytea,
                seen = $4::bigint WHERE kiosk = $1::text
            """,
            [
                kiosk.text.bytes, last.sequence.postgreSQL, last.digest, now.secondsSince1970.postgreSQL,
            ], until: deadline)
        return .committed(HubState.Head(sequence: last.sequence, digest: last.digest))
    }

    /// The number of the first receipt of which the database has another one. What its time is over for is not compared.
    private static func firstDifference(
        _ receipts: [SignedReceipt], of kiosk: FleetName, _ head: HubState.Head,
        _ link: borrowing PostgreSQLLink, _ deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> Int64? {
        guard let first = receipts.first, let last = receipts.last else { return nil }
        var stored: [Int64: [UInt8]] = [:]
        let rows = try link.rows(
            """
            SELECT sequence, digest FROM countersign_fleet_receipt
            WHERE kiosk = $1::text AND sequence BETWEEN $2::bigint AND $3::bigint
            """, [kiosk.text.bytes, first.sequence.postgreSQL, last.sequence.postgreSQL], until: deadline)
        for row in rows {
            guard row.count == 2, let sequence = row[0]?.bigint, let digest = row[1] else {
                throw .rowMalformed
            }
            stored[sequence] = digest
        }
        stored[head.sequence] = head.digest
        return receipts.first { (stored[$0.sequence] ?? $0.digest) != $0.digest }?.sequence
    }

    private static func insert(
        _ receipts: [SignedReceipt], of kiosk: FleetName, at now: Timestamp,
        _ link: borrowing PostgreSQLLink, _ deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        _ = try link.rows(
            """
            INSERT INTO countersign_fleet_receipt (received, kiosk, sequence, digest, encoded)
            SELECT $1::bigint, $2::text, new.sequence, new.digest, new.encoded
            FROM unnest($3::bigint[], $4::bytea[], $5::bytea[]) AS new (sequence, digest, encoded)
            """,
            [
                now.secondsSince1970.postgreSQL, kiosk.text.bytes,
                .postgreSQLArray(receipts.map(\.sequence.postgreSQL), of: 20),
                .postgreSQLArray(receipts.map(\.digest), of: 17),
                .postgreSQLArray(receipts.map(\.encoded), of: 17),
            ], until: deadline)
    }

    private static func receiptKeys(
        of kiosk: FleetName, _ link: borrowing PostgreSQLLink, _ deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> [ReceiptPublicKey] {
        try link.rows(
            "SELECT point FROM countersign_fleet_receipt_key WHERE kiosk = $1::text", [kiosk.text.bytes],
            until: deadline
        ).map { row throws(PostgreSQLError) in
            guard let point = row.first.flatMap({ $0 }), let key = try? ReceiptPublicKey(point: point) else {
                throw .rowMalformed
            }
            return key
        }
    }

    /// What became of further keys of a kiosk.
    enum KeyOutcome: Equatable, Sendable {
        case added
        case tooMany
        /// One of them is this other kiosk's.
        case taken(by: FleetName)
    }

    /// Lets further keys sign a kiosk's receipts: all of them or none, and none that is another kiosk's.
    func add(
        _ keys: [ReceiptPublicKey], of kiosk: FleetName, at now: Timestamp
    ) async throws(PostgreSQLError) -> KeyOutcome {
        let points = [UInt8].postgreSQLArray(keys.map(\.point), of: 17)
        return try await pool.transaction { link, deadline throws(PostgreSQLError) in
            // Who adds keys waits for another: both could have the same one.
            _ = try link.rows("SELECT pg_advisory_xact_lock(1131902832)", until: deadline)
            let owner = try link.rows(
                """
                SELECT kiosk FROM countersign_fleet_receipt_key
                WHERE point = ANY ($2::bytea[]) AND kiosk <> $1::text LIMIT 1
                """, [kiosk.text.bytes, points], until: deadline
            ).first?.first??.text
            if let owner = owner.flatMap({ FleetName($0) }) { return .taken(by: owner) }
            let count = try link.rows(
                """
                SELECT count(*) FROM (
                    SELECT point FROM countersign_fleet_receipt_key WHERE kiosk = $1::text
                    UNION SELECT unnest($2::bytea[])) AS keys
                """, [kiosk.text.bytes, points], until: deadline
            ).first?.first??.bigint
            guard let count, count <= Self.mostKeys else { return .tooMany }
            _ = try link.rows(
                """
                INSERT INTO countersign_fleet_receipt_key (kiosk, point, since)
                SELECT $1::text, unnest($2::bytea[]), $3::bigint ON CONFLICT DO NOTHING
                """, [kiosk.text.bytes, points, now.secondsSince1970.postgreSQL], until: deadline)
            return .added
        }
    }

    /// Has operators look at a kiosk.
    func alert(_ id: String, at kiosk: FleetName) async throws(PostgreSQLError) {
        _ = try await pool.rows(
            "UPDATE countersign_fleet_kiosk SET alert = $2::text WHERE kiosk = $1::text",
            [kiosk.text.bytes, id.bytes])
    }

    /// The kiosks that an operator has to look at, and why, in the order of their names.
    package func alerts() async throws(PostgreSQLError) -> [JSONValue] {
        try await pool.rows(
            "SELECT kiosk, alert FROM countersign_fleet_kiosk WHERE alert <> '' ORDER BY kiosk"
        ).map { row throws(PostgreSQLError) in
            guard row.count == 2, let kiosk = row[0], let alert = row[1] else { throw .rowMalformed }
            return ["kiosk": .string(kiosk.text), "alert": .string(alert.text)]
        }
    }

    /// Forgets a kiosk's alert. False where it has no alert.
    package func clearAlert(of kiosk: FleetName) async throws(PostgreSQLError) -> Bool {
        try await pool.rows(
            "UPDATE countersign_fleet_kiosk SET alert = '' WHERE kiosk = $1::text AND alert <> '' RETURNING true",
            [kiosk.text.bytes]
        ).first != nil
    }

    /// How many receipts of a kiosk the database has, for checks.
    package func receiptCount(of kiosk: FleetName) async throws(PostgreSQLError) -> Int64 {
        try await pool.rows(
            "SELECT count(*) FROM countersign_fleet_receipt WHERE kiosk = $1::text", [kiosk.text.bytes]
        ).first?.first??.bigint ?? 0
    }
}
