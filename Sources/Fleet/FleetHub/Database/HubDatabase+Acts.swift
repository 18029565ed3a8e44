package import Fleet
package import JSON
internal import MdocModel
package import ReaderStore

/// What an operator changed by a command: a row of the chain's audit log. It has no code, no token, no content of a document, and
/// nothing of a customer.
struct OperatorAct: Sendable {
    enum ID: String {
        case kioskInvited
        case kioskStopped
        case kioskStarted
        case kioskRevoked
        case alertCleared
        case documentPut
        case documentWidened
    }

    let id: ID
    /// What was changed.
    let object: JSONValue

    static func kiosk(
        _ id: ID, _ kiosk: FleetName, _ further: [(String, JSONValue)] = []
    ) -> OperatorAct {
        OperatorAct(id: id, object: .object([("kiosk", .string(kiosk.text))] + further))
    }

    /// - Parameters:
    ///   - digest: which of several documents that had this version after each other.
    ///   - percent: how many of its kiosks get it from now on.
    static func document(
        _ id: ID, _ level: FleetLevel, _ name: FleetName, version: Int64, digest: [UInt8], percent: Int64
    ) -> OperatorAct {
        OperatorAct(
            id: id,
            object: [
                "level": .string(level.rawValue), "name": .string(name.text), "version": .integer(version),
                "sha256": .string(digest.hexadecimal), "percent": .integer(percent),
            ])
    }
}

/// The audit log: what operators changed, each in the transaction of the change. Nothing here changes or deletes a row.
extension HubDatabase {
    /// Makes a change and writes it into the audit log, both or neither. False, and no row, where the statement gives no row: then
    /// it has changed nothing.
    func perform(
        _ act: OperatorAct, by statement: String, _ values: [[UInt8]]
    ) async throws(PostgreSQLError) -> Bool {
        let who = self.who()
        return try await pool.transaction { link, deadline throws(PostgreSQLError) in
            guard try !link.rows(statement, values, until: deadline).isEmpty else { return false }
            try Self.write(act, by: who, link, deadline)
            return true
        }
    }

    /// Writes a change into the audit log, as the last step of its transaction.
    static func write(
        _ act: OperatorAct, by who: HubOperator, _ link: borrowing PostgreSQLLink,
        _ deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        // Until the transaction ends nobody else takes a number: they have no gap, and who asks for those after one misses none.
        _ = try link.rows("SELECT pg_advisory_xact_lock(1131902832)", until: deadline)
        _ = try link.rows(
            """
            INSERT INTO countersign_fleet_act (number, time, act, object, database_user, login, account, host)
            SELECT coalesce(max(number), 0) + 1, \(second), $1::text, $2::json, session_user,
                $3::text, $4::text, $5::text
            FROM countersign_fleet_act
            """,
            [
                act.id.rawValue.bytes, act.object.utf8, who.login.bytes, who.account.bytes, who.host.bytes,
            ], until: deadline)
    }

    /// What operators changed, in the order of the numbers, from the one after `number` on.
    ///
    /// - Parameter kiosk: whose acts, with the documents that are for this kiosk alone; nil for all.
    package func acts(
        after number: Int64 = 0, of kiosk: FleetName? = nil, atMost limit: Int64
    ) async throws(PostgreSQLError) -> [(number: Int64, json: JSONValue)] {
        try await pool.rows(
            """
            SELECT number, time, act, object, database_user, login, account, host FROM countersign_fleet_act
            WHERE number > $1::bigint AND ($2::text = '' OR object->>'kiosk' = $2::text
                OR (object->>'level' = 'kiosk' AND object->>'name' = $2::text))
            ORDER BY number LIMIT $3::bigint
            """, [number.postgreSQL, (kiosk?.text ?? "").bytes, limit.postgreSQL]
        ).map { row throws(PostgreSQLError) in
            let values = row.compactMap { $0 }
            guard values.count == 8, let number = values[0].bigint, let time = values[1].bigint,
                let object = try? JSONItem.parse(values[3][...])
            else { throw .rowMalformed }
            let json: JSONValue = [
                "number": .integer(number),
                "time": .string(Timestamp(secondsSince1970: time).description),
                "act": .string(values[2].text), "object": JSONValue(object),
                "databaseUser": .string(values[4].text),
                "login": values[5].isEmpty ? .null : .string(values[5].text),
                "account": .string(values[6].text), "host": .string(values[7].text),
            ]
            return (number: number, json: json)
        }
    }
}
