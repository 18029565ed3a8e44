internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocTrust
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore

/// `countersign identity csr`: writes a certification request for an identity's key.
struct IdentityCSRCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "csr",
        abstract: "Write the certificate signing request (CSR) that you send to a reader authority.",
        discussion: """
            Writes PKCS #10 in PEM to the standard output or to a file. The request asks for the key usage \
            and purpose that wallets expect of a reader: digitalSignature and 1.0.18013.5.1.6. Wallets may \
            show the subject to the holder.

            EXAMPLE:
              countersign identity csr counter --subject 'CN=Counter 1,O=Shop,C=US' --output counter.csr

            \(ExitStatus.table([.success, .rejected, .usage, .unavailable]))
            """)

    @Argument(help: "The name of the identity.")
    var name: IdentityName

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The subject of the certificate, for example 'CN=Counter 1,O=Shop,C=US' (RFC 4514). Allowed are CN, O, OU, L, ST, C and serialNumber.",
            valueName: "name"))
    var subject: SubjectArgument

    @Option(
        name: .customLong("output"),
        help: ArgumentHelp(
            "Write the request to this file instead of the standard output.", valueName: "file"))
    var file: String?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let request = try mapping(sign(StoredIdentity.key(of: name, in: store.identities))) {
            (error: IdentityStoreError) in error.failure(of: name)
        }
        let pem = PEM.encode(request[...], label: "CERTIFICATE REQUEST")
        if let file { try OutputFile.write(pem, to: file) }
        if output.json {
            Terminal.result(report(pem).text)
        } else if let file {
            Terminal.result(
                """
                wrote \(Terminal.safe(file)), a request for \(Terminal.safe(subject.name.description))
                next: send this file to the reader authority, then run: countersign identity import \(name.text) CHAIN.pem
                """)
        } else {
            // `Terminal.result` appends a line end, so the line end of the PEM text is left out.
            Terminal.result(String(decoding: pem.dropLast(), as: UTF8.self))
        }
    }

    /// Makes and signs a certification request with the extensions that wallets expect of a reader.
    private func sign(_ key: borrowing PrivateKey) throws(IdentityStoreError) -> [UInt8] {
        try mapping(
            CertificationRequest(
                subject: subject.name,
                extensions: [
                    .keyUsage(CertificateProfile.reader.keyUsage),
                    .extendedKeyUsage(CertificateProfile.reader.extendedKeyUsages),
                    .subjectKeyIdentifier(key.publicKey().subjectKeyIdentifier()),
                ]
            ).sign(with: key), IdentityStoreError.keyUnusable)
    }

    private func report(_ pem: [UInt8]) -> JSONValue {
        [
            "name": .string(name.text), "subject": .string(subject.name.description),
            "request": .string(String(decoding: pem, as: UTF8.self)), "file": JSONValue(file),
        ]
    }
}

/// The argument of `--subject`: a name in the form of RFC 4514. The name has a common name, because wallets
/// show the common name (Q170).
struct SubjectArgument: ExpressibleByArgument {
    let name: DistinguishedName

    init?(argument: String) {
        guard let name = DistinguishedName(argument), name.commonName != nil else { return nil }
        self.name = name
    }
}
