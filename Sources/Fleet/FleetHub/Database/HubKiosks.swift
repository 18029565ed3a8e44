package import Fleet
package import JSON
package import MdocModel
internal import OpenSSLCrypto
package import ReaderStore

/// A kiosk's row in the hub's database.
package struct KioskRecord: Equatable, Sendable {
    /// The state of a kiosk: invited with a code, enrolled, or revoked.
    package enum State: String, Sendable { case invited, active, revoked }

    package let name: FleetName
    package let site: FleetName?
    package let group: FleetName?
    package let state: State
    package let isStopped: Bool
    /// The SHA-256 of the kiosk's SubjectPublicKeyInfo; empty before the enrolment.
    package let keyDigest: [UInt8]
    /// The time of the enrolment, in seconds since 1970; 0 for never.
    package let enrolled: Int64
    /// The time of the kiosk's last report, push of receipts or presence message, in seconds since 1970; 0
    /// for never.
    package let seen: Int64
    package let isOnline: Bool
    package let software: String
    /// The last report of the kiosk, as JSON; empty if there is none.
    package let report: [UInt8]
    /// The latest receipt that the hub has of this kiosk's present epoch. An epoch is the receipt chain of
    /// one computer with the kiosk's name.
    package let head: HubState.Head
    /// Whether the kiosk was enrolled and has not sent its receipt keys since then. The name may now belong
    /// to another computer, which has another receipt chain.
    package let isRejoining: Bool
    /// Whether the kiosk's key was revoked, under this kiosk's name or another one.
    package let isKeyRevoked: Bool
    /// The id of a condition that an operator must check; empty if there is none.
    package let alert: String

    /// The columns that `init` reads, in their order.
    static let columns = """
        kiosk, site, member_of, state, is_stopped, key_digest, enrolled, seen, is_online, software, report,
        head_sequence, head_digest, alert, is_rejoining, EXISTS (
            SELECT FROM countersign_fleet_revoked_key AS refused WHERE refused.key_digest = countersign_fleet_kiosk.key_digest)
        """

    init(_ row: [[UInt8]?]) throws(PostgreSQLError) {
        let values = row.compactMap { $0 }
        guard values.count == 16, let name = FleetName(values[0].text),
            let state = State(rawValue: values[3].text), let enrolled = values[6].bigint,
            let seen = values[7].bigint, let sequence = values[11].bigint
        else { throw .rowMalformed }
        self.name = name
        // The column is empty if the kiosk has no site or group. `FleetName` refuses an empty text, so the
        // property is then `nil`.
        site = FleetName(values[1].text)
        group = FleetName(values[2].text)
        self.state = state
        // PostgreSQL's binary form of `true` is the byte 1.
        isStopped = values[4] == [1]
        keyDigest = values[5]
        self.enrolled = enrolled
        self.seen = seen
        isOnline = values[8] == [1]
        software = values[9].text
        report = values[10]
        head = HubState.Head(sequence: sequence, digest: values[12])
        alert = values[13].text
        isRejoining = values[14] == [1]
        isKeyRevoked = values[15] == [1]
    }

    /// The receipt after which the kiosk must continue to push receipts. For a kiosk that was enrolled again,
    /// the receipt's number is 0 until the kiosk has sent its receipt keys, because the hub recognises by
    /// these keys whether the kiosk has the earlier receipts.
    var expected: HubState.Head {
        isRejoining ? HubState.Head(sequence: 0, digest: SignedReceipt.origin) : head
    }

    /// The record as JSON, for the operators' page and `kiosk list`.
    package var json: JSONValue {
        // Before the kiosk's first report, `report` is empty and therefore not JSON.
        let report = (try? JSONItem.parse(report[...])).map { JSONValue($0) } ?? .null
        return [
            "kiosk": .string(name.text), "site": JSONValue(site?.text), "group": JSONValue(group?.text),
            "state": .string(state.rawValue), "stopped": .boolean(isStopped), "online": .boolean(isOnline),
            "seen": seen == 0 ? .null : .string(Timestamp(secondsSince1970: seen).description),
            "enrolled": enrolled == 0 ? .null : .string(Timestamp(secondsSince1970: enrolled).description),
            "software": .string(software), "receipts": .integer(head.sequence),
            "alert": alert.isEmpty ? .null : .string(alert), "report": report,
        ]
    }
}

/// The kiosks of a chain: their codes, keys, states and reports, and their hourly limits.
package struct HubKiosks: Sendable {
    /// The validity of a one-time code, in seconds.
    package static let codeLifetime: Int64 = 86_400

    private let pool: PostgreSQLPool
    private let audit: AuditLog
    private let documents: HubDocuments
    private let chain: FleetName

    init(_ pool: PostgreSQLPool, recordingIn audit: AuditLog, documents: HubDocuments, chain: FleetName) {
        self.pool = pool
        self.audit = audit
        self.documents = documents
        self.chain = chain
    }

    /// Creates a one-time code for a kiosk that is new or was revoked. Receipt keys that the kiosk has sent
    /// and that signed no receipt are deleted, because the kiosk sends its keys again after its enrolment.
    ///
    /// - Returns: The code, or `nil` if there is an active kiosk of this name.
    package func invite(
        _ kiosk: FleetName, site: FleetName?, group: FleetName?, at now: Timestamp
    ) async throws(PostgreSQLError) -> String? {
        guard let random = try? randomBytes(16) else { throw .withoutRandom }
        let code = random.hexadecimal
        let act = OperatorAct.kiosk(
            .kioskInvited, kiosk, also: [("site", JSONValue(site?.text)), ("group", JSONValue(group?.text))])
        // PostgreSQL runs a changing `WITH` query, such as `forgotten`, even if no other query reads it. A
        // kiosk that was revoked and is invited again keeps its latest receipt (`head_digest`).
        let isDone = try await audit.recording(
            act,
            by: """
                WITH invited AS (
                    INSERT INTO countersign_fleet_kiosk (kiosk, site, member_of, state, code, code_expires, head_digest)
                    VALUES ($1::text, $2::text, $3::text, 'invited', $4::bytea, $5::bigint, $6::bytea)
                    ON CONFLICT (kiosk) DO UPDATE SET site = excluded.site, member_of = excluded.member_of,
                        state = 'invited', is_stopped = false, code = excluded.code, code_expires = excluded.code_expires
                    WHERE countersign_fleet_kiosk.state <> 'active' RETURNING kiosk),
                forgotten AS (
                    DELETE FROM countersign_fleet_receipt_key AS known USING invited
                    WHERE known.kiosk = invited.kiosk AND NOT known.is_used)
                SELECT true FROM invited
                """,
            [
                kiosk.text.bytes, (site?.text ?? "").bytes, (group?.text ?? "").bytes, Self.digest(code),
                (now.secondsSince1970 + Self.codeLifetime).postgreSQL, SignedReceipt.origin,
            ])
        return isDone ? code : nil
    }

    private static func digest(_ code: String) -> [UInt8] { Digest(.sha256, of: code.bytes[...]).bytes }

    /// Enrols a kiosk's key with a one-time code. The code must be valid, and the key must not have been
    /// revoked. The database contains only the code's digest.
    ///
    /// - Returns: `false` if the code is wrong or has expired, the kiosk is not invited, or the key was
    ///   revoked.
    /// - Throws: `failed` with `keyTaken` if another kiosk has the key.
    func enrol(
        _ kiosk: FleetName, code: String, keyDigest: [UInt8], at now: Timestamp
    ) async throws(PostgreSQLError) -> Bool {
        // The code is deleted, so that it works only once. While `is_rejoining` is set, the hub accepts no
        // receipts; the kiosk must send its receipt keys first.
        try await pool.rows(
            """
            UPDATE countersign_fleet_kiosk SET state = 'active', key_digest = $3::bytea, code = '',
                enrolled = $4::bigint, is_rejoining = true, alert = ''
            WHERE kiosk = $1::text AND code = $2::bytea AND state = 'invited' AND code_expires >= $4::bigint
                AND NOT EXISTS (SELECT FROM countersign_fleet_revoked_key WHERE key_digest = $3::bytea)
            RETURNING true
            """, [kiosk.text.bytes, Self.digest(code), keyDigest, now.secondsSince1970.postgreSQL]
        ).first != nil
    }

    /// Returns the kiosk with this name, or `nil` if there is none.
    package func named(_ name: FleetName) async throws(PostgreSQLError) -> KioskRecord? {
        try await pool.rows(
            "SELECT \(KioskRecord.columns) FROM countersign_fleet_kiosk WHERE kiosk = $1::text",
            [name.text.bytes]
        ).first.map { row throws(PostgreSQLError) in try KioskRecord(row) }
    }

    /// Returns kiosks in the order of their names, beginning after `name`.
    package func all(
        after name: String = "", atMost limit: Int64
    ) async throws(PostgreSQLError) -> [KioskRecord] {
        try await pool.rows(
            """
            SELECT \(KioskRecord.columns) FROM countersign_fleet_kiosk WHERE kiosk > $1::text
            ORDER BY kiosk LIMIT $2::bigint
            """, [name.bytes, limit.postgreSQL]
        ).map { row throws(PostgreSQLError) in try KioskRecord(row) }
    }

    /// Revokes a kiosk: the hubs refuse the kiosk's certificate from now on, and the broker removes the
    /// kiosk's account. Returns `false` if no kiosk has this name, or the kiosk is revoked already.
    package func revoke(_ kiosk: FleetName) async throws(PostgreSQLError) -> Bool {
        // The `WITH` query `kept` stores the revoked key. PostgreSQL runs it although no other query reads
        // it. A kiosk that was never enrolled has an empty key, which is not stored.
        try await audit.recording(
            .kiosk(.kioskRevoked, kiosk),
            by: """
                WITH changed AS (
                    UPDATE countersign_fleet_kiosk SET state = 'revoked', code = '', is_online = false
                    WHERE kiosk = $1::text AND state <> 'revoked' RETURNING kiosk, key_digest),
                kept AS (
                    INSERT INTO countersign_fleet_revoked_key (key_digest, kiosk, revoked)
                    SELECT key_digest, kiosk, extract(epoch FROM now())::bigint FROM changed WHERE key_digest <> ''
                    ON CONFLICT DO NOTHING)
                INSERT INTO countersign_fleet_task (kind, kiosk) SELECT 'remove', kiosk FROM changed RETURNING true
                """, [kiosk.text.bytes])
    }

    /// Whether a kiosk with this key was revoked, even if the kiosk's name now belongs to another computer.
    func isRevoked(_ keyDigest: [UInt8]) async throws(PostgreSQLError) -> Bool {
        try await pool.rows(
            "SELECT 1 FROM countersign_fleet_revoked_key WHERE key_digest = $1::bytea", [keyDigest]
        ).first != nil
    }

    /// Queues the removal of a broker account whose kiosk was revoked while the account was created.
    func removeAccount(of kiosk: FleetName) async throws(PostgreSQLError) {
        _ = try await pool.rows(
            "INSERT INTO countersign_fleet_task (kind, kiosk) VALUES ('remove', $1::text)",
            [kiosk.text.bytes])
    }

    /// Stops a kiosk, or lets it accept orders again. Returns `false` if the kiosk is in this state already,
    /// is revoked, or does not exist.
    package func setStopped(_ isStopped: Bool, _ kiosk: FleetName) async throws(PostgreSQLError) -> Bool {
        // PostgreSQL's binary form of `true` is the byte 1.
        try await audit.recording(
            .kiosk(isStopped ? .kioskStopped : .kioskStarted, kiosk),
            by: """
                WITH changed AS (
                    UPDATE countersign_fleet_kiosk SET is_stopped = $2::boolean
                    WHERE kiosk = $1::text AND is_stopped <> $2::boolean AND state <> 'revoked'
                    RETURNING kiosk)
                INSERT INTO countersign_fleet_task (kind, kiosk) SELECT 'notice', kiosk FROM changed RETURNING true
                """, [kiosk.text.bytes, [isStopped ? 1 : 0]])
    }

    /// Stores a kiosk's report, counts the documents that the kiosk refuses, and raises an alert for a
    /// problem with receipts that an operator must check.
    ///
    /// - Returns: `nil` if the report was stored. If the kiosk has reached its hourly limit, the report is
    ///   not stored, and the result is the number of seconds until the kiosk may report again.
    @discardableResult
    func record(
        _ report: KioskReport, of kiosk: KioskRecord, at now: Timestamp
    ) async throws(PostgreSQLError) -> Int64? {
        // A report without an alert does not clear the kiosk's alert. The statement that counts the report
        // also stores it, so a report above the hourly limit changes nothing.
        let alert = Self.alerts.contains(report.receipts) ? report.receipts : ""
        let seconds = try await count(
            .reports, of: kiosk.name,
            setting: """
                report = $2::bytea, seen = $3::bigint,
                alert = CASE WHEN $4::text = '' THEN alert ELSE $4::text END,
                """, [report.json.utf8, now.secondsSince1970.postgreSQL, alert.bytes])
        if let seconds { return seconds }
        let membership = FleetMembership(
            chain: chain, site: kiosk.site, group: kiosk.group, kiosk: kiosk.name)
        for entry in report.documents where entry.result != "applied" {
            guard let name = membership.name(at: entry.level) else { continue }
            try await documents.countFailure(entry, at: name, by: kiosk.name)
        }
        return nil
    }

    /// The ids of problems in a kiosk's report that raise an alert, because an operator must check the
    /// kiosk's receipts.
    private static let alerts = [HubProblem.ID.receiptsDiffer, .receiptBroken, .receiptKeyTaken].map(
        \.rawValue)

    /// Stores which kiosks are online, according to the presence messages from the broker. Unknown and
    /// revoked kiosks are skipped.
    func record(
        _ presences: [FleetName: KioskPresence], at now: Timestamp
    ) async throws(PostgreSQLError) {
        let all = Array(presences)
        // PostgreSQL's numbers for the types of the arrays' values are 25 (text) and 16 (boolean). The
        // message that a kiosk is offline contains no software version, so the stored version stays.
        _ = try await pool.rows(
            """
            UPDATE countersign_fleet_kiosk SET is_online = new.online, seen = $4::bigint,
                software = CASE WHEN new.software = '' THEN countersign_fleet_kiosk.software ELSE new.software END
            FROM unnest($1::text[], $2::boolean[], $3::text[]) AS new (kiosk, online, software)
            WHERE countersign_fleet_kiosk.kiosk = new.kiosk AND countersign_fleet_kiosk.state = 'active'
            """,
            [
                .postgreSQLArray(all.map { $0.key.text.bytes }, of: 25),
                .postgreSQLArray(all.map { [$0.value.isOnline ? 1 : 0] }, of: 16),
                .postgreSQLArray(all.map { $0.value.software.bytes }, of: 25),
                now.secondsSince1970.postgreSQL,
            ])
    }

    /// Sets the alert of a kiosk: the id of a condition that an operator must check.
    func alert(_ id: String, at kiosk: FleetName) async throws(PostgreSQLError) {
        _ = try await pool.rows(
            "UPDATE countersign_fleet_kiosk SET alert = $2::text WHERE kiosk = $1::text",
            [kiosk.text.bytes, id.bytes])
    }

    /// Returns the kiosks with an alert, in the order of their names.
    package func alerts() async throws(PostgreSQLError) -> [JSONValue] {
        try await pool.rows(
            "SELECT kiosk, alert FROM countersign_fleet_kiosk WHERE alert <> '' ORDER BY kiosk"
        ).map { row throws(PostgreSQLError) in
            guard row.count == 2, let kiosk = row[0], let alert = row[1] else { throw .rowMalformed }
            return ["kiosk": .string(kiosk.text), "alert": .string(alert.text)]
        }
    }

    /// Clears a kiosk's alert. Returns `false` if the kiosk has no alert.
    package func clearAlert(of kiosk: FleetName) async throws(PostgreSQLError) -> Bool {
        try await audit.recording { link, deadline throws(PostgreSQLError) -> (Bool, OperatorAct?) in
            // The statement returns the cleared alert, whose id goes into the audit log.
            let row = try link.rows(
                """
                UPDATE countersign_fleet_kiosk AS kiosk SET alert = '' FROM (
                    SELECT kiosk, alert FROM countersign_fleet_kiosk WHERE kiosk = $1::text AND alert <> '' FOR UPDATE
                ) AS former WHERE kiosk.kiosk = former.kiosk RETURNING former.alert
                """, [kiosk.text.bytes], until: deadline
            ).first
            guard let row else { return (false, nil) }
            guard let alert = row.first.flatMap({ $0 }) else { throw .rowMalformed }
            let act = OperatorAct.kiosk(.alertCleared, kiosk, also: [("alert", .string(alert.text))])
            return (true, act)
        }
    }

    /// Counts an action of a kiosk against its hourly limit, and sets `columns` in the same statement. Uses
    /// the clock of the database, because the clocks of hubs may differ.
    ///
    /// - Parameters:
    ///   - columns: SQL assignments, each followed by a comma. `values` are the values of `$2` and later.
    /// - Returns: The number of seconds until the next hour if the kiosk has reached its limit. In that case
    ///   nothing is changed.
    func count(
        _ limit: HourlyLimit, of kiosk: FleetName, setting columns: String = "", _ values: [[UInt8]] = []
    ) async throws(PostgreSQLError) -> Int64? {
        // The raw value names two columns: the count, and (with `_hour`) the hour in which the actions were
        // counted.
        let count = limit.rawValue
        let refusal = try await pool.rows(
            """
            WITH clock AS (SELECT \(HubDatabase.second) AS second), counted AS (
                UPDATE countersign_fleet_kiosk SET \(columns)
                    \(count) = CASE WHEN \(count)_hour = clock.second / 3600 THEN \(count) + 1 ELSE 1 END,
                    \(count)_hour = clock.second / 3600
                FROM clock WHERE kiosk = $1::text
                    AND (\(count)_hour <> clock.second / 3600 OR \(count) < \(limit.most)) RETURNING kiosk)
            SELECT 3600 - clock.second % 3600 FROM clock WHERE NOT EXISTS (SELECT FROM counted)
            """, [kiosk.text.bytes] + values
        ).first
        guard let refusal else { return nil }
        guard let seconds = refusal.first??.bigint else { throw .rowMalformed }
        return seconds
    }
}

/// An action that a kiosk may do a limited number of times in an hour, counted over all hubs together.
enum HourlyLimit: String {
    case reports, passwords, renewals

    /// The maximum number of these actions in one hour.
    var most: Int64 {
        switch self {
        // A kiosk whose lanes connect and disconnect all the time reports up to 120 times in an hour.
        case .reports: 1000
        // A kiosk that the broker never accepts requests a password 65 times in an hour, or 520 times if each
        // time it tries eight hubs that have no broker. A kiosk that the broker has accepted keeps its
        // password, also after a restart, and rarely needs a new one.
        case .passwords: 600
        // A daemon renews at most once a minute, and once at its start: 61 times in an hour without restarts.
        case .renewals: 120
        }
    }
}
