internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore

/// `countersign identity authority`: a test authority that certifies reader identities.
struct IdentityAuthorityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authority",
        abstract: "Act as a reader authority for test wallets, which must trust the authority's root.",
        subcommands: [IdentityAuthorityInitCommand.self])
}

/// `countersign identity authority init`: makes the test authority if necessary, and an identity that it
/// certifies.
private struct IdentityAuthorityInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Make a test authority and an identity that it certifies.",
        discussion: """
            Makes the root of a reader authority in the store, a reader identity with its key, and the \
            identity's certificate (profile of ISO/IEC 18013-5 Annex B.1.7). Later runs use the same root: \
            give another name to make a second identity. The root is valid for 10 years, the identity for 1 \
            year. An existing identity is never overwritten.

            A wallet accepts this reader if you give the root to the wallet. The authority is for tests only: \
            ordinary wallets do not trust its root, and nothing publishes the CRL that the certificate names.

            EXAMPLES:
              countersign identity authority init laboratory --root-file readers.pem
              countersign-lab wallet --listen tcp://127.0.0.1:7000 --root iaca.der --reader-roots readers.pem
              countersign request 'age over 21' --identity laboratory --connect tcp://127.0.0.1:7000 --trust iaca.der

            \(ExitStatus.table([.success, .rejected, .usage, .unavailable]))
            """)

    @Argument(help: "The name of the new identity: letters and digits; between them also -, _ and dots.")
    var name: IdentityName

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The subject of the certificate, which wallets show. By default the identity's name and the organization \"Laboratory\".",
            discussion: "For example 'CN=Counter 1,O=Shop,C=US' (RFC 4514).", valueName: "name"))
    var subject: SubjectArgument?

    @Option(
        name: .long,
        help: ArgumentHelp("The URI of the authority's CRL, which the certificate names.", valueName: "uri"))
    var crl = "https://laboratory.example/readers.crl"

    @Option(
        name: .long,
        help: ArgumentHelp("Write a copy of the root in PEM to this file, for wallets.", valueName: "file"))
    var rootFile: String?

    @OptionGroup var residence: KeyResidenceArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard crl.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), crl.contains("://") else {
            throw ValidationError("--crl needs a URI, such as https://example.com/readers.crl.")
        }
    }

    func run() throws {
        let now = try clock.now()
        let folder = store.identities
        // This check comes first, so that a refused name leaves neither an authority nor a key behind.
        guard !folder.has(name) else { throw IdentityStoreError.nameTaken(name).failure }
        let subject = subject?.name ?? Self.laboratory(name.text)
        let (chain, root): (CertificateChain, String)
        do throws(IdentityStoreError) {
            let authority = try ReaderAuthority(
                in: store.path, named: Self.laboratory("Reader authority"), at: now)
            let key = try residence.generate(.p256)
            chain = try authority.certify(key, as: subject, revocationList: crl, at: now)
            try folder.create(name, key)
            try folder.keep(chain, for: name)
            root = authority.rootPath
        } catch {
            throw error.failure(of: name)
        }
        // The root is the last certificate of the chain.
        if let rootFile, let root = chain.certificates.last {
            try OutputFile.write(PEM.encode(root.der, label: "CERTIFICATE"), to: rootFile)
        }
        let certificate = IdentityCertificate(chain, now)
        Terminal.result(output.json ? json(certificate, root).text : text(certificate, root))
    }

    private static func laboratory(_ name: String) -> DistinguishedName {
        DistinguishedName([(.organizationName, "Laboratory"), (.commonName, name)])
    }

    private func json(_ certificate: IdentityCertificate, _ root: String) -> JSONValue {
        .object(
            [("name", .string(name.text))] + certificate.json
                + [("root", .string(root)), ("file", JSONValue(rootFile))])
    }

    private func text(_ certificate: IdentityCertificate, _ root: String) -> String {
        let given = Terminal.safe(rootFile ?? root)
        var lines = ["made \(name.text), certified by the test authority in this store:"]
        lines += certificate.lines
        lines.append("  root: \(Terminal.safe(root))")
        lines.append("next: give the root to wallets, for example:")
        lines.append(
            "  countersign-lab wallet --listen tcp://127.0.0.1:7000 --root iaca.der --reader-roots \(given)")
        return lines.joined(separator: "\n")
    }
}
