internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore

/// `countersign identity init`: makes the private key of a new identity.
struct IdentityInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make the key of a new identity.",
        discussion: """
            The key is stored in a file that only its owner can read. With --tpm it is made in the TPM 2.0 \
            of this computer and cannot be copied. --tpm needs the Debian package tpm2-openssl; the variable \
            TPM2OPENSSL_TCTI selects a TPM other than /dev/tpmrm0. An existing identity is never \
            overwritten.

            EXAMPLES:
              countersign identity init counter
              countersign identity init counter --tpm --curve P-384

            \(ExitStatus.table([.success, .rejected, .usage, .unavailable]))
            """)

    @Argument(help: "The name of the new identity: letters and digits; between them also -, _ and dots.")
    var name: IdentityName

    @OptionGroup var residence: KeyResidenceArguments

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The curve: \(CurveArgument.allCases.map(\.rawValue).joined(separator: ", ")).",
            discussion: "A TPM supports P-256, P-384 and P-521."))
    var curve = CurveArgument.p256

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard !residence.tpm || [.p256, .p384, .p521].contains(curve) else {
            throw ValidationError("--tpm supports the curves P-256, P-384 and P-521.")
        }
    }

    func run() throws {
        let folder = store.identities
        // This check comes first, so that no key is made for a name that is taken.
        guard !folder.has(name) else { throw IdentityStoreError.nameTaken(name).failure }
        let identifier: String
        do throws(IdentityStoreError) {
            let key = try residence.generate(curve.curve)
            identifier = try key.identifierText()
            try folder.create(name, key)
        } catch {
            throw error.failure
        }
        Terminal.result(
            output.json ? json(folder, identifier).text : text(folder, identifier))
    }

    private func json(_ folder: IdentityFolder, _ identifier: String) -> JSONValue {
        [
            "name": .string(name.text), "key": .string(residence.tpm ? "tpm" : "file"),
            "curve": .string(curve.rawValue), "keyIdentifier": .string(identifier),
            "file": .string(folder.keyPath(name)),
        ]
    }

    private func text(_ folder: IdentityFolder, _ identifier: String) -> String {
        """
        made \(name.text): a key on \(curve.rawValue)\(residence.tpm ? ", encrypted for the TPM," : "") in \
        \(Terminal.safe(folder.keyPath(name)))
          key identifier: \(identifier)
        next: countersign identity csr \(name.text) --subject 'CN=Counter 1,O=Shop,C=US' --output \(name.text).csr
        """
    }
}

extension PrivateKey {
    /// Returns the SHA-1 of the public key in hexadecimal. Certificates contain this value as the subject key
    /// identifier.
    fileprivate borrowing func identifierText() throws(IdentityStoreError) -> String {
        try mapping(publicKey().subjectKeyIdentifier().hexadecimal, IdentityStoreError.keyUnusable)
    }
}

/// The argument of `--curve`: the elliptic curve of a new key.
enum CurveArgument: String, ExpressibleByArgument, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"
    case brainpoolP256r1, brainpoolP320r1, brainpoolP384r1, brainpoolP512r1

    var curve: Curve {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .brainpoolP256r1: .brainpoolP256r1
        case .brainpoolP320r1: .brainpoolP320r1
        case .brainpoolP384r1: .brainpoolP384r1
        case .brainpoolP512r1: .brainpoolP512r1
        }
    }
}

/// `--tpm`: whether a new private key is made in the TPM or in memory.
struct KeyResidenceArguments: ParsableArguments {
    @Flag(name: .long, help: "Make the key in the TPM of this computer.")
    var tpm = false

    /// Makes a key on `curve`. Shows progress, because a TPM may take several seconds.
    func generate(_ curve: Curve) throws(IdentityStoreError) -> PrivateKey {
        try Progress.during("Making a key") { () throws(IdentityStoreError) in
            try mapping(
                tpm ? PrivateKey.generateInTPM(curve) : PrivateKey.generate(curve),
                IdentityStoreError.keyUnusable)
        }
    }
}
