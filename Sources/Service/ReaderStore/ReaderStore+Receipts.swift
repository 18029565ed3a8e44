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
    /// Signs what a receipt says and puts it at the end of the chain. When this returns the receipt is on the disk.
    ///
    /// - Parameter presentation: whose statement was held till now; it is held no longer.
    package func append(
        _ statement: ReceiptStatement, releasing presentation: String? = nil
    ) throws(ReaderStoreError) -> SignedReceipt {
        let receipt = try change { database in
            try database.execute(
                sql: "DELETE FROM receipt_held WHERE presentation = ?", arguments: [presentation])
            return try append(statement, in: database)
        }
        sealReceipts()
        return receipt
    }

    func append(_ statement: ReceiptStatement, in database: Database) throws -> SignedReceipt {
        let last = try Self.lastReceipt(in: database)
        let key = try ReceiptKeyFile(in: folder).key()
        // From the first receipt on there is always a head.
        if last == nil, !ReceiptHead.isThere(in: folder) {
            try ReceiptHead(count: 0, digest: SignedReceipt.origin).write(to: folder, signedWith: key)
        }
        let receipt = try SignedReceipt.sign(statement, after: last, with: key)
        try database.execute(
            sql: "INSERT OR IGNORE INTO receipt_key (point, since) VALUES (?, ?)",
            arguments: [Data(key.encodedPoint), statement.time.secondsSince1970])
        try database.execute(
            sql: "INSERT INTO receipt (sequence, encoded) VALUES (?, ?)",
            arguments: [receipt.sequence, Data(receipt.encoded)])
        return receipt
    }

    /// Keeps what the receipts of a presentation will say as soon as somebody has decided, so that it is not lost with the
    /// process, in place of what was held for it.
    ///
    /// - Parameters:
    ///   - first: of what was asked at first; nil if that has no receipt.
    ///   - further: of what was asked next.
    package func hold(
        _ first: ReceiptStatement?, then further: ReceiptStatement? = nil, of presentation: String
    ) throws(ReaderStoreError) {
        try change { database in try Self.hold(first, then: further, of: presentation, in: database) }
    }

    static func hold(
        _ first: ReceiptStatement?, then further: ReceiptStatement?, of presentation: String,
        in database: Database
    ) throws {
        try release(presentation, in: database)
        let names = [presentation, presentation + StoredPresentation.furtherEnding]
        for case (let statement?, let name) in zip([first, further], names) {
            try database.execute(
                sql: "INSERT INTO receipt_held (presentation, statement) VALUES (?, ?)",
                arguments: [name, Data(statement.encoded())])
        }
    }

    /// Removes what is held for a presentation.
    static func release(_ presentation: String, in database: Database) throws {
        try database.execute(
            sql: "DELETE FROM receipt_held WHERE presentation IN (?1, ?1 || ?2)",
            arguments: [presentation, StoredPresentation.furtherEnding])
    }

    /// Writes the receipts of everything that is held: what nobody decided on, and what was interrupted. For the start, when
    /// none of it can continue.
    ///
    /// - Returns: how many those are.
    @discardableResult
    package func appendHeld() throws(ReaderStoreError) -> Int {
        let count = try change { database in
            let held = try Row.fetchAll(
                database, sql: "SELECT presentation, statement FROM receipt_held ORDER BY number")
            for row in held {
                let bytes = [UInt8](try row.decode(Data.self, forColumn: "statement"))
                let receipt = try append(ReceiptStatement(CBORItem.parse(bytes[...])), in: database)
                let name: String = try row.decode(forColumn: "presentation")
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
        if count > 0 { sealReceipts() }
        return count
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

    /// The last receipt; nil if there are no receipts yet.
    package func lastReceipt() throws(ReaderStoreError) -> SignedReceipt? {
        try read { database in try Self.lastReceipt(in: database) }
    }

    static func lastReceipt(in database: Database) throws -> SignedReceipt? {
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
        try read { database in try Self.receiptKeys(in: database) }
    }

    static func receiptKeys(in database: Database) throws -> [ReceiptPublicKey] {
        try Data.fetchAll(database, sql: "SELECT point FROM receipt_key ORDER BY rowid")
            .map { try ReceiptPublicKey(point: [UInt8]($0)) }
    }

    /// Makes a new key for the next receipt, and returns its id. The old private key is deleted; its public key is
    /// kept.
    @discardableResult
    package func renewReceiptKey() throws(ReaderStoreError) -> ReceiptPublicKey.ID {
        try change { database in
            try sealReceiptsAnew(in: database)
            let key = try ReceiptKeyFile(in: folder).replace()
            return try ReceiptPublicKey(key.publicKey()).id
        }
    }
}

extension ReaderStore {
    /// Follows the store's own chain by its own keys, and looks whether it reaches the head that is kept outside the database.
    ///
    /// - Parameter head: the digest of a link that must be in the chain besides.
    /// - Returns: the verdict, and how many links there are.
    package func verifyReceipts(
        expecting head: [UInt8]? = nil
    ) throws(ReaderStoreError) -> (ReceiptChain.Verdict, Int) {
        // The head first: what is written meanwhile is after it.
        let isSealed = ReceiptHead.isThere(in: folder)
        let sealed = try? ReceiptHead(in: folder, signedBy: receiptKeys())
        let chain = try receiptChain()
        let count = chain.links.count
        let verdict = chain.verify(by: try receiptKeys(), expecting: head)
        guard case .intact = verdict else { return (verdict, count) }
        if let sealed { return (sealed.fault(of: chain.links) ?? verdict, count) }
        let isUnsealed = count == 0 && !isSealed
        return (isUnsealed ? verdict : .broken(at: Int64(count) + 1, .headDiffers), count)
    }

    /// Writes the head down outside the database, once the receipts are on the disk. One that the database does not reach
    /// stays as it is: it shows what is missing. Where this fails the head is an earlier one until the next receipt.
    func sealReceipts() {
        try? change { database in
            guard let last = try Self.lastReceipt(in: database) else { return }
            if last.sequence > 1 || ReceiptHead.isThere(in: folder) {
                let sealed = try ReceiptHead(in: folder, signedBy: Self.receiptKeys(in: database))
                guard try Self.holds(sealed, in: database) else { return }
            }
            try seal(last)
        }
    }

    /// Stores the head of the chain as it is, in place of any earlier one.
    private func sealReceiptsAnew(in database: Database) throws {
        if let last = try Self.lastReceipt(in: database) { try seal(last) }
    }

    /// With the key of that receipt, whose public half the store has; nothing where the key was renewed since.
    private func seal(_ last: SignedReceipt) throws {
        guard let key = try? ReceiptKeyFile(in: folder).key(),
            try last.keyID == ReceiptPublicKey(key.publicKey()).id
        else { return }
        try ReceiptHead(count: last.sequence, digest: last.digest).write(to: folder, signedWith: key)
    }

    private static func holds(_ head: ReceiptHead, in database: Database) throws -> Bool {
        if head.count == 0 { return head.digest == SignedReceipt.origin }
        let encoded = try Data.fetchOne(
            database, sql: "SELECT encoded FROM receipt WHERE sequence = ?", arguments: [head.count])
        return encoded.map { Digest(.sha256, of: [UInt8]($0)[...]).bytes == head.digest } ?? false
    }
}

/// How many receipts there are, and the digest of the last: signed with the key of the receipts, in a file beside that key.
/// Without it nothing shows that the last rows of the database are missing.
private struct ReceiptHead: Equatable {
    private static let type = "countersign receipt head"

    let count: Int64
    let digest: [UInt8]

    init(count: Int64, digest: [UInt8]) {
        self.count = count
        self.digest = digest
    }

    private static func path(in folder: StoreFolder) -> String { "\(folder.path)/receipt-head" }

    static func isThere(in folder: StoreFolder) -> Bool {
        unsafe access(path(in: folder), F_OK) == 0
    }

    /// Throws if there is no such file, or where it is not signed by one of these keys.
    init(in folder: StoreFolder, signedBy keys: [ReceiptPublicKey]) throws {
        let sign1 = try COSESign1(CBORItem.parse(PrivateFile.read(Self.path(in: folder))[...]))
        let id = try sign1.headers[ReceiptSignature.keyIDLabel]?.byteString()
        guard let payload = sign1.payload,
            let key = keys.first(where: { id?.elementsEqual($0.id.bytes) == true })
        else { throw ReaderStoreError.receiptMalformed }
        try sign1.verify(with: key.key())
        let map = try CBORItem.parse(payload).map()
        guard let type = map["type"], type.isText("countersign receipt head"), map.count == 3,
            let count = try map["count"]?.integer(), let digest = try map["head"]?.byteString()
        else { throw ReaderStoreError.receiptMalformed }
        self.init(count: count, digest: Array(digest))
    }

    /// To be called while the store is held for a change.
    func write(to folder: StoreFolder, signedWith key: borrowing PrivateKey) throws(ReaderStoreError) {
        let payload = DeterministicMap.encode { map in
            map.set("type", text: Self.type)
            map.set("count", integer: count)
            map.set("head", bytes: digest)
        }
        let bytes = try ReceiptSignature.sign(payload, with: key)
        try mapping(PrivateFile.replace(Self.path(in: folder), with: bytes[...]), ReaderStoreError.keyFile)
    }

    /// What a chain lacks or has in another place; nil if it has the head. Receipts after it do not matter: a
    /// process may have ended before it wrote them down here.
    func fault(of links: [[UInt8]]) -> ReceiptChain.Verdict? {
        let there = Int64(links.count)
        if count > there { return .broken(at: there + 1, .missing(from: there + 1, through: count)) }
        guard count > 0 else { return digest == SignedReceipt.origin ? nil : .broken(at: 1, .headDiffers) }
        let found = Digest(.sha256, of: links[Int(count) - 1][...]).bytes
        return found == digest ? nil : .broken(at: count, .headDiffers)
    }
}
