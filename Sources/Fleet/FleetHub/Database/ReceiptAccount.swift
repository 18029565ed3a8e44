internal import Fleet
internal import ReaderStore

/// Where a kiosk's receipts continue, and how many it may push still.
struct ReceiptAccount {
    let head: HubState.Head
    /// Which computer of this name the receipts are of, from 1 on.
    let epoch: Int64
    /// Whether it has to send its keys first, by which the epoch is known.
    let isRejoining: Bool
    /// What came within the hour, in bytes.
    let pushed: Int64
    /// The time of the database, in seconds since 1970.
    let time: Int64

    /// Until the next hour begins, from 1 to 3600.
    var secondsLeft: Int64 { 3600 - time % 3600 }

    /// What it has pushed within the hour once these are there, in bytes.
    func pushed(with receipts: [SignedReceipt]) -> Int64 {
        receipts.reduce(pushed) { $0 + Int64($1.encoded.count) }
    }

    /// Nil if there is no such kiosk, or it is revoked.
    ///
    /// - Parameter isHeld: whether who holds it for the same kiosk at the same time waits until the transaction has ended.
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
        isRejoining = row[5] == [1]
    }
}

/// An epoch is the chain of receipts of one computer. Another computer of the same name begins the next one, once an operator has
/// let it in with a code: without a code a chain that ends, or continues otherwise, is found.
enum ReceiptEpoch {
    /// The epoch of a kiosk that has these keys, and whether it is another one than before; nil if there is no such kiosk.
    /// Which it is is asked once after each enrolment: that of which one of the keys has signed receipts, or else the next one.
    static func current(
        of kiosk: FleetName, having points: [UInt8], on link: borrowing PostgreSQLLink,
        until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) -> (epoch: Int64, isOther: Bool)? {
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
        guard isRejoining == [1] else { return (epoch, false) }
        let next = row[3]?.bigint ?? (sequence == 0 ? epoch : max(epoch, ended) + 1)
        if next != epoch { try begin(next, of: kiosk, on: link, until: deadline) }
        _ = try link.rows(
            "UPDATE countersign_fleet_kiosk SET is_rejoining = false WHERE kiosk = $1::text",
            [kiosk.text.bytes], until: deadline)
        return (next, next != epoch)
    }

    /// Keeps where the present epoch ends, and continues with another: where that one ended, or from the first receipt on.
    private static func begin(
        _ epoch: Int64, of kiosk: FleetName, on link: borrowing PostgreSQLLink,
        until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        _ = try link.rows(
            """
            INSERT INTO countersign_fleet_ended_epoch (kiosk, epoch, head_sequence, head_digest)
            SELECT kiosk, epoch, head_sequence, head_digest FROM countersign_fleet_kiosk WHERE kiosk = $1::text
            """, [kiosk.text.bytes], until: deadline)
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
