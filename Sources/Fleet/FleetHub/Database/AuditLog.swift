package import Fleet
internal import FoundationEssentials
internal import Glibc
package import JSON
internal import MdocModel
package import ReaderStore

/// The audit log of operators' changes. Each row is written in the transaction of its change. No statement of
/// the program changes or deletes a row.
package struct AuditLog: Sendable {
    private let pool: PostgreSQLPool
    /// Returns the operator who runs the command. Called only for a change.
    private let who: @Sendable () -> HubOperator

    init(_ pool: PostgreSQLPool, by who: @escaping @Sendable () -> HubOperator) {
        self.pool = pool
        self.who = who
    }

    /// Makes a change and writes an act, a row about the change, to the audit log in one transaction.
    ///
    /// - Parameter change: A function that sends the statements of the change. It returns a value for the
    ///   caller and the act to write, or `nil` for the act if nothing has changed that the log records.
    func recording<Value: Sendable>(
        _ change:
            @escaping @Sendable (
                borrowing PostgreSQLLink, ContinuousClock.Instant
            ) throws(PostgreSQLError) -> (value: Value, act: OperatorAct?)
    ) async throws(PostgreSQLError) -> Value {
        let who = self.who()
        return try await pool.transaction { link, deadline throws(PostgreSQLError) in
            let (value, act) = try change(link, deadline)
            // The act is written last, because `write` locks the log for all other hubs until the transaction
            // ends.
            if let act { try Self.write(act, by: who, on: link, until: deadline) }
            return value
        }
    }

    /// Makes a change with one statement, and writes an act about it to the audit log in one transaction.
    ///
    /// - Returns: `false` if the statement returned no row. In that case nothing has changed, and no act is
    ///   written.
    func recording(
        _ act: OperatorAct, by statement: String, _ values: [[UInt8]]
    ) async throws(PostgreSQLError) -> Bool {
        try await recording { link, deadline throws(PostgreSQLError) in
            let isDone = try !link.rows(statement, values, until: deadline).isEmpty
            return (isDone, isDone ? act : nil)
        }
    }

    /// Appends a row with the next number to the audit log.
    private static func write(
        _ act: OperatorAct, by who: HubOperator, on link: borrowing PostgreSQLLink,
        until deadline: ContinuousClock.Instant
    ) throws(PostgreSQLError) {
        // The advisory lock makes the acts' numbers gapless. A client that reads the log in parts, each after
        // the last number of the previous part, therefore misses no act. The hubs use the lock's number for
        // nothing else.
        _ = try link.rows("SELECT pg_advisory_xact_lock(1131902832)", until: deadline)
        _ = try link.rows(
            """
            INSERT INTO countersign_fleet_act (number, time, act, object, database_user, login, account, host)
            SELECT coalesce(max(number), 0) + 1, \(HubDatabase.second), $1::text, $2::json, session_user,
                $3::text, $4::text, $5::text
            FROM countersign_fleet_act
            """,
            [
                act.id.rawValue.bytes, act.object.utf8, who.login.bytes, who.account.bytes, who.host.bytes,
            ], until: deadline)
    }

    /// Returns operators' acts in the order of their numbers, beginning after `number`.
    ///
    /// - Parameter kiosk: The kiosk whose acts are returned. Acts about a document are included if the
    ///   document is for this kiosk alone. With `nil`, all acts are returned.
    package func acts(
        after number: Int64 = 0, of kiosk: FleetName? = nil, atMost limit: Int64
    ) async throws(PostgreSQLError) -> [(number: Int64, json: JSONValue)] {
        // The parameter `$2` is empty if no kiosk is given.
        try await pool.rows(
            """
            SELECT number, time, act, object, database_user, login, account, host FROM countersign_fleet_act
            WHERE number > $1::bigint AND ($2::text = '' OR object->>'kiosk' = $2::text
                OR (object->>'level' = 'kiosk' AND object->>'name' = $2::text))
            ORDER BY number LIMIT $3::bigint
            """, [number.postgreSQL, (kiosk?.text ?? "").bytes, limit.postgreSQL]
        ).map { row throws(PostgreSQLError) in
            // `compactMap` removes null columns, so a row with a null has fewer than eight values and is
            // refused.
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

/// An operator's change, as a row of the chain's audit log. It contains no one-time code, no token, no
/// content of a document and nothing about a customer.
struct OperatorAct: Sendable {
    /// The stable name of a change in the log.
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
    /// The kiosk or document that was changed, as JSON.
    let object: JSONValue

    /// Creates an act about a kiosk.
    ///
    /// - Parameter further: The members of `object` in addition to the kiosk's name.
    static func kiosk(
        _ id: ID, _ kiosk: FleetName, also further: [(String, JSONValue)] = []
    ) -> OperatorAct {
        OperatorAct(id: id, object: .object([("kiosk", .string(kiosk.text))] + further))
    }

    /// Creates an act about a document.
    ///
    /// - Parameters:
    ///   - digest: The SHA-256 of the document. A replaced document and its successor can have the same
    ///     version, but have different digests.
    ///   - percent: The percentage of the document's kiosks that get the document from now on.
    static func document(
        _ id: ID, at level: FleetLevel, of name: FleetName, version: Int64, digest: [UInt8], percent: Int64
    ) -> OperatorAct {
        OperatorAct(
            id: id,
            object: [
                "level": .string(level.rawValue), "name": .string(name.text), "version": .integer(version),
                "sha256": .string(digest.hexadecimal), "percent": .integer(percent),
            ])
    }
}

/// The person who runs a command, as the computer states it. The database cannot verify this.
package struct HubOperator: Equatable, Sendable {
    /// The account that logged in, which `sudo`, `su` and `runuser` do not change. Empty if nobody logged in,
    /// such as in a timer.
    package var login: String
    /// The account that runs the command.
    package var account: String
    /// The name of the computer.
    package var host: String

    package init(login: String, account: String, host: String) {
        self.login = login
        self.account = account
        self.host = host
    }

    /// The operator of this process.
    package static let current = HubOperator(
        login: login(text(of: "/proc/self/loginuid")), account: name(of: geteuid()),
        host: text(of: "/proc/sys/kernel/hostname"))

    /// Returns the name of the account with this number.
    ///
    /// - Parameter number: The content of `/proc/self/loginuid`. The highest number means that nobody logged
    ///   in.
    static func login(_ number: String) -> String {
        guard let user = uid_t(number), user != .max else { return "" }
        return name(of: user)
    }

    /// Returns the user's name, or the user's number if the user has no name.
    private static func name(of user: uid_t) -> String {
        guard let entry = unsafe getpwuid(user), let name = unsafe entry.pointee.pw_name else {
            return "\(user)"
        }
        return unsafe String(cString: name)
    }

    /// Returns the first word of a file, or an empty text if the file cannot be read.
    private static func text(of path: String) -> String {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return String(text.prefix { !$0.isWhitespace })
    }
}
