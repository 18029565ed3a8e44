internal import CBOR
internal import COSE
internal import MdocModel
internal import OpenSSLCrypto

/// The keys SKReader and SKDevice with their message counters (ISO/IEC 18013-5 9.1.1.5), for one side of a
/// session.
struct SessionKeys: ~Copyable {
    enum Side {
        case reader, device
    }

    var sealing: AESGCMSealingKey
    var opening: AESGCMOpeningKey

    private init(sealing: consuming AESGCMSealingKey, opening: consuming AESGCMOpeningKey) {
        self.sealing = sealing
        self.opening = opening
    }

    /// Derives both keys from the shared secret of the ephemeral keys and the digest of the transcript.
    static func derive(
        for side: Side, own: COSEKeyPair, peer: COSEKey, transcript: SessionTranscript
    ) throws(SessionError) -> SessionKeys {
        let shared = try sharedSecret(own: own, peer: peer)
        let salt = Digest(.sha256, ofParts: transcript.bytesParts).bytes[...]
        do throws(OpenSSLCryptoError) {
            let reader = try hkdfSHA256(
                secret: shared, salt: salt, info: Array("SKReader".utf8)[...], count: 32)
            let device = try hkdfSHA256(
                secret: shared, salt: salt, info: Array("SKDevice".utf8)[...], count: 32)
            switch side {
            // The nonce of a reader's message begins with the identifier 0. The nonce of an mdoc's message
            // begins with 1 (ISO/IEC 18013-5 9.1.1.5).
            case .reader:
                return try SessionKeys(
                    sealing: AESGCMSealingKey(key: reader, noncePrefix: 0),
                    opening: AESGCMOpeningKey(key: device, noncePrefix: 1))
            case .device:
                return try SessionKeys(
                    sealing: AESGCMSealingKey(key: device, noncePrefix: 1),
                    opening: AESGCMOpeningKey(key: reader, noncePrefix: 0))
            }
        } catch {
            throw .cryptography(error)
        }
    }

    /// Agrees on a secret with the peer's key. Every failure is `keyAgreementFailed`, whatever its reason.
    private static func sharedSecret(own: COSEKeyPair, peer: COSEKey) throws(SessionError) -> SecretBytes {
        guard own.privateKey.curve == peer.curve else { throw .keyAgreementFailed }
        do {
            return try own.privateKey.sharedSecret(with: peer.publicKey())
        } catch {
            throw .keyAgreementFailed
        }
    }

    mutating func seal(_ message: ArraySlice<UInt8>) throws(SessionError) -> [UInt8] {
        do throws(OpenSSLCryptoError) {
            return try sealing.seal(message)
        } catch {
            throw .cryptography(error)
        }
    }

    mutating func open(_ sealed: ArraySlice<UInt8>) throws(SessionError) -> [UInt8] {
        do throws(OpenSSLCryptoError) {
            return try opening.open(sealed)
        } catch {
            // The cause is not reported, because a peer must not learn why its message does not decrypt
            // (Q199).
            throw .decryptionFailed
        }
    }
}
