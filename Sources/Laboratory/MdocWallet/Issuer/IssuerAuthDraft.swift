internal import CBOR
internal import COSE
internal import OpenSSLCrypto

/// issuerAuth (ISO/IEC 18013-5 9.1.2.4) on its way to the signature: each part may be made wrong.
struct IssuerAuthDraft {
    var protected: CBORDraft
    var unprotected: CBORDraft
    var payload: [UInt8]
    /// What is signed in place of the payload that is sent.
    var signedPayload: [UInt8]?
    var externalData: [UInt8] = []
    var signatureForm = SignatureForm.fixedWidth

    /// `alg` protected, the document signer's certificate unprotected.
    init(payload: [UInt8], signer: [UInt8], curve: Curve) {
        let algorithm = COSEAlgorithm(signingWith: curve) ?? .es256
        protected = [1: .integer(algorithm.identifier)]
        unprotected = [33: .bytes(signer)]
        self.payload = payload
    }

    /// The COSE_Sign1 array.
    func sign(with key: borrowing PrivateKey) throws(OpenSSLCryptoError) -> CBORDraft {
        guard let algorithm = key.curve.preferredSignatureAlgorithm else { throw .algorithmDoesNotFitKey }
        let header = CBORDraft.bytes(protected.members.isEmpty ? [] : protected.encode())
        let message: CBORDraft = [
            "Signature1", header, .bytes(externalData), .bytes(signedPayload ?? payload),
        ]
        let signature = try key.sign([message.encode()[...]], algorithm: algorithm, form: signatureForm)
        return [header, unprotected, .bytes(payload), .bytes(signature)]
    }
}
