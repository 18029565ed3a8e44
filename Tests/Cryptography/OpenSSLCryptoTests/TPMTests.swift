import Glibc
import OtherPrograms
import Testing

@testable import OpenSSLCrypto

@Suite("Keys in a TPM")
struct TPMTests {
    /// All in one, since a process has one TPM.
    @Test(
        "A key made in a TPM signs only in this TPM, and can be loaded again from its wrapped form",
        .enabled(if: SoftwareTPM.isThere, "\(SoftwareTPM.missing)"))
    func inTPM() throws {
        let tpm = try SoftwareTPM()
        unsafe setenv("TPM2OPENSSL_TCTI", tpm.address, 1)
        unsafe setenv("TSS2_LOG", "all+none", 1)
        defer { unsafe unsetenv("TPM2OPENSSL_TCTI") }
        try withExtendedLifetime(tpm) {
            for curve in [Curve.p256, .p384] { try signs(on: curve) }
            try agrees()
            try staysInside()
            try othersAreRefused()
        }
    }

    private func signs(on curve: Curve) throws {
        let made = try PrivateKey.generateInTPM(curve)
        #expect(made.residence == .tpm && made.curve == curve)
        let wrapped = try made.wrappedPEM()
        #expect(wrapped.starts(with: "-----BEGIN TSS2 PRIVATE KEY-----".utf8))
        let key = try PrivateKey(wrappedPEM: wrapped[...])
        #expect(key.encodedPoint == made.encodedPoint && key.residence == .tpm)
        let message: [ArraySlice<UInt8>] = [[1, 2, 3], [4]]
        let algorithm = try #require(curve.preferredSignatureAlgorithm)
        for form in [SignatureForm.der, .fixedWidth] {
            let signature = try key.sign(message, algorithm: algorithm, form: form)
            // Verified by OpenSSL's own provider.
            try key.publicKey().verify(signature[...], form: form, algorithm: algorithm, over: message)
            #expect(throws: OpenSSLCryptoError.signatureInvalid) {
                try key.publicKey().verify(
                    signature[...], form: form, algorithm: algorithm, over: [[1, 2, 3], [5]])
            }
        }
    }

    /// What the TPM agrees on is what OpenSSL's own provider does, and what is sealed for its key it opens.
    private func agrees() throws {
        let key = try PrivateKey.generateInTPM(.p256)
        for _ in 0..<3 {
            let other = try PrivateKey.generate(.p256)
            let here = try key.sharedSecret(with: other.publicKey()).withUnprotectedBytes(Array.init)
            let there = try other.sharedSecret(with: key.publicKey()).withUnprotectedBytes(Array.init)
            #expect(here == there && here.count == 32)
        }
        let (encapsulated, sealed) = try HPKE.seal(
            [1, 2, 3], to: key.publicKey(), info: [4], ephemeralKey: PrivateKey.generate(.p256))
        #expect(
            try HPKE.open(sealed[...], encapsulatedKey: encapsulated[...], with: key, info: [4]) == [1, 2, 3])
        #expect(throws: OpenSSLCryptoError.authenticationFailed) {
            try HPKE.open(sealed[...], encapsulatedKey: encapsulated[...], with: key, info: [5])
        }
    }

    private func staysInside() throws {
        let key = try PrivateKey.generateInTPM(.p256)
        #expect(throws: OpenSSLCryptoError.keyStaysInTPM) { try key.unprotectedPEM().count }
        #expect(throws: OpenSSLCryptoError.keyStaysInTPM) { try key.withUnprotectedScalar { $0.count } }
        let wrapped = try key.wrappedPEM()
        // A key for the common provider does not decode there: nothing of it is in the clear.
        #expect(throws: OpenSSLCryptoError.pemMalformed) { try PrivateKey(pem: wrapped[...]).curve }
        let other = try PrivateKey.generate(.p256)
        #expect(other.residence == .memory)
        #expect(throws: OpenSSLCryptoError.openSSLFailed) { try other.wrappedPEM() }
    }

    private func othersAreRefused() throws {
        let key = try PrivateKey.generateInTPM(.p256)
        var block = try #require(
            PEM.decode(key.wrappedPEM()[...], label: PrivateKey.wrappedLabel).first)
        block[block.count - 1] ^= 1
        let changed = PEM.encode(block[...], label: PrivateKey.wrappedLabel)
        #expect(throws: OpenSSLCryptoError.tpmRefused) {
            let key = try PrivateKey(wrappedPEM: changed[...])
            _ = try key.sign([[1]], algorithm: .ecdsa(.sha256), form: .der)
        }
        let plain = try PrivateKey.generate(.p256).unprotectedPEM().withUnprotectedBytes(Array.init)
        #expect(throws: OpenSSLCryptoError.pemMalformed) { try PrivateKey(wrappedPEM: plain[...]).curve }
        #expect(throws: OpenSSLCryptoError.unsupportedKey) {
            try PrivateKey.generateInTPM(.brainpoolP256r1).curve
        }
    }
}
