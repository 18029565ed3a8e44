internal import OpenSSLCrypto
internal import PKIX
internal import ReaderStore

/// Keys in PEM: private ones as they come and with the input as their DER, and public ones.
///
/// - Returns: whether the input as it comes holds a key.
@discardableResult
func fuzzPEMKey(_ input: ArraySlice<UInt8>) -> Bool {
    let isPrivate = isPrivateKey(input)
    for label in ["PRIVATE KEY", "EC PRIVATE KEY"] as [StaticString] {
        _ = isPrivateKey(PEM.encode(input, label: label)[...])
    }
    guard let blocks = try? PEM.decode(input, label: "PUBLIC KEY") else { return isPrivate }
    let isPublic = blocks.map { isPublicKey($0[...]) }.contains(true)
    return isPrivate || isPublic
}

private func isPrivateKey(_ text: ArraySlice<UInt8>) -> Bool {
    guard let key = try? PrivateKey(pem: text) else { return false }
    do throws(OpenSSLCryptoError) {
        let point = key.encodedPoint
        let half = try key.publicKey().encodedPoint
        demand(half == point, "a key of two public halves")
        let again = try key.unprotectedPEM().withUnprotectedBytes {
            pem throws(OpenSSLCryptoError) in try PrivateKey(pem: pem)
        }
        demand(again.curve == key.curve && again.encodedPoint == point, "a key written anew is another")
        return true
    } catch {
        fatalError("a key that was read is not one")
    }
}

private func isPublicKey(_ der: ArraySlice<UInt8>) -> Bool {
    guard let key = try? SubjectPublicKeyInfo(der: der).publicKey() else { return false }
    do {
        let other = try SubjectPublicKeyInfo(der: key.subjectPublicKeyInfo[...]).publicKey()
        demand(
            other.curve == key.curve && other.encodedPoint == key.encodedPoint,
            "a key written anew is another")
    } catch {
        fatalError("a key written anew is refused")
    }
    if let receipt = try? ReceiptPublicKey(key) {
        demand(receipt.id.bytes.count == ReceiptPublicKey.ID.size, "an id of another size")
        demand((try? receipt.pem()) != nil, "a key of receipts cannot be written")
    }
    return true
}
