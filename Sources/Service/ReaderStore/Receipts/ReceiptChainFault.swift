internal import MdocModel

/// What is wrong with a chain at its first broken link.
package enum ReceiptChainFault: Hashable, Sendable {
    /// The bytes are not a receipt.
    case malformed
    /// No available key has the id that the receipt names.
    case keyUnknown(ReceiptPublicKey.ID)
    /// The signature does not belong to these bytes and the key that they name.
    case changed
    /// The receipts from the expected one to the one before this are not in the chain.
    case missing(from: Int64, through: Int64)
    /// Another receipt is expected here; this one belongs elsewhere, or occurred before.
    case outOfOrder(expected: Int64)
    /// It names another predecessor than the receipt before it, or another beginning.
    case predecessorDiffers
    /// The last receipt that was expected is not in the chain: its end is cut off, or it is another chain.
    case endMissing
    /// The head that is kept outside the database is missing, is not signed by a known key, or is not in the chain.
    case headDiffers
}

extension ReceiptChainFault {
    /// The stable id, as `Documentation/command-line.md` lists it.
    package var id: String {
        switch self {
        case .malformed: "receipt_chain.malformed"
        case .keyUnknown: "receipt_chain.key_unknown"
        case .changed: "receipt_chain.changed"
        case .missing: "receipt_chain.missing"
        case .outOfOrder: "receipt_chain.out_of_order"
        case .predecessorDiffers: "receipt_chain.predecessor_differs"
        case .endMissing: "receipt_chain.end_missing"
        case .headDiffers: "receipt_chain.head_differs"
        }
    }

    /// In plain words.
    package var explanation: String {
        switch self {
        case .malformed: "its bytes are not a receipt"
        case .keyUnknown(let id): "it names the key \(id.bytes.hexadecimal), which is not one of those given"
        case .changed: "it was changed after it was signed, or another key signed it"
        case .missing(let from, let through):
            from == through ? "receipt \(from) is missing" : "receipts \(from) to \(through) are missing"
        case .outOfOrder(let expected): "expected receipt \(expected) here, found another one"
        case .predecessorDiffers: "it names another predecessor than the receipt before it"
        case .endMissing: "the receipt that --head names is not in the chain: its end was cut off"
        case .headDiffers:
            "receipt-head in the store's folder is missing, not signed by a known key, or names another receipt"
        }
    }
}
