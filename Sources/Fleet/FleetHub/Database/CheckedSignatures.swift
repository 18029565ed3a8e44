internal import ReaderStore

/// Which receipts a kiosk's keys have signed. To find that out takes longer than all else of a push, and is done before the kiosk's
/// row is held.
struct CheckedSignatures {
    private struct Check: Hashable {
        /// The SHA-256 of the receipt with its signature.
        let receipt: [UInt8]
        let key: ReceiptPublicKey
    }

    private var results: [Check: Bool] = [:]

    /// How many were checked.
    var count: Int { results.count }

    /// Checks them in their order, up to the first that none of the keys has signed: no receipt after it is taken.
    init(of receipts: [SignedReceipt], by keys: [ReceiptPublicKey]) {
        let known = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for receipt in receipts {
            guard let key = known[receipt.keyID] else { return }
            let isSigned = receipt.isSigned(by: key)
            results[Check(receipt: receipt.digest, key: key)] = isSigned
            guard isSigned else { return }
        }
    }

    /// Whether this very key signed this very receipt. What was not checked is checked now: the kiosk has sent further keys, or has
    /// another chain, since its receipts and keys were looked up.
    func isSigned(_ receipt: SignedReceipt, by key: ReceiptPublicKey) -> Bool {
        results[Check(receipt: receipt.digest, key: key)] ?? receipt.isSigned(by: key)
    }
}
