internal import CBOR
internal import MdocModel
internal import OpenSSLCrypto

/// A chain of signed receipts from the first receipt on. The chain can be verified without the store.
///
/// Each link is a `SignedReceipt` with a number, the digest of the link before it and a statement.
/// Verification starts at number 1 and the fixed digest `SignedReceipt.origin`, and stops at the first link
/// that is malformed, is signed by an unknown key, has the wrong number, or does not contain the digest of
/// the link before it. So a changed, inserted, moved or deleted link is found.
///
/// A missing end cannot be found in the chain itself. It can be found by comparison with one of these: the
/// signed head in the store's folder (`ReaderStore.verifyReceipts`), a digest that somebody noted
/// (`expecting`), or the fleet hub's copy of the receipts.
///
/// The keys come from the caller, never from the chain. `verify` is called by `countersign receipt verify`,
/// the owner's page and the fleet hub. A chain is a value, and verifying it blocks only the caller's thread.
///
/// The file of a chain is a CBOR map with the members `type` and `receipts`; it is at most 256 MiB.
package struct ReceiptChain: Sendable {
    /// The maximum size of a chain's file, in bytes.
    package static let maximumSize = 1 << 28
    private static let type = "countersign receipt chain"

    /// The result of verifying a chain.
    package enum Verdict: Equatable, Sendable {
        /// Every link is valid. `head` is the digest of the last link, or the start digest if the chain is
        /// empty.
        case intact(count: Int, head: [UInt8])
        /// The position of the first invalid link, counted from 1; one past the last link if the end is
        /// missing.
        case broken(at: Int64, ReceiptChainFault)
    }

    /// The encoded links, in order.
    package let links: [[UInt8]]

    package init(_ links: [[UInt8]]) {
        self.links = links
    }

    /// Parses the file of a chain without verifying its links. Throws `receiptMalformed` if the bytes have
    /// another form.
    package init(parsing bytes: [UInt8]) throws(ReaderStoreError) {
        guard let links = try? Self.parse(bytes) else { throw .receiptMalformed }
        self.links = links
    }

    private static func parse(_ bytes: [UInt8]) throws -> [[UInt8]]? {
        let map = try CBORItem.parse(bytes[...], limits: CBORLimits(bytes: maximumSize)).map()
        // `isText` accepts only a literal, so the constant `type` cannot be passed.
        guard let type = map["type"], type.isText("countersign receipt chain") else { return nil }
        return try map["receipts"]?.array().map { [UInt8](try $0.byteString()) }
    }

    /// The digest of the last link; `nil` if the chain is empty.
    package var head: [UInt8]? { links.last.map { Digest(.sha256, of: $0[...]).bytes } }

    package func encoded() -> [UInt8] {
        links.reduce(into: Self.opening(of: links.count)) { $0 += Self.encoding(of: $1) }
    }

    /// Returns the encoding that precedes the links of a chain with `count` links, for a writer that writes
    /// link by link.
    package static func opening(of count: Int) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: 2)
            encoder.text("type")
            encoder.text(type)
            encoder.text("receipts")
            encoder.array(count: count)
        }
    }

    /// Returns the encoding of one link in the file of a chain.
    package static func encoding(of link: [UInt8]) -> [UInt8] {
        CBOREncoder.encode { $0.byteString(link) }
    }

    /// Verifies the links in order, up to the first invalid link.
    ///
    /// - Parameters:
    ///   - keys: the accepted signing keys. A link that names any other key has the fault `keyUnknown`.
    ///   - start: the number and digest of the link before the first link of this chain; 0 and
    ///     `SignedReceipt.origin` for a whole chain.
    ///   - head: the digest of a link that must be in the chain. Without it a missing end cannot be detected.
    ///   - isSigned: returns whether a key signed a link. A caller that has verified the signatures already
    ///     passes a function that returns the known results.
    package func verify(
        by keys: [ReceiptPublicKey],
        after start: (sequence: Int64, digest: [UInt8]) = (0, SignedReceipt.origin),
        expecting head: [UInt8]? = nil,
        isSigned: (SignedReceipt, ReceiptPublicKey) -> Bool = { $0.isSigned(by: $1) }
    ) -> Verdict {
        // The caller may pass a key twice. Equal ids belong to equal keys.
        let known = Dictionary(keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var last = start.digest
        // The expected link may be the link before the first link of this chain.
        var hasHead = head == nil || head == last
        for (index, link) in links.enumerated() {
            let place = start.sequence + Int64(index) + 1
            switch check(link, at: place, after: last, keys: known, isSigned: isSigned) {
            case .failure(let broken): return .broken(at: place, broken.fault)
            case .success(let receipt): last = receipt.digest
            }
            if last == head { hasHead = true }
        }
        guard hasHead else { return .broken(at: start.sequence + Int64(links.count) + 1, .endMissing) }
        return .intact(count: links.count, head: last)
    }

    private struct Broken: Error {
        let fault: ReceiptChainFault
    }

    /// Checks one link: its form, signature, number and predecessor.
    private func check(
        _ link: [UInt8], at place: Int64, after last: [UInt8],
        keys known: [ReceiptPublicKey.ID: ReceiptPublicKey],
        isSigned: (SignedReceipt, ReceiptPublicKey) -> Bool
    ) -> Result<SignedReceipt, Broken> {
        guard let receipt = try? SignedReceipt(parsing: link) else {
            return .failure(Broken(fault: .malformed))
        }
        // The signature is checked before number and predecessor: the number and predecessor of an unsigned
        // link prove nothing about the chain.
        guard let key = known[receipt.keyID] else {
            return .failure(Broken(fault: .keyUnknown(receipt.keyID)))
        }
        guard isSigned(receipt, key) else { return .failure(Broken(fault: .changed)) }
        guard receipt.sequence == place else {
            return .failure(Broken(fault: displacement(of: receipt.sequence, to: place)))
        }
        guard receipt.previous == last else { return .failure(Broken(fault: .predecessorDiffers)) }
        return .success(receipt)
    }

    /// Returns the fault of a genuine receipt that is in the wrong position. The fault is `missing` if the
    /// receipt that belongs there is not in the chain, and `outOfOrder` if it is elsewhere in the chain.
    private func displacement(of sequence: Int64, to place: Int64) -> ReceiptChainFault {
        let isElsewhere = links.contains { (try? SignedReceipt(parsing: $0))?.sequence == place }
        // If the expected receipt is elsewhere in the chain, receipts were swapped and none is missing.
        guard sequence > place, !isElsewhere else { return .outOfOrder(expected: place) }
        return .missing(from: place, through: sequence - 1)
    }
}

/// The fault of the first invalid link of a chain.
package enum ReceiptChainFault: Hashable, Sendable {
    /// The bytes are not a receipt.
    case malformed
    /// None of the given keys has the id that the receipt names.
    case keyUnknown(ReceiptPublicKey.ID)
    /// The key whose id is in the receipt did not sign these bytes.
    case changed
    /// The receipts with these numbers, which belong before this one, are not in the chain.
    case missing(from: Int64, through: Int64)
    /// The receipt belongs elsewhere in the chain, or is in the chain a second time.
    case outOfOrder(expected: Int64)
    /// The receipt's `previous` is wrong. It must be the digest of the receipt before it; in the first
    /// receipt it must be `SignedReceipt.origin`.
    case predecessorDiffers
    /// The chain does not contain the expected digest: its end was cut off, or it is another chain.
    case endMissing
    /// The head outside the database is missing, is not signed by a known key, or is not in the chain.
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

    /// A text that describes the fault.
    package var explanation: String {
        switch self {
        case .malformed: "the link's bytes are not a receipt"
        case .keyUnknown(let id):
            "the receipt names the key \(id.bytes.hexadecimal), which is not among the given keys"
        case .changed: "the receipt was changed after it was signed, or another key signed it"
        case .missing(let from, let through):
            from == through ? "receipt \(from) is missing" : "receipts \(from) to \(through) are missing"
        case .outOfOrder(let expected): "receipt \(expected) was expected here, but another receipt was found"
        case .predecessorDiffers: "the receipt does not contain the digest of the receipt before it"
        case .endMissing:
            "the receipt that --head names is not in the chain: the end of the chain was cut off, or it is another chain"
        case .headDiffers:
            "STORE/receipt-head is missing, not signed by a known key, or names another receipt"
        }
    }
}
