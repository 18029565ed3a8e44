internal import Foundation
internal import GRDB
package import MdocModel

extension ReaderStore {
    /// How long it is remembered that a token was used, in seconds: long after it could be used again.
    package static let firstUsesKept: Int64 = 30 * 86_400

    /// 16 bytes that name this reader: drawn at random when they are first asked for, the same ever after.
    package func readerInstanceBytes() throws(ReaderStoreError) -> [UInt8] {
        let drawn = Data((0..<16).map { _ in UInt8.random(in: 0...255) })
        return try change { database in
            try database.execute(
                sql: "INSERT OR IGNORE INTO reader_instance (only, identifier) VALUES (1, ?)",
                arguments: [drawn])
            let kept = try Data.fetchOne(database, sql: "SELECT identifier FROM reader_instance")
            guard let kept else { throw ReaderStoreError.damaged }
            return [UInt8](kept)
        }
    }

    /// When a reader token was first used. Where it never was, `now` is kept as that, or nothing if there is no `now`.
    ///
    /// - Parameter token: the SHA-256 by which it is known.
    package func firstTokenUse(
        _ token: [UInt8], orNow now: Timestamp?
    ) throws(ReaderStoreError) -> Timestamp? {
        try change { database in
            if let now {
                try database.execute(
                    sql: "INSERT OR IGNORE INTO token_first_use (token, at) VALUES (?, ?)",
                    arguments: [Data(token), now.secondsSince1970])
                try database.execute(
                    sql: "DELETE FROM token_first_use WHERE at < ?",
                    arguments: [now.secondsSince1970 - Self.firstUsesKept])
            }
            return try Int64.fetchOne(
                database, sql: "SELECT at FROM token_first_use WHERE token = ?", arguments: [Data(token)]
            ).map(Timestamp.init(stored:))
        }
    }
}
