internal import COSE
internal import OpenSSLCrypto

/// The COSE_Sign1 (RFC 9052 4.2) of a receipt, or of the head of their chain: ES256, with the key named in the protected
/// header.
enum ReceiptSignature {
    static let keyIDLabel: Int64 = 4

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
