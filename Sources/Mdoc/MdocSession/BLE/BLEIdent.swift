internal import CBOR
internal import COSE
package import MdocModel
internal import OpenSSLCrypto

/// ISO/IEC 18013-5, 8.3.3.1.1.3: the value of the Ident characteristic, by which a phone knows the reader that has
/// its engagement. It proves nothing to us: only the session's decryption does (Q71).
package struct BLEIdent: Hashable, Sendable {
    package let bytes: [UInt8]

    /// The value for the key of this engagement, hashed as it came.
    package init(for engagement: DeviceEngagement) throws(SessionError) {
        let key = SecretBytes(copying: engagement.eDeviceKeyBytes.bytes)
        do throws(OpenSSLCryptoError) {
            let derived = try hkdfSHA256(secret: key, salt: [], info: "BLEIdent", count: 16)
            bytes = derived.withUnprotectedBytes { Array($0) }
        } catch {
            throw .cryptography(error)
        }
    }
}
