internal import CBOR
internal import COSE
package import MdocModel
internal import OpenSSLCrypto

/// The value of the Ident characteristic (ISO/IEC 18013-5, 8.3.3.1.1.3), with which a phone recognises the
/// reader that has its engagement.
///
/// The value proves nothing to the reader. Only a message that decrypts proves that the phone made the
/// engagement (Q71).
package struct BLEIdent: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Derives the value from the engagement's key, by HKDF over the key's bytes as they were received.
    package init(for engagement: DeviceEngagement) throws(SessionError) {
        let key = SecretBytes(copying: engagement.eDeviceKeyBytes.bytes)
        do throws(OpenSSLCryptoError) {
            // ISO/IEC 18013-5, 8.3.3.1.1.3 prescribes HKDF without a salt, this text as info, and 16 bytes.
            let derived = try hkdfSHA256(secret: key, salt: [], info: "BLEIdent", count: 16)
            bytes = derived.withUnprotectedBytes { Array($0) }
        } catch {
            throw .cryptography(error)
        }
    }
}
