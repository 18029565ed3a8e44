internal import CBOR
internal import COSE
internal import ErrorMapping
internal import MdocModel
internal import OpenSSLCrypto

/// DeviceSigned (ISO/IEC 18013-5 9.1.3) on its way to the device's signature or MAC.
struct DeviceAuthenticationDraft {
    let document: IssuedDocument
    let elements: [TestDocument.Element]
    let kind: Holder.DeviceAuthentication
    let transcript: SessionTranscript
    let fault: HolderFault?

    func deviceSigned() throws(HolderError) -> CBORDraft {
        let nameSpaces = EncodedCBOR<UnverifiedDeviceSigned>(embedding: deviceNameSpaces.encode())
        let authenticated = deviceAuthenticationBytes(
            transcript: fault?.transcript(insteadOf: transcript) ?? transcript,
            docType: fault == .otherDocType ? "org.example.other" : document.docType, nameSpaces: nameSpaces)
        let payload = Array(authenticated.joined())
        var deviceAuth: CBORDraft
        switch kind {
        case .signature: deviceAuth = ["deviceSignature": try signature(over: payload)]
        case .mac: deviceAuth = ["deviceMac": try mac(over: payload)]
        }
        fault?.edit(deviceAuth: &deviceAuth)
        var signed: CBORDraft = ["nameSpaces": .encoded(Array(nameSpaces.bytes)), "deviceAuth": deviceAuth]
        fault?.edit(deviceSigned: &signed)
        return signed
    }

    private var deviceNameSpaces: CBORDraft {
        var nameSpaces = CBORDraft.map([])
        for element in elements {
            var members = nameSpaces[.text(element.nameSpace)] ?? .map([])
            members[.text(element.identifier)] = element.value
            nameSpaces[.text(element.nameSpace)] = members
        }
        return nameSpaces
    }

    private func signature(over payload: [UInt8]) throws(HolderError) -> CBORDraft {
        let curve = document.deviceKey.privateKey.curve
        guard let own = COSEAlgorithm(signingWith: curve), let algorithm = curve.preferredSignatureAlgorithm
        else { throw .cryptography(.algorithmDoesNotFitKey) }
        let signer = COSESigner(algorithm: fault?.algorithm(insteadOf: own) ?? own)
        do throws(OpenSSLCryptoError) {
            if fault == .otherKey {
                let key = try PrivateKey.generate(curve)
                return .encoded(try signer.sign1(payload, detached: true, with: key, algorithm: algorithm))
            }
            let key = document.deviceKey
            return .encoded(
                try signer.sign1(payload, detached: true, with: key.privateKey, algorithm: algorithm))
        } catch {
            throw .cryptography(error)
        }
    }

    private func mac(over payload: [UInt8]) throws(HolderError) -> CBORDraft {
        let readerKey = try mapping(transcript.eReaderKey(), HolderError.readerKey)
        let own = document.deviceKey.privateKey.curve
        guard readerKey.curve == own else { throw .readerKeyOnOtherCurve }
        let signer = COSESigner(algorithm: fault?.algorithm(insteadOf: .hmac256) ?? .hmac256)
        do {
            let publicKey = try readerKey.publicKey()
            return .encoded(try signer.mac0(detachedPayload: payload, key: macKey(with: publicKey)))
        } catch let error as OpenSSLCryptoError {
            throw .cryptography(error)
        } catch {
            throw .readerKey(.keyNotUsable)
        }
    }

    /// EMacKey (9.1.3.5): from the document's key and the reader's ephemeral key (Q152).
    private func macKey(with readerKey: borrowing PublicKey) throws(OpenSSLCryptoError) -> SecretBytes {
        let shared = try document.deviceKey.privateKey.sharedSecret(with: readerKey)
        let salt = Digest(.sha256, ofParts: transcript.bytesParts).bytes
        return try hkdfSHA256(secret: shared, salt: salt[...], info: "EMacKey", count: 32)
    }
}

extension SessionTranscript {
    fileprivate func eReaderKey() throws(COSEError) -> COSEKey {
        guard let item = try? eReaderKeyBytes?.item() else { throw .malformed(.key) }
        return try COSEKey(item)
    }
}
