internal import CBOR
internal import COSE
internal import ErrorMapping
internal import Foundation
internal import GRDB
internal import Glibc
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderIdentityStore

extension ReaderStore {
    /// Signs a statement as the next receipt and appends it to the chain. When this function returns, the
    /// receipt is on the disk.
    ///
    /// - Parameter presentation: the id of a presentation whose statement is deleted from the table of held
    ///   receipts in the same transaction.
    package func append(
        _ statement: ReceiptStatement, releasing presentation: String? = nil
    ) throws(ReaderStoreError) -> SignedReceipt {
        let receipt = try change { database in
            // Without a presentation the condition is null, and no row matches.
            try database.execute(
                sql: "DELETE FROM receipt_held WHERE presentation = ?", arguments: [presentation])
            return try append(.presentation(statement), in: database)
        }
        writeReceiptHead()
        return receipt
    }

    /// Signs a statement as the next receipt and appends it inside a write transaction. The caller writes the
    /// head of the chain afterwards. Throws `receiptMalformed` if members of the statement contradict one
    /// another.
    func append(_ contents: ReceiptContent, in database: Database) throws -> SignedReceipt {
        let contents = try contents.checked()
        let last = try Self.lastReceipt(in: database)
        let key = try ReceiptKeyFile(in: folder).key()
        // A chain with receipts and without a head is a fault (`headDiffers`). The head of the empty chain is
        // written before the first receipt, so that a process that ends between the receipt and its head
        // leaves no fault.
        if last == nil, !ReceiptHead.exists(in: folder) {
            try ReceiptHead(count: 0, digest: SignedReceipt.origin).write(to: folder, signedWith: key)
        }
        let receipt = try SignedReceipt.sign(contents, after: last, with: key)
        try database.execute(
            sql: "INSERT OR IGNORE INTO receipt_key (point, since) VALUES (?, ?)",
            arguments: [Data(key.encodedPoint), contents.time.secondsSince1970])
        try database.execute(
            sql: "INSERT INTO receipt (sequence, encoded) VALUES (?, ?)",
            arguments: [receipt.sequence, Data(receipt.encoded)])
        return receipt
    }

    /// Stores the statements of a presentation in the table of held receipts, so that the statements are not
    /// lost if the process ends before the person at the counter has decided. Replaces the earlier statements
    /// of the presentation in this table.
    ///
    /// - Parameters:
    ///   - first: the statement about the first request; `nil` if there is none.
    ///   - further: the statement about the second request (`then`); `nil` if there is none.
    ///   - presentation: the id of the presentation.
    package func holdReceipts(
        _ first: ReceiptStatement?, then further: ReceiptStatement? = nil, of presentation: String
    ) throws(ReaderStoreError) {
        try change { database in try Self.hold(first, then: further, of: presentation, in: database) }
    }

    /// Stores the statements of a presentation in the table of held receipts, inside a write transaction. The
    /// statement of the second request (`then`) is stored under the presentation's id followed by
    /// `furtherEnding`.
    static func hold(
        _ first: ReceiptStatement?, then further: ReceiptStatement?, of presentation: String,
        in database: Database
    ) throws {
        try release(presentation, in: database)
        let names = [presentation, presentation + StoredPresentation.furtherEnding]
        for case (let statement?, let name) in zip([first, further], names) {
            try database.execute(
                sql: "INSERT INTO receipt_held (presentation, statement) VALUES (?, ?)",
                arguments: [name, Data(statement.checked().encoded())])
        }
    }

    /// Deletes the statements of a presentation from the table of held receipts.
    static func release(_ presentation: String, in database: Database) throws {
        try database.execute(
            sql: "DELETE FROM receipt_held WHERE presentation IN (?1, ?1 || ?2)",
            arguments: [presentation, StoredPresentation.furtherEnding])
    }

    /// Appends all statements in the table of held receipts to the chain: those that waited for a decision,
    /// and those of interrupted presentations. Call this function when the daemon starts: no presentation of
    /// an earlier run can continue.
    ///
    /// - Returns: the number of receipts.
    @discardableResult
    package func appendHeldReceipts() throws(ReaderStoreError) -> Int {
        let count = try change { database in
            let held = try Row.fetchAll(
                database, sql: "SELECT presentation, statement FROM receipt_held ORDER BY number")
            for row in held {
                let bytes = [UInt8](try row.decode(Data.self, forColumn: "statement"))
                let statement = try ReceiptStatement(CBORItem.parse(bytes[...]))
                let receipt = try append(.presentation(statement), in: database)
                let name: String = try row.decode(forColumn: "presentation")
                // Only one of the two updates changes a row: the first if `name` is an id, the second if
                // `name` is an id followed by `furtherEnding`.
                try database.execute(
                    sql: "UPDATE presentation SET receipt = ? WHERE id = ?",
                    arguments: [receipt.sequence, name])
                try database.execute(
                    sql: "UPDATE presentation SET further_receipt = ? WHERE id || ? = ?",
                    arguments: [receipt.sequence, StoredPresentation.furtherEnding, name])
            }
            try database.execute(sql: "DELETE FROM receipt_held")
            return held.count
        }
        if count > 0 { writeReceiptHead() }
        return count
    }

    /// Returns up to `limit` receipts with a number above `sequence`, in order.
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

    /// Returns the last receipt, or `nil` if there are no receipts yet.
    package func lastReceipt() throws(ReaderStoreError) -> SignedReceipt? {
        try read { database in try Self.lastReceipt(in: database) }
    }

    static func lastReceipt(in database: Database) throws -> SignedReceipt? {
        try Data.fetchOne(database, sql: "SELECT encoded FROM receipt ORDER BY sequence DESC LIMIT 1")
            .map { try SignedReceipt(parsing: [UInt8]($0)) }
    }

    /// Returns all receipts as they are stored, including damaged ones, so that `ReceiptChain.verify` can
    /// report the first fault.
    package func receiptChain() throws(ReaderStoreError) -> ReceiptChain {
        try read { database in
            let links = try Data.fetchCursor(database, sql: "SELECT encoded FROM receipt ORDER BY sequence")
            return try ReceiptChain(Array(links.map { [UInt8]($0) }))
        }
    }

    /// Returns the public keys that have signed receipts in this store, in the order of first use.
    package func receiptKeys() throws(ReaderStoreError) -> [ReceiptPublicKey] {
        try read { database in try Self.receiptKeys(in: database) }
    }

    static func receiptKeys(in database: Database) throws -> [ReceiptPublicKey] {
        try Data.fetchAll(database, sql: "SELECT point FROM receipt_key ORDER BY rowid")
            .map { try ReceiptPublicKey(point: [UInt8]($0)) }
    }

    /// Replaces the private key that signs receipts, and returns the id of the new key. The old public key is
    /// kept, so that older receipts can still be verified.
    @discardableResult
    package func renewReceiptKey() throws(ReaderStoreError) -> ReceiptPublicKey.ID {
        try change { database in
            // The head is written before the key is replaced: only the key of the last receipt may sign the
            // head (`writeHead`).
            try rewriteReceiptHead(in: database)
            let key = try ReceiptKeyFile(in: folder).replace()
            return try ReceiptPublicKey(key.publicKey()).id
        }
    }
}

extension ReaderStore {
    /// Verifies the store's chain with the store's keys, and checks that the chain contains the link whose
    /// digest is in the head file.
    ///
    /// - Parameter head: the digest of a link that must be in the chain too; `nil` to require no such link.
    /// - Returns: the verdict, and the number of links.
    package func verifyReceipts(
        expecting head: [UInt8]? = nil
    ) throws(ReaderStoreError) -> (ReceiptChain.Verdict, Int) {
        // The head is read before the chain. A receipt that another process appends in between is then after
        // the head, which is no fault. If the chain were read first, the head could belong to a receipt that
        // is not among the links.
        let hasHead = ReceiptHead.exists(in: folder)
        // A head that cannot be read, or that no key of the store signed, counts as missing.
        let stored = try? ReceiptHead(in: folder, signedBy: receiptKeys())
        let chain = try receiptChain()
        let count = chain.links.count
        let verdict = chain.verify(by: try receiptKeys(), expecting: head)
        guard case .intact = verdict else { return (verdict, count) }
        if let stored { return (stored.fault(of: chain.links) ?? verdict, count) }
        // A new store has neither receipts nor a head.
        let isNew = count == 0 && !hasHead
        return (isNew ? verdict : .broken(at: Int64(count) + 1, .headDiffers), count)
    }

    /// Writes the head of the chain to its file, after the receipts are on the disk.
    ///
    /// If the chain does not contain the head that is in the file, the file stays unchanged, because that
    /// head shows that receipts are missing. If writing fails, the file keeps the head of an earlier receipt
    /// until the next receipt is appended.
    func writeReceiptHead() {
        try? change { database in
            guard let last = try Self.lastReceipt(in: database) else { return }
            // Without a head a chain of one receipt may be new, but a longer chain has lost its head and must
            // not get a new one.
            if last.sequence > 1 || ReceiptHead.exists(in: folder) {
                let stored = try ReceiptHead(in: folder, signedBy: Self.receiptKeys(in: database))
                guard try Self.contains(stored, in: database) else { return }
            }
            try writeHead(at: last)
        }
    }

    /// Writes the head of the chain to its file without comparing it with the earlier head.
    private func rewriteReceiptHead(in database: Database) throws {
        if let last = try Self.lastReceipt(in: database) { try writeHead(at: last) }
    }

    /// Signs the head with the key of the last receipt. Does nothing if the key was renewed after that
    /// receipt, because a new key is not among the store's known keys until it has signed a receipt.
    private func writeHead(at last: SignedReceipt) throws {
        // If the key cannot be read, the file keeps the head of an earlier receipt, which is no fault.
        guard let key = try? ReceiptKeyFile(in: folder).key(),
            try last.keyID == ReceiptPublicKey(key.publicKey()).id
        else { return }
        try ReceiptHead(count: last.sequence, digest: last.digest).write(to: folder, signedWith: key)
    }

    /// Whether the chain in the database has the link that `head` names. The head of the empty chain is in
    /// every chain.
    private static func contains(_ head: ReceiptHead, in database: Database) throws -> Bool {
        if head.count == 0 { return head.digest == SignedReceipt.origin }
        let encoded = try Data.fetchOne(
            database, sql: "SELECT encoded FROM receipt WHERE sequence = ?", arguments: [head.count])
        return encoded.map { Digest(.sha256, of: [UInt8]($0)[...]).bytes == head.digest } ?? false
    }
}

/// The number of receipts and the digest of the last receipt, signed with the receipts' key, in a file beside
/// that key.
///
/// A chain alone does not show that its last links are missing. The head shows this, because it is stored
/// outside the database. A head that is older than the last receipt is valid: the process may have ended
/// before it wrote a newer head.
private struct ReceiptHead: Equatable {
    private static let type = "countersign receipt head"

    let count: Int64
    let digest: [UInt8]

    init(count: Int64, digest: [UInt8]) {
        self.count = count
        self.digest = digest
    }

    private static func path(in folder: StoreFolder) -> String { "\(folder.path)/receipt-head" }

    static func exists(in folder: StoreFolder) -> Bool {
        unsafe access(path(in: folder), F_OK) == 0
    }

    /// Reads and verifies the head. Throws if the file is missing, or if none of `keys` signed it.
    init(in folder: StoreFolder, signedBy keys: [ReceiptPublicKey]) throws {
        let sign1 = try COSESign1(CBORItem.parse(PrivateFile.read(Self.path(in: folder))[...]))
        let id = try sign1.headers[ReceiptSignature.keyIDLabel]?.byteString()
        guard let payload = sign1.payload,
            let key = keys.first(where: { id?.elementsEqual($0.id.bytes) == true })
        else { throw ReaderStoreError.receiptMalformed }
        try sign1.verify(with: key.key())
        let map = try CBORItem.parse(payload).map()
        // `isText` accepts only a literal, so the constant `type` cannot be passed.
        guard let type = map["type"], type.isText("countersign receipt head"), map.count == 3,
            let count = try map["count"]?.integer(), let digest = try map["head"]?.byteString()
        else { throw ReaderStoreError.receiptMalformed }
        self.init(count: count, digest: Array(digest))
    }

    /// Writes this head to its file, in place of the earlier head. Call this function inside a write
    /// transaction of the store, so that no other process writes an older head.
    func write(to folder: StoreFolder, signedWith key: borrowing PrivateKey) throws(ReaderStoreError) {
        let payload = DeterministicMap.encode { map in
            map.set("type", text: Self.type)
            map.set("count", integer: count)
            map.set("head", bytes: digest)
        }
        let bytes = try ReceiptSignature.sign(payload, with: key)
        try mapping(PrivateFile.replace(Self.path(in: folder), with: bytes[...]), ReaderStoreError.keyFile)
    }

    /// Returns the fault of a chain that does not contain this head, or `nil` if the chain contains it.
    /// Receipts after the head are no fault: the process may have ended before it wrote a newer head.
    func fault(of links: [[UInt8]]) -> ReceiptChain.Verdict? {
        let there = Int64(links.count)
        if count > there { return .broken(at: there + 1, .missing(from: there + 1, through: count)) }
        guard count > 0 else { return digest == SignedReceipt.origin ? nil : .broken(at: 1, .headDiffers) }
        // Receipts are numbered from 1.
        let found = Digest(.sha256, of: links[Int(count) - 1][...]).bytes
        return found == digest ? nil : .broken(at: count, .headDiffers)
    }
}
