internal import Foundation
internal import GRDB
internal import MdocModel
internal import OpenSSLCrypto

extension ReaderStore {
    /// Signs what a receipt says and puts it at the end of the chain. When this returns the receipt is on the disk.
    package func append(_ statement: ReceiptStatement) throws(ReaderStoreError) -> SignedReceipt {
        try change { database in
            let last = try Self.lastReceipt(in: database)
            let key = try ReceiptKeyFile(in: folder).key()
            let receipt = try SignedReceipt.sign(statement, after: last, with: key)
            try database.execute(
                sql: "INSERT OR IGNORE INTO receipt_key (point, since) VALUES (?, ?)",
                arguments: [Data(key.encodedPoint), statement.time.secondsSince1970])
            try database.execute(
                sql: "INSERT INTO receipt (sequence, encoded) VALUES (?, ?)",
                arguments: [receipt.sequence, Data(receipt.encoded)])
            return receipt
        }
    }

    /// Receipts in their order, from the one after this number on.
    package func receipts(
        after sequence: Int64 = 0, atMost limit: Int
    ) throws(ReaderStoreError) -> [SignedReceipt] {
        try read { database in
            try Data.fetchAll(
                database, sql: "SELECT encoded FROM receipt WHERE sequence > ? ORDER BY sequence LIMIT ?",
                arguments: [sequence, limit]
            ).map { try SignedReceipt(parsing: [UInt8]($0)) }
        }
    }

    /// The last receipt; nil where there is none yet.
    package func lastReceipt() throws(ReaderStoreError) -> SignedReceipt? {
        try read { database in try Self.lastReceipt(in: database) }
    }

    private static func lastReceipt(in database: Database) throws -> SignedReceipt? {
        try Data.fetchOne(database, sql: "SELECT encoded FROM receipt ORDER BY sequence DESC LIMIT 1")
            .map { try SignedReceipt(parsing: [UInt8]($0)) }
    }

    /// All receipts, each as it is in the store, be it damaged or not.
    package func receiptChain() throws(ReaderStoreError) -> ReceiptChain {
        try read { database in
            let links = try Data.fetchCursor(database, sql: "SELECT encoded FROM receipt ORDER BY sequence")
            return try ReceiptChain(Array(links.map { [UInt8]($0) }))
        }
    }

    /// The public halves of all keys that have signed receipts here, in the order of their first.
    package func receiptKeys() throws(ReaderStoreError) -> [ReceiptPublicKey] {
        try read { database in
            try Data.fetchAll(database, sql: "SELECT point FROM receipt_key ORDER BY rowid")
                .map { try ReceiptPublicKey(point: [UInt8]($0)) }
        }
    }

    /// Has the next receipt signed with a new key, and gives its id. The old one is gone; its public half stays.
    @discardableResult
    package func renewReceiptKey() throws(ReaderStoreError) -> ReceiptPublicKey.ID {
        try change { _ in
            let key = try ReceiptKeyFile(in: folder).replace()
            return try ReceiptPublicKey(key.publicKey()).id
        }
    }
}
