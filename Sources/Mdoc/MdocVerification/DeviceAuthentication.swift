internal import CBOR
internal import COSE
internal import MdocModel
internal import OpenSSLCrypto

/// The proof that the holder of the MSO's device key took part in this session (ISO/IEC 18013-5 9.1.3).
struct DeviceBindingProof: ~Copyable {
    let kind: DeviceBinding

    fileprivate init(_ kind: DeviceBinding) {
        self.kind = kind
    }
}

/// The means by which the phone proved that it holds the device key.
package enum DeviceBinding: Sendable {
    case signature
    /// A MAC. Only this reader can check the MAC, so it proves nothing to others.
    case mac
}

/// Verifies the device signature or MAC over this session's transcript (ISO/IEC 18013-5 9.1.3.4, 9.1.3.5).
func checkDeviceAuthentication(
    of document: UnverifiedDocument, key deviceKey: COSEKey, in context: VerificationContext,
    noting deviations: inout [Deviation]
) throws(CheckFailure) -> DeviceBindingProof {
    guard let nameSpaces = document.deviceSigned.nameSpacesBytes else { throw .deviceNameSpacesMissing }
    let payload = deviceAuthenticationBytes(
        transcript: context.transcript, docType: document.docType, nameSpaces: nameSpaces)
    switch (document.deviceSigned.deviceSignature, document.deviceSigned.deviceMac) {
    case (nil, nil): throw .deviceAuthMissing
    case (.some, .some): throw .deviceAuthTwice
    case (let signature?, nil):
        do throws(COSEError) {
            try verifyDeviceSignature(signature, over: payload, key: deviceKey, noting: &deviations)
        } catch .payloadMisplaced {
            // Test wallets send an attached payload, so this failure has a separate id (Q219).
            throw .devicePayloadAttached
        } catch {
            throw .cose(error)
        }
        return DeviceBindingProof(.signature)
    case (nil, let mac?):
        let key = try macKey(deviceKey: deviceKey, in: context)
        do throws(COSEError) {
            let mac = try COSEMac0(mac)
            try mac.verify(with: key, detachedPayload: payload)
            if mac.isTagged { deviations.append(.deviceAuthTagged) }
        } catch .payloadMisplaced {
            throw .devicePayloadAttached
        } catch {
            throw .cose(error)
        }
        return DeviceBindingProof(.mac)
    }
}

/// Verifies a device signature over the detached payload.
private func verifyDeviceSignature(
    _ item: CBORItem, over payload: [ArraySlice<UInt8>], key: COSEKey, noting deviations: inout [Deviation]
) throws(COSEError) {
    let signature = try COSESign1(item)
    try signature.verify(with: key.publicKey(), detachedPayload: payload)
    if signature.isTagged { deviations.append(.deviceAuthTagged) }
    if try signature.headers.algorithm().isFullySpecified {
        deviations.append(.deviceAlgorithmFullySpecified)
    }
}

/// Derives EMacKey (ISO/IEC 18013-5 9.1.3.5) from the reader's key and the static device key of the document
/// (Q152).
///
/// In an OpenID4VP presentation the reader's key is the key for which the wallet encrypts its answer (Q236).
private func macKey(
    deviceKey: COSEKey, in context: VerificationContext
) throws(CheckFailure) -> SecretBytes {
    guard let kind = context.transcript.macKey else { throw .signatureNeeded(context.transcript.kind) }
    guard let readerKey = context.readerKey else { throw .readerKeyNeeded(kind) }
    guard readerKey.privateKey.curve == deviceKey.curve else { throw .readerKeyOnOtherCurve }
    do throws(COSEError) {
        let key = try deviceKey.publicKey()
        return try secret(of: readerKey, with: key, transcript: context.transcript)
    } catch {
        throw .cose(error)
    }
}

/// Derives EMacKey, a key of 32 bytes, by ECDH and HKDF-SHA-256, with the digest of the transcript as salt.
private func secret(
    of readerKey: COSEKeyPair, with deviceKey: borrowing PublicKey, transcript: SessionTranscript
) throws(COSEError) -> SecretBytes {
    do throws(OpenSSLCryptoError) {
        let shared = try readerKey.privateKey.sharedSecret(with: deviceKey)
        let salt = Digest(.sha256, ofParts: transcript.bytesParts).bytes
        return try hkdfSHA256(secret: shared, salt: salt[...], info: Array("EMacKey".utf8)[...], count: 32)
    } catch {
        throw .cryptography(error)
    }
}

/// The proof that the device key is authorised for every element that the phone asserts (ISO/IEC 18013-5
/// 9.1.2.4, Q164).
struct KeyAuthorizationsProof: ~Copyable {
    fileprivate init() {}
}

/// Compares the elements that the phone asserts with the key authorisations of the MSO (Q164).
func checkKeyAuthorizations(
    of document: UnverifiedDocument, in authorizations: KeyAuthorizations
) throws(CheckFailure) -> KeyAuthorizationsProof {
    guard !authorizations.isContradictory else { throw .keyAuthorizationsContradictory }
    for element in document.deviceSigned.elements {
        guard authorizations.allows(element.identifier, in: element.nameSpace) else {
            throw .elementNotAuthorized(
                ElementName(nameSpace: element.nameSpace, identifier: element.identifier))
        }
    }
    return KeyAuthorizationsProof()
}

extension DeviceBinding {
    package var word: String {
        switch self {
        case .signature: "signature"
        case .mac: "mac"
        }
    }
}
