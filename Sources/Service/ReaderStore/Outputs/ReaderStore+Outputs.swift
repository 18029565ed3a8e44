internal import Foundation
internal import GRDB
package import MdocModel

/// The outputs of presentations: which accessory is to act on an outcome, and whether it has acted.
///
/// Each accessory acts at most once on an outcome, also if a process is killed at any moment:
///
/// 1. `end` records an output as `due` in the transaction that stores the outcome.
/// 2. `giveOutput` changes `due` to `given`. The change is on the disk before the function returns, and the
///    accessory acts only after that.
/// 3. `finishOutput` records how the output ended.
/// 4. After a restart, `settleOutputs` ends what the earlier run left: an output that was `due` is not given any
///    more, and of an output that was `given` nobody knows whether the accessory acted.
///
/// Whoever was left outside is asked again, which makes a new presentation with new outputs. The time for which
/// an output is due is the caller's concern: the store has no clock of its own for it.
///
/// When the last output of a presentation is settled, the same transaction appends an `OutputsStatement` to the
/// chain of receipts, unless the presentation has no receipt.
extension ReaderStore {
    /// Changes an output from `due` to `given`. When this function returns `true`, the change is on the disk, and
    /// the accessory may act.
    ///
    /// - Parameters:
    ///   - number: the number of the output.
    ///   - now: the time of the change; `nil` for the time of the computer's clock.
    /// - Returns: `false` if the output is not due: it is unknown, was given before, or has ended.
    package func giveOutput(_ number: Int64, at now: Timestamp? = nil) throws(ReaderStoreError) -> Bool {
        let now = now ?? Self.systemTime()
        return try change { database in
            try Self.set(.given, of: number, from: .due, at: now, in: database)
        }
    }

    /// Records the end of an output: `done` or `unknown` of an output that was given, `refused` or `notGiven` of
    /// an output that is due.
    ///
    /// - Parameters:
    ///   - number: the number of the output.
    ///   - state: the final state.
    ///   - now: the time of the change; `nil` for the time of the computer's clock.
    /// - Returns: `false` if nothing was changed: `state` is not final, or does not follow the output's state.
    package func finishOutput(
        _ number: Int64, as state: OutputState, at now: Timestamp? = nil
    ) throws(ReaderStoreError) -> Bool {
        let before: OutputState
        switch state {
        case .done, .unknown: before = .given
        case .refused, .notGiven: before = .due
        case .due, .given: return false
        }
        let now = now ?? Self.systemTime()
        let (isChanged, hasReceipt) = try change { database -> (Bool, Bool) in
            guard try Self.set(state, of: number, from: before, at: now, in: database) else {
                return (false, false)
            }
            let receipt = try Int64.fetchOne(
                database, sql: "SELECT receipt FROM output WHERE number = ? AND receipt IS NOT NULL",
                arguments: [number])
            return (true, try appendOutputs(ofReceipt: receipt, at: now, in: database))
        }
        if hasReceipt { writeReceiptHead() }
        return isChanged
    }

    /// Ends all outputs of an earlier run: `due` becomes `notGiven`, and `given` becomes `unknown`. Call this
    /// function when the daemon starts, before it serves outputs.
    ///
    /// - Parameter now: the time of the change; `nil` for the time of the computer's clock.
    /// - Returns: the changed outputs with their new states, in the order of their numbers.
    package func settleOutputs(at now: Timestamp? = nil) throws(ReaderStoreError) -> [StoredOutput] {
        let now = now ?? Self.systemTime()
        let (settled, hasReceipt) = try change { database -> ([StoredOutput], Bool) in
            let numbers = try Int64.fetchAll(
                database, sql: "SELECT number FROM output WHERE state IN ('due', 'given')")
            try database.execute(
                sql: """
                    UPDATE output SET state = CASE state WHEN 'due' THEN 'notGiven' ELSE 'unknown' END, at = ?
                    WHERE state IN ('due', 'given')
                    """, arguments: [now.secondsSince1970])
            let list = numbers.map(String.init).joined(separator: ", ")
            let settled = try Self.outputs("number IN (\(list)) ORDER BY number", [], in: database)
            let receipts = try Int64.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT receipt FROM output
                    WHERE number IN (\(list)) AND receipt IS NOT NULL ORDER BY receipt
                    """)
            let appended = try receipts.map { try appendOutputs(ofReceipt: $0, at: now, in: database) }
            return (settled, appended.contains(true))
        }
        if hasReceipt { writeReceiptHead() }
        return settled
    }

    /// Returns the output with a number, or `nil` if there is none.
    package func output(_ number: Int64) throws(ReaderStoreError) -> StoredOutput? {
        try read { database in try Self.outputs("number = ?", [number], in: database).first }
    }

    /// Returns the outputs of a presentation, in the order of their numbers.
    ///
    /// - Parameter presentation: the id of the presentation.
    package func outputs(of presentation: String) throws(ReaderStoreError) -> [StoredOutput] {
        try read { database in
            try Self.outputs("presentation = ? ORDER BY number", [presentation], in: database)
        }
    }
}

extension ReaderStore {
    /// Records outputs inside the transaction that stores the outcome of their presentation. An accessory that
    /// has an output of this presentation already gets no second one.
    ///
    /// - Parameter receipt: the number of the presentation's receipt; `nil` if it has none.
    /// - Returns: the new outputs.
    static func record(
        _ outputs: [NewOutput], of presentation: String, receipt: Int64?, at now: Timestamp,
        in database: Database
    ) throws -> [StoredOutput] {
        // A lane has fewer accessories than a statement has entries. An output beyond this number never acts.
        try outputs.prefix(OutputsStatement.mostOutputs).compactMap { output in
            let state = output.isRefused ? OutputState.refused : .due
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO output (presentation, accessory, state, receipt, at)
                        VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    presentation, output.accessory.text, state.rawValue, receipt, now.secondsSince1970,
                ])
            guard database.changesCount == 1 else { return nil }
            return StoredOutput(
                number: database.lastInsertedRowID, presentation: presentation, accessory: output.accessory,
                state: state)
        }
    }

    /// Appends the statement about the outputs of a presentation to the chain if all of these outputs are
    /// settled. The caller writes the head of the chain afterwards.
    ///
    /// - Parameter number: the number of the presentation's receipt; `nil` if it has none.
    /// - Returns: whether a statement was appended.
    func appendOutputs(ofReceipt number: Int64?, at now: Timestamp, in database: Database) throws -> Bool {
        guard let number else { return false }
        let outputs = try Self.outputs("receipt = ? ORDER BY number", [number], in: database)
        guard !outputs.isEmpty, outputs.allSatisfy(\.state.isSettled) else { return false }
        let encoded = try Data.fetchOne(
            database, sql: "SELECT encoded FROM receipt WHERE sequence = ?", arguments: [number])
        // A receipt that is missing or damaged is found by the verification of the chain. It must not keep an
        // output from its final state, so the output gets no statement.
        guard let encoded, let receipt = try? SignedReceipt(parsing: [UInt8](encoded)).statement(),
            let statement = OutputsStatement(
                time: now, lane: receipt.lane, software: receipt.software, receipt: number,
                outputs: outputs.map { OutputsStatement.Entry(accessory: $0.accessory, state: $0.state) })
        else { return false }
        _ = try append(.outputs(statement), in: database)
        return true
    }

    /// Deletes settled outputs whose presentation was deleted, inside a write transaction.
    static func removeOutputs(in database: Database) throws {
        // Outputs of a presentation stay together, because the last of them to be settled leads to a statement
        // about all of them.
        try database.execute(
            sql: """
                DELETE FROM output WHERE presentation NOT IN (SELECT id FROM presentation)
                    AND presentation NOT IN (SELECT presentation FROM output WHERE state IN ('due', 'given'))
                """)
    }

    /// Changes the state of one output. Returns `false` if the output's state is not `before`.
    private static func set(
        _ state: OutputState, of number: Int64, from before: OutputState, at now: Timestamp,
        in database: Database
    ) throws -> Bool {
        try database.execute(
            sql: "UPDATE output SET state = ?, at = ? WHERE number = ? AND state = ?",
            arguments: [state.rawValue, now.secondsSince1970, number, before.rawValue])
        return database.changesCount == 1
    }

    /// Returns the outputs for which an SQL condition is true. The condition may end in ORDER BY.
    private static func outputs(
        _ condition: String, _ arguments: StatementArguments, in database: Database
    ) throws -> [StoredOutput] {
        try Row.fetchAll(database, sql: "SELECT * FROM output WHERE \(condition)", arguments: arguments).map {
            row in
            guard let accessory = try ReceiptLabel(row.decode(forColumn: "accessory")),
                let state = try OutputState(rawValue: row.decode(forColumn: "state"))
            else { throw ReaderStoreError.damaged }
            return StoredOutput(
                number: try row.decode(forColumn: "number"),
                presentation: try row.decode(forColumn: "presentation"), accessory: accessory, state: state)
        }
    }

    /// The time of the computer's clock, for the time of an output's change.
    private static func systemTime() -> Timestamp {
        Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
    }
}
