internal import Foundation
internal import GRDB
internal import OpenSSLCrypto

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
    func sealReceiptsAnew(in database: Database) throws {
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
