internal import ArgumentParser
internal import OpenSSLCrypto
internal import ReaderIdentityStore

/// `--tpm`: where a new private key is made.
struct KeyResidenceArguments: ParsableArguments {
    @Flag(name: .long, help: "Keep the key in the TPM.")
    var tpm = false

    func generate(_ curve: Curve) throws(IdentityStoreError) -> PrivateKey {
        do throws(OpenSSLCryptoError) {
            return tpm ? try .generateInTPM(curve) : try .generate(curve)
        } catch {
            throw .keyUnusable(error)
        }
    }
}
