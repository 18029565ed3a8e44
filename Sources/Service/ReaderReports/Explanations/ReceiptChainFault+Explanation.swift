internal import MdocModel
package import ReaderStore

extension ReceiptChainFault {
    /// As reports name it.
    package var id: String {
        switch self {
        case .misshapen: "misshapen"
        case .keyUnknown: "key_unknown"
        case .changed: "changed"
        case .missing: "missing"
        case .outOfOrder: "out_of_order"
        case .predecessorDiffers: "predecessor_differs"
        case .endMissing: "end_missing"
        }
    }

    /// In plain words.
    package var explanation: String {
        switch self {
        case .misshapen: "its bytes are no receipt"
        case .keyUnknown(let id): "it names the key \(id.bytes.hexadecimal), which is none of those given"
        case .changed: "it was changed after it was signed, or another key signed it"
        case .missing(let from, let through):
            from == through ? "receipt \(from) is missing" : "receipts \(from) to \(through) are missing"
        case .outOfOrder(let due): "receipt \(due) was due here, and another one stands here"
        case .predecessorDiffers: "it follows another receipt than the one that stands before it"
        case .endMissing: "the receipt that --head names is not in the chain: its end was cut off"
        }
    }
}
