package import CBOR
internal import COSE
internal import OpenSSLCrypto

/// A link of the receipt chain: a statement, its number and the digest of the link before it.
///
/// The encoding is a COSE_Sign1 (RFC 9052 4.2) whose protected header contains the id of the key. A parsed
/// receipt is not yet verified: use `ReceiptChain.verify`.
package struct SignedReceipt: Sendable {
    private static let type = "countersign receipt"

    /// The fixed digest that the first link contains in place of a predecessor's digest.
    package static let origin = Digest(.sha256, of: Array("countersign receipts begin here".utf8)[...]).bytes

    /// The highest number of a link: 2^53 − 1, which JSON (RFC 8259 6) carries exactly. The limit also keeps
    /// arithmetic with numbers of received receipts from overflowing.
    private static let highestSequence: Int64 = 1 << 53 - 1

    package let encoded: [UInt8]
    /// The number of the link in its chain, from 1 to `highestSequence`.
    package let sequence: Int64
    /// The SHA-256 of the link before this one; `origin` for the first link.
    package let previous: [UInt8]
    package let keyID: ReceiptPublicKey.ID
    package let content: CBORItem
    private let signature: COSESign1

    /// The SHA-256 of the encoded link.
    package var digest: [UInt8] { Digest(.sha256, of: encoded[...]).bytes }

    /// The version of the statement, which may be later than the versions that this program reads.
    package var version: Int64 { ReceiptContent.version(of: content) }

    /// Returns the statement, which is about a presentation or about outputs. Throws `receiptMalformed` if the
    /// statement has members that this version does not know, or if it is about the outputs of a presentation
    /// whose receipt would not be before this one.
    package func contents() throws(ReaderStoreError) -> ReceiptContent {
        let contents = try ReceiptContent(content)
        if case .outputs(let statement) = contents, statement.receipt >= sequence { throw .receiptMalformed }
        return contents
    }

    /// Returns the statement about a presentation. Throws `receiptMalformed` if the receipt is about outputs, or
    /// has members that this version does not know.
    package func statement() throws(ReaderStoreError) -> ReceiptStatement {
        try ReceiptStatement(content)
    }

    /// Parses a link without verifying its signature. Throws `receiptMalformed`.
    package init(parsing bytes: [UInt8]) throws(ReaderStoreError) {
        guard let parsed = try? Self.parse(bytes) else { throw .receiptMalformed }
        self = parsed
    }

    /// Parses a link; `nil` if a member is missing or of another form.
    private static func parse(_ bytes: [UInt8]) throws -> SignedReceipt? {
        let sign1 = try COSESign1(CBORItem.parse(bytes[...]))
        // `sign` writes no tag, and puts the payload into the message.
        guard !sign1.isTagged, let payload = sign1.payload,
            let keyID = sign1.headers[ReceiptSignature.keyIDLabel]
        else {
            return nil
        }
        let map = try CBORItem.parse(payload).map()
        // A link has exactly the four members that `sign` writes. `isText` accepts only a literal, so the
        // constant for the type cannot be passed.
        guard let type = map["type"], type.isText("countersign receipt"), map.count == 4,
            let sequence = try map["sequence"]?.integer(), (1...highestSequence).contains(sequence),
            let previous = try map["previous"]?.byteString(), previous.count == origin.count,
            let content = map["statement"], let key = ReceiptPublicKey.ID(try keyID.byteString())
        else { return nil }
        return SignedReceipt(
            encoded: bytes, sequence: sequence, previous: Array(previous), keyID: key, content: content,
            signature: sign1)
    }

    private init(
        encoded: [UInt8], sequence: Int64, previous: [UInt8], keyID: ReceiptPublicKey.ID,
        content: CBORItem, signature: COSESign1
    ) {
        self.encoded = encoded
        self.sequence = sequence
        self.previous = previous
        self.keyID = keyID
        self.content = content
        self.signature = signature
    }

    /// Signs the link that follows `last`, or the first link if `last` is `nil`.
    static func sign(
        _ contents: ReceiptContent, after last: SignedReceipt?, with key: borrowing PrivateKey
    ) throws(ReaderStoreError) -> SignedReceipt {
        let payload = DeterministicMap.encode { map in
            map.set("type", text: type)
            map.set("sequence", integer: (last?.sequence ?? 0) + 1)
            map.set("previous", bytes: last?.digest ?? origin)
            map.set("statement") { $0.encoded(contents.encoded()) }
        }
        return try SignedReceipt(parsing: ReceiptSignature.sign(payload, with: key))
    }

    /// Whether `key` signed this link, with ES256.
    package func isSigned(by key: ReceiptPublicKey) -> Bool {
        guard let key = try? key.key() else { return false }
        return (try? signature.verify(with: key)) != nil
    }
}

/// The COSE_Sign1 (RFC 9052 4.2) of a receipt or of a chain's head: ES256, with the id of the key in the
/// protected header.
enum ReceiptSignature {
    /// The header label `kid` (RFC 9052 3.1).
    static let keyIDLabel: Int64 = 4

    /// Signs a payload. Throws `receiptKeyUnusable` if the key is not on P-256 or cannot sign.
    static func sign(
        _ payload: [UInt8], with key: borrowing PrivateKey
    ) throws(ReaderStoreError) -> [UInt8] {
        do {
            let id = try ReceiptPublicKey(key.publicKey()).id
            return try COSESigner.es256(keyID: id.bytes)
                .sign1(payload, detached: false, with: key, algorithm: .ecdsa(.sha256))
        } catch {
            throw .receiptKeyUnusable
        }
    }
}
