internal import CBOR
internal import COSE
internal import ErrorMapping
internal import Glibc
internal import OpenSSLCrypto
internal import ReaderIdentityStore

/// How many receipts there are, and the digest of the last: signed with the key of the receipts, in a file beside that key.
/// Without it nothing shows that the last rows of the database are missing.
struct ReceiptHead: Equatable {
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
