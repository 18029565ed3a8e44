/// What is wrong with a chain at its first broken link.
package enum ReceiptChainFault: Hashable, Sendable {
    /// The bytes are no receipt.
    case misshapen
    /// None of the keys at hand has the id that the receipt names.
    case keyUnknown(ReceiptPublicKey.ID)
    /// The signature does not belong to these bytes and the key that they name.
    case changed
    /// The receipts from the one due here to the one before this are not in the chain.
    case missing(from: Int64, through: Int64)
    /// Another receipt was due here, which stands elsewhere or has been here before.
    case outOfOrder(due: Int64)
    /// It follows another receipt than the one that stands before it, or another beginning.
    case predecessorDiffers
    /// The last receipt that was expected is not in the chain: its end is cut off, or it is another chain.
    case endMissing
}
