internal import GRDB
package import MdocModel

/// How many presentations ended in one hour with one outcome.
package struct OutcomeCount: Equatable, Sendable {
    /// Counted from the start of the day, from 0.
    package let hour: Int
    package let outcome: Outcome
    package let count: Int
}

extension ReaderStore {
    /// The presentations of a day by hour and outcome. Presentations are kept for a day, so that an earlier one has none.
    package func outcomes(
        from start: Timestamp, to end: Timestamp
    ) throws(ReaderStoreError) -> [OutcomeCount] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT (ended - ?1) / 3600 AS hour, json_extract(description, '$.outcome') AS outcome,
                        count(*) AS number
                        FROM presentation WHERE ended >= ?1 AND ended < ?2 AND outcome IS NOT NULL
                        GROUP BY hour, outcome ORDER BY hour, outcome
                    """,
                arguments: [start.secondsSince1970, end.secondsSince1970]
            ).compactMap { row in
                guard let outcome = try Outcome(rawValue: row.decode(forColumn: "outcome"))
                else { return nil }
                return OutcomeCount(
                    hour: try row.decode(forColumn: "hour"), outcome: outcome,
                    count: try row.decode(forColumn: "number"))
            }
        }
    }
}
