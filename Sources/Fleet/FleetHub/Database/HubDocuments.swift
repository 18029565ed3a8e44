package import Fleet
package import JSON
package import MdocModel
package import ReaderStore

/// The documents of a chain and their roll-outs to kiosks.
///
/// For each level and name, any number of versions of a document can be stored. A kiosk gets the newest
/// version whose roll-out has reached the kiosk:
/// - `put` stores a version and offers this version to a share of the kiosks. A hash of kiosk and version
///   decides which kiosks come first.
/// - `widen` raises the share and resets the count of failures.
/// - `countFailure` counts the kiosks that refuse the document or return to the former document, each kiosk
///   once. After `mostFailures` kiosks, the hub offers the former version again. Kiosks that already use the
///   newer version keep it.
///
/// `put` and `widen` write the audit log and queue change notices to the kiosks in one transaction. The
/// commands of `countersign-hub` call them; hubs only read documents and count failures. The caller verifies
/// a document's signature before `put`. Kiosks verify the signature too, so a forged document in the database
/// has no effect on kiosks.
package struct HubDocuments: Sendable {
    /// The number of kiosks whose refusal pauses a roll-out: no further kiosk gets the document until an
    /// operator widens the roll-out.
    package static let mostFailures: Int64 = 3

    private let pool: PostgreSQLPool
    private let audit: AuditLog
    private let chain: FleetName

    init(_ pool: PostgreSQLPool, recordingIn audit: AuditLog, chain: FleetName) {
        self.pool = pool
        self.audit = audit
        self.chain = chain
    }

    /// The result of `put`.
    package enum PutOutcome: Equatable, Sendable {
        /// The document was stored.
        case put
        /// Nothing was stored, because the hub has this version or a higher one already.
        case older(than: Int64)
    }

    /// Stores a document whose signature the caller has verified, and queues notices to the document's
    /// kiosks.
    ///
    /// - Parameters:
    ///   - keys: The chain's fleet keys, in order of precedence. A document of an earlier key replaces
    ///     documents of later keys, even if they have the same or a higher version. Kiosks follow the same
    ///     rule.
    ///   - percent: The share of the document's kiosks that get the document at first, 1 to 100. The other
    ///     kiosks keep the former document.
    package func put(
        _ document: VerifiedFleetDocument, among keys: [FleetKey] = [], percent: Int64 = 100,
        at now: Timestamp
    ) async throws(PostgreSQLError) -> PutOutcome {
        let content = document.document
        let (level, name) = (content.level.rawValue, content.name.text)
        let act = OperatorAct.document(
            .documentPut, at: content.level, of: content.name, version: content.version,
            digest: document.digest,
            percent: percent)
        return try await audit.recording {
            link, deadline throws(PostgreSQLError) -> (PutOutcome, OperatorAct?) in
            // The advisory lock lets only one hub at a time store a document. Without the lock, two
            // simultaneous calls could each fail to see the version that the other stores.
            _ = try link.rows("SELECT pg_advisory_xact_lock(1131902831)", until: deadline)
            let others = try link.rows(
                """
                SELECT version, encoded FROM countersign_fleet_document
                WHERE level = $1::text AND name = $2::text AND version >= $3::bigint ORDER BY version DESC
                """, [level.bytes, name.bytes, content.version.postgreSQL], until: deadline)
            for row in others {
                guard row.count == 2, let version = row[0]?.bigint, let encoded = row[1] else {
                    throw .rowMalformed
                }
                guard document.takesPlace(of: encoded, among: keys) else {
                    return (.older(than: version), nil)
                }
            }
            // The replaced documents have the same or a higher version. If they stayed, kiosks would get one
            // of them in place of the new document.
            for table in ["countersign_fleet_failure", "countersign_fleet_document"] where !others.isEmpty {
                _ = try link.rows(
                    "DELETE FROM \(table) WHERE level = $1::text AND name = $2::text AND version >= $3::bigint",
                    [level.bytes, name.bytes, content.version.postgreSQL], until: deadline)
            }
            _ = try link.rows(
                """
                INSERT INTO countersign_fleet_document (level, name, version, digest, encoded, put, percent)
                VALUES ($1::text, $2::text, $3::bigint, $4::bytea, $5::bytea, $6::bigint, $7::bigint)
                """,
                [
                    level.bytes, name.bytes, content.version.postgreSQL, document.digest, document.encoded,
                    now.secondsSince1970.postgreSQL, percent.postgreSQL,
                ], until: deadline)
            // The statement for the whole chain has no parameter.
            _ = try link.rows(
                Self.noticeTasks(for: content.level), content.level == .chain ? [] : [name.bytes],
                until: deadline)
            return (.put, act)
        }
    }

    /// Returns the statement that queues change notices to the kiosks of a level. For the whole chain, the
    /// statement queues one task with an empty kiosk, which means all kiosks. For another level, it
    /// queues one task for each kiosk. The name of the site, group or kiosk is the statement's parameter.
    private static func noticeTasks(for level: FleetLevel) -> String {
        let selection =
            switch level {
            case .chain: "SELECT 'notice', ''"
            case .site: "SELECT 'notice', kiosk FROM countersign_fleet_kiosk WHERE site = $1::text"
            case .group: "SELECT 'notice', kiosk FROM countersign_fleet_kiosk WHERE member_of = $1::text"
            case .kiosk: "SELECT 'notice', kiosk FROM countersign_fleet_kiosk WHERE kiosk = $1::text"
            }
        return "INSERT INTO countersign_fleet_task (kind, kiosk) \(selection)"
    }

    /// Rolls out the newest document of a level and name to a larger share of its kiosks, and resets the
    /// document's failures. The kiosks are notified even if nothing changes; only a change is written to the
    /// audit log.
    ///
    /// - Returns: `false` if there is no document.
    package func widen(
        _ level: FleetLevel, _ name: FleetName, percent: Int64
    ) async throws(PostgreSQLError) -> Bool {
        try await audit.recording { link, deadline throws(PostgreSQLError) -> (Bool, OperatorAct?) in
            _ = try link.rows(
                "DELETE FROM countersign_fleet_failure WHERE level = $1::text AND name = $2::text",
                [level.rawValue.bytes, name.text.bytes], until: deadline)
            let row = try link.rows(
                Self.widening, [level.rawValue.bytes, name.text.bytes, percent.postgreSQL], until: deadline
            ).first
            guard let row else { return (false, nil) }
            guard row.count == 3, let version = row[0]?.bigint, let digest = row[1], let isOther = row[2]
            else { throw .rowMalformed }
            _ = try link.rows(
                Self.noticeTasks(for: level), level == .chain ? [] : [name.text.bytes], until: deadline)
            // If nothing has changed, no act is written to the audit log. PostgreSQL's binary form of `true`
            // is the byte 1.
            guard isOther == [1] else { return (true, nil) }
            let act = OperatorAct.document(
                .documentWidened, at: level, of: name, version: version, digest: digest, percent: percent)
            return (true, act)
        }
    }

    /// The statement that widens a roll-out. It returns the document's version and digest, and whether
    /// percent or failures have changed.
    private static let widening = """
        UPDATE countersign_fleet_document AS document SET percent = $3::bigint, failures = 0 FROM (
            SELECT version, percent, failures FROM countersign_fleet_document
            WHERE level = $1::text AND name = $2::text ORDER BY version DESC LIMIT 1 FOR UPDATE
        ) AS former
        WHERE document.level = $1::text AND document.name = $2::text AND document.version = former.version
        RETURNING document.version, document.digest, former.percent <> $3::bigint OR former.failures > 0
        """

    /// Counts a kiosk's refusal against the document's roll-out: once for each kiosk, and only if the
    /// roll-out has reached the kiosk.
    func countFailure(
        _ entry: KioskReport.Entry, at name: FleetName, by kiosk: FleetName
    ) async throws(PostgreSQLError) {
        // If the refusal of this kiosk was counted before, `counted` has no row, so the `UPDATE` does not
        // change `failures`.
        _ = try await pool.rows(
            """
            WITH counted AS (
                INSERT INTO countersign_fleet_failure (level, name, version, kiosk)
                SELECT level, name, version, $4::text FROM countersign_fleet_document
                WHERE level = $1::text AND name = $2::text AND version = $3::bigint
                    AND \(Self.isReached(kiosk: "$4::text"))
                ON CONFLICT DO NOTHING RETURNING level, name, version)
            UPDATE countersign_fleet_document AS document SET failures = failures + 1 FROM counted
            WHERE document.level = counted.level AND document.name = counted.name
                AND document.version = counted.version
            """,
            [entry.level.rawValue.bytes, name.text.bytes, entry.version.postgreSQL, kiosk.text.bytes])
    }

    /// Returns the SQL condition for a kiosk that the roll-out has reached: the first byte of a hash, 0 to
    /// 255, is below the roll-out's percentage of 256. The hash includes the version, so that each version
    /// reaches different kiosks first.
    private static func isReached(kiosk: StaticString) -> String {
        "get_byte(sha256(convert_to(\(kiosk) || version, 'UTF8')), 0) * 100 < percent * 256"
    }

    /// Returns the newest document of each level and name with the state of its roll-out, for operators.
    package func rollOuts() async throws(PostgreSQLError) -> [JSONValue] {
        // `DISTINCT ON` keeps the first row of each level and name, which has the highest version.
        try await pool.rows(
            """
            SELECT DISTINCT ON (level, name) level, name, version, percent, failures, put
            FROM countersign_fleet_document ORDER BY level, name, version DESC
            """
        ).map { row throws(PostgreSQLError) in
            let values = row.compactMap { $0 }
            guard values.count == 6, let version = values[2].bigint, let percent = values[3].bigint,
                let failures = values[4].bigint, let put = values[5].bigint
            else { throw .rowMalformed }
            return [
                "level": .string(values[0].text), "name": .string(values[1].text),
                "version": .integer(version),
                "percent": .integer(percent), "failures": .integer(failures),
                "isPaused": .boolean(failures >= Self.mostFailures),
                "put": .string(Timestamp(secondsSince1970: put).description),
            ]
        }
    }

    /// Returns the documents for a kiosk: the newest of each level whose roll-out has reached the kiosk and
    /// is not paused.
    func newest(for kiosk: KioskRecord) async throws(PostgreSQLError) -> [HubState.Entry] {
        // A kiosk without a site or group is compared with an empty name, which no document has.
        let rows = try await pool.rows(
            """
            SELECT DISTINCT ON (level) level, version, digest FROM countersign_fleet_document
            WHERE (level, name) IN (
                ('chain', $1::text), ('site', $2::text), ('group', $3::text), ('kiosk', $4::text))
                AND failures < \(Self.mostFailures)
                AND \(Self.isReached(kiosk: "$4::text"))
            ORDER BY level, version DESC
            """,
            [
                chain.text.bytes, (kiosk.site?.text ?? "").bytes, (kiosk.group?.text ?? "").bytes,
                kiosk.name.text.bytes,
            ])
        return try rows.map { row throws(PostgreSQLError) in
            guard row.count == 3, let level = row[0].flatMap({ FleetLevel(rawValue: $0.text) }),
                let version = row[1]?.bigint, let digest = row[2]
            else { throw .rowMalformed }
            return HubState.Entry(level: level, version: version, digest: digest)
        }
    }

    /// Returns the document with this digest if it is for this kiosk, otherwise `nil`.
    func document(_ digest: [UInt8], for kiosk: KioskRecord) async throws(PostgreSQLError) -> [UInt8]? {
        // A kiosk without a site or group is compared with an empty name, which no document has.
        try await pool.rows(
            """
            SELECT encoded FROM countersign_fleet_document WHERE digest = $1::bytea AND (level, name) IN (
                ('chain', $2::text), ('site', $3::text), ('group', $4::text), ('kiosk', $5::text))
            """,
            [
                digest, chain.text.bytes, (kiosk.site?.text ?? "").bytes, (kiosk.group?.text ?? "").bytes,
                kiosk.name.text.bytes,
            ]
        ).first?.first.flatMap { $0 }
    }
}

extension VerifiedFleetDocument {
    /// Whether this document replaces `other`: whether the key that signed `other` comes after this
    /// document's key in `keys`, or is not in `keys`.
    ///
    /// - Parameter keys: The fleet keys in order of precedence.
    fileprivate func takesPlace(of other: [UInt8], among keys: [FleetKey]) -> Bool {
        // If the key of this document is not in `keys`, this document replaces nothing.
        guard let own = keys.firstIndex(where: { $0.id == signer }) else { return false }
        guard let other = try? VerifiedFleetDocument(other, by: FleetKeyring(keys)),
            let place = keys.firstIndex(where: { $0.id == other.signer })
        else { return true }
        return own < place
    }
}
