internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import OpenSSLCrypto
internal import ReaderIdentityStore

/// `--tpm`: where a new private key is made.
struct KeyResidenceArguments: ParsableArguments {
    @Flag(name: .long, help: "Keep the key in the TPM.")
    var tpm = false

    func generate(_ curve: Curve) throws(IdentityStoreError) -> PrivateKey {
        try Progress.during("Making a key") { () throws(IdentityStoreError) in
            try mapping(
                tpm ? PrivateKey.generateInTPM(curve) : PrivateKey.generate(curve),
                IdentityStoreError.keyUnusable)
        }
    }
}
