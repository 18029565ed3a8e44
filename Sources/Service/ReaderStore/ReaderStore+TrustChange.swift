internal import Foundation
internal import GRDB
package import MdocModel
package import MdocTrust

extension ReaderStore {
    /// How many snapshots are kept, the current one among them.
    package static let keptSnapshots = 32

    /// Puts `snapshot` in the place of the one that was read before, for all who look from now on.
    ///
    /// - Parameters:
    ///   - expected: the number of the current one as it was read; another by now is not overwritten.
    ///   - bundle: when the bundle was made that it comes from, if it does; where a later one was let in by now, nothing is changed.
    /// - Returns: what is current then: the one that was there, where the two are the same.
    @discardableResult
    package func replaceTrust(
        with snapshot: TrustSnapshot, expecting expected: Int64?, by change: TrustRecord.Change,
        at now: Timestamp, bundle: Timestamp? = nil
    ) throws(ReaderStoreError) -> TrustRecord {
        try self.change { database in
            let current = try TrustRecord.current(in: database)
            guard current?.number == expected else { throw ReaderStoreError.changedMeanwhile }
            if let bundle { try Self.remember(bundle: bundle, in: database) }
            if let current, current.id == snapshot.id { return current }
            let number = try Self.insert(snapshot, after: current, change, now, in: database)
            try Self.makeCurrent(number, in: database)
            try Self.prune(in: database)
            return try TrustRecord.numbered(number, in: database).required()
        }
    }

    /// Makes an earlier snapshot the current one again: the predecessor, or the latest whose id begins so.
    package func rollBackTrust(toIDPrefix prefix: String? = nil) throws(ReaderStoreError) -> TrustRecord {
        try change { database in
            guard let current = try TrustRecord.current(in: database) else { throw ReaderStoreError.empty }
            let target: TrustRecord
            if let prefix {
                target = try TrustRecord.latest(idPrefix: prefix, in: database)
            } else {
                let predecessor = try current.predecessor.flatMap {
                    try TrustRecord.numbered($0, in: database)
                }
                guard let predecessor else { throw ReaderStoreError.noPredecessor }
                target = predecessor
            }
            // Do not go back to a damaged snapshot.
            _ = try StoredTrust(target, in: database)
            try Self.makeCurrent(target.number, in: database)
            return try TrustRecord.current(in: database).required()
        }
    }

    private static func insert(
        _ snapshot: TrustSnapshot, after predecessor: TrustRecord?, _ change: TrustRecord.Change,
        _ now: Timestamp, in database: Database
    ) throws -> Int64 {
        try database.execute(
            sql: "INSERT INTO trust_snapshot (id, created, predecessor, change) VALUES (?, ?, ?, ?)",
            arguments: [
                Data(snapshot.id.bytes), now.secondsSince1970, predecessor?.number, change.rawValue,
            ])
        let number = database.lastInsertedRowID
        let bytes = try database.makeStatement(
            sql: "INSERT OR IGNORE INTO trust_bytes (sha256, bytes) VALUES (?, ?)")
        let member = try database.makeStatement(
            sql: """
                INSERT INTO trust_source (snapshot, kind, name, provenance, location, obtained, sha256)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
        for source in snapshot.sources {
            let (digest, provenance) = (Data(source.sha256), source.provenance.stored)
            try bytes.execute(arguments: [digest, Data(source.bytes)])
            try member.execute(arguments: [
                number, source.kind.rawValue, source.name, provenance.word, provenance.location,
                source.obtained.secondsSince1970, digest,
            ])
        }
        return number
    }

    private static func makeCurrent(_ number: Int64, in database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO trust_current (only, snapshot) VALUES (1, ?)", arguments: [number])
    }

    /// Only ever grows: a bundle from before one that was let in is a replay, whatever was rolled back since. A later one with the
    /// contents that were there has left the current number as it was.
    private static func remember(bundle created: Timestamp, in database: Database) throws {
        if let newest = try newestTrustBundle(in: database), newest > created {
            throw ReaderStoreError.changedMeanwhile
        }
        try database.execute(
            sql: "INSERT OR REPLACE INTO trust_bundle (only, created) VALUES (1, ?)",
            arguments: [created.secondsSince1970])
    }

    private static func prune(in database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM trust_snapshot WHERE number NOT IN
                    (SELECT number FROM trust_snapshot ORDER BY number DESC LIMIT \(keptSnapshots))
                """)
        try database.execute(
            sql: "DELETE FROM trust_bytes WHERE sha256 NOT IN (SELECT sha256 FROM trust_source)")
    }
}

extension Optional {
    /// The value that has just been written.
    fileprivate func required() throws -> Wrapped {
        guard let self else { throw ReaderStoreError.damaged }
        return self
    }
}
