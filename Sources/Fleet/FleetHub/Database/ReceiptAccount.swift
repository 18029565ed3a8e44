internal import Fleet
internal import ReaderStore

/// The part of a kiosk's row that a push of receipts needs: the kiosk's latest receipt, and the number of
/// bytes that the kiosk has pushed in this hour.
struct ReceiptAccount {
    let head: HubState.Head
    /// The number of the kiosk's present receipt chain, from 1. Each computer with the kiosk's name has its
    /// own chain (`ReceiptEpoch`).
    let epoch: Int64
    /// Whether the kiosk must send its receipt keys before it pushes, because the hub chooses the epoch by
    /// these keys.
    let isRejoining: Bool
    /// The number of bytes pushed in this hour.
    let pushed: Int64
    /// The time of the database, in seconds since 1970.
    let time: Int64

    /// The number of seconds until the next hour begins, 1 to 3600.
    var secondsLeft: Int64 { 3600 - time % 3600 }

    /// Returns the number of bytes pushed in this hour, including these receipts.
    func pushed(with receipts: [SignedReceipt]) -> Int64 {
        receipts.reduce(pushed) { $0 + Int64($1.encoded.count) }
    }

    /// Reads the row of an active kiosk. `nil` if there is no such kiosk or it was revoked.
    ///
    /// - Parameter isHeld: Whether to lock the row until the transaction ends.
    init?(
        of kiosk: FleetName, isHeld: Bool, on link: borrowing PostgreSQLLink,
        until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        let row = try link.rows(
            """
            SELECT head_sequence, epoch, CASE WHEN pushed_hour = clock.second / 3600 THEN pushed ELSE 0 END,
                clock.second, head_digest, is_rejoining
            FROM countersign_fleet_kiosk, (SELECT \(HubDatabase.second) AS second) AS clock
            WHERE kiosk = $1::text AND state = 'active' \(isHeld ? "FOR UPDATE OF countersign_fleet_kiosk" : "")
            """, [kiosk.text.bytes], until: deadline
        ).first
        guard let row else { return nil }
        let numbers = row.prefix(4).compactMap { $0?.bigint }
        guard numbers.count == 4, row.count == 6, let digest = row[4] else { throw .rowMalformed }
        head = HubState.Head(sequence: numbers[0], digest: digest)
        (epoch, pushed, time) = (numbers[1], numbers[2], numbers[3])
        // PostgreSQL's binary form of `true` is the byte 1.
        isRejoining = row[5] == [1]
    }
}

/// The choice of a kiosk's epoch. An epoch is the receipt chain of one computer. Another computer with the
/// same name begins the next epoch, but only after an operator has invited the kiosk again. Without an
/// invitation, a chain that begins again is reported as `receiptsDiffer`.
enum ReceiptEpoch {
    /// The epoch that `choose` has found for a kiosk's keys. `enter` makes it the present epoch.
    struct Choice {
        let epoch: Int64
        /// Whether the chosen epoch differs from the present one.
        let isOther: Bool
        /// Whether the kiosk was enrolled again since the present epoch was chosen.
        fileprivate let isRejoining: Bool
    }

    /// Chooses the epoch of a kiosk that has sent these keys, and locks the kiosk's row. The choice changes
    /// nothing in the database until `enter` is called.
    ///
    /// The epoch is chosen once after each enrolment. If one of the keys has signed receipts, the epoch of
    /// these receipts is chosen. Otherwise the present epoch continues if it has no receipts, or else a new
    /// epoch begins.
    ///
    /// - Returns: `nil` if no active kiosk has this name.
    static func choose(
        of kiosk: FleetName, having points: [UInt8], on link: borrowing PostgreSQLLink,
        until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> Choice? {
        let row = try link.rows(
            """
            SELECT epoch, is_rejoining, head_sequence,
                (SELECT max(epoch) FROM countersign_fleet_receipt_key AS known
                    WHERE known.kiosk = $1::text AND known.point = ANY ($2::bytea[]) AND known.is_used),
                (SELECT coalesce(max(epoch), 0) FROM countersign_fleet_ended_epoch AS ended WHERE ended.kiosk = $1::text)
            FROM countersign_fleet_kiosk WHERE kiosk = $1::text AND state = 'active' FOR UPDATE
            """, [kiosk.text.bytes, points], until: deadline
        ).first
        guard let row else { return nil }
        guard row.count == 5, let epoch = row[0]?.bigint, let isRejoining = row[1],
            let sequence = row[2]?.bigint, let ended = row[4]?.bigint
        else { throw .rowMalformed }
        // PostgreSQL's binary form of `true` is the byte 1.
        guard isRejoining == [1] else { return Choice(epoch: epoch, isOther: false, isRejoining: false) }
        // If none of the keys has signed receipts, the present epoch continues if it has no receipts.
        // Otherwise a new epoch begins, whose number is above all earlier ones.
        let next = row[3]?.bigint ?? (sequence == 0 ? epoch : max(epoch, ended) + 1)
        return Choice(epoch: next, isOther: next != epoch, isRejoining: true)
    }

    /// Makes the chosen epoch the present one.
    static func enter(
        _ choice: Choice, of kiosk: FleetName, on link: borrowing PostgreSQLLink,
        until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        // If the kiosk was not enrolled again, `choose` has chosen the present epoch, so there is nothing to
        // do.
        guard choice.isRejoining else { return }
        if choice.isOther { try begin(choice.epoch, of: kiosk, on: link, until: deadline) }
        _ = try link.rows(
            "UPDATE countersign_fleet_kiosk SET is_rejoining = false WHERE kiosk = $1::text",
            [kiosk.text.bytes], until: deadline)
    }

    /// Stores the latest receipt (head) of the epoch that ends, and makes `epoch` the present one. If `epoch`
    /// was the present one before, its receipts continue after its stored head. A new epoch begins with its
    /// first receipt.
    private static func begin(
        _ epoch: Int64, of kiosk: FleetName, on link: borrowing PostgreSQLLink,
        until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        _ = try link.rows(
            """
            INSERT INTO countersign_fleet_ended_epoch (kiosk, epoch, head_sequence, head_digest)
            SELECT kiosk, epoch, head_sequence, head_digest FROM countersign_fleet_kiosk WHERE kiosk = $1::text
            """, [kiosk.text.bytes], until: deadline)
        // `begun` has no row for a new epoch. The head of a new epoch is therefore `origin`, the head of a
        // chain without receipts.
        _ = try link.rows(
            """
            WITH begun AS (
                DELETE FROM countersign_fleet_ended_epoch WHERE kiosk = $1::text AND epoch = $2::bigint
                RETURNING head_sequence, head_digest)
            UPDATE countersign_fleet_kiosk SET epoch = $2::bigint,
                head_sequence = coalesce((SELECT head_sequence FROM begun), 0),
                head_digest = coalesce((SELECT head_digest FROM begun), $3::bytea)
            WHERE kiosk = $1::text
            """, [kiosk.text.bytes, epoch.postgreSQL, SignedReceipt.origin], until: deadline)
    }
}
