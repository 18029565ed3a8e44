internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore

/// `countersign identity import`: stores the certificates of an identity.
struct IdentityImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import the certificates that a reader authority returned.",
        discussion: """
            Reads certificates in PEM or DER, in any order. One of them must be for the key of the identity, \
            currently valid, and follow every rule of the reader profile (ISO/IEC 18013-5 Annex B.1.7). With \
            --lenient, only violations that make the certificate unusable for a reader are refused. Roots \
            are stored and never sent to wallets. Certificates that were imported before are replaced.

            EXAMPLE:
              countersign identity import counter returned.pem

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: "The name of the identity.")
    var name: IdentityName

    @Argument(help: ArgumentHelp("The file with the certificates.", valueName: "file"))
    var chainFile: String

    @Flag(name: .long, help: "Accept a certificate that some wallets refuse.")
    var lenient = false

    @OptionGroup var clock: ClockArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let now = try clock.now()
        let certificates = try Self.certificates(in: chainFile)
        let (chain, leftOver): (CertificateChain, Int)
        let findings: [ProfileRule]
        do throws(IdentityStoreError) {
            let key = try StoredIdentity.key(of: name, in: store.identities)
            (chain, leftOver) = try CertificateChain.arranged(certificates, for: key)
            findings = try Self.check(chain, at: now, lenient ? .lenient : .strict)
            try store.identities.keep(chain, for: name)
        } catch {
            throw error.failure(of: name)
        }
        if leftOver > 0 {
            Terminal.message(
                "note: not imported: \(leftOver) certificates that do not belong to the chain of this key")
        }
        let certificate = IdentityCertificate(chain, now)
        Terminal.result(output.json ? json(certificate, findings).text : text(certificate, findings))
    }

    private static func certificates(in path: String) throws(CommandFailure) -> [Certificate] {
        let bytes = try InputFile.read(path)
        return try mapping(PKIX.certificates(fromPEMOrDER: bytes[...])) { (error: PKIXError) in
            CommandFailure.malformed(
                "\(Terminal.safe(path)): the file is not a certificate in PEM or DER: \(error.explanation)")
        }
    }

    /// Checks the validity of the chain and the certificate profile for readers. Throws if a broken rule is
    /// not tolerated by `strictness`. Otherwise returns the broken rules.
    private static func check(
        _ chain: CertificateChain, at now: Timestamp, _ strictness: ProfileStrictness
    ) throws(IdentityStoreError) -> [ProfileRule] {
        // `withoutRoots` leaves out self-signed certificates. It is empty only if the identity's own
        // certificate is self-signed.
        guard !chain.withoutRoots.isEmpty else { throw .chainUnusable(.leafSelfSigned) }
        try chain.requireValidity(at: now)
        let findings = chain.profileFindings
        let refusals = CertificateProfile.reader.refusals(among: findings, strictness)
        guard refusals.isEmpty else { throw .profileBroken(refusals.map(ProfileRule.init)) }
        return findings.map(ProfileRule.init)
    }

    private func json(_ certificate: IdentityCertificate, _ findings: [ProfileRule]) -> JSONValue {
        .object(
            [(name: "name", value: .string(name.text))] + certificate.json
                + [(name: "findings", value: .array(findings.map(\.json)))])
    }

    private func text(_ certificate: IdentityCertificate, _ findings: [ProfileRule]) -> String {
        let lines = ["imported for \(name.text):"] + certificate.lines + findings.map(\.line)
        return lines.joined(separator: "\n")
    }
}

/// The report on an identity's certificate chain.
struct IdentityCertificate {
    private let chain: CertificateChain
    /// The whole days until the earliest expiry among the certificates that are sent to wallets. Negative
    /// after the expiry.
    let daysLeft: Int64

    init(_ chain: CertificateChain, _ now: Timestamp) {
        self.chain = chain
        let left = chain.firstExpiry - now.secondsSince1970
        // Rounded down, so that one second after the expiry is day -1. Day 0 means that the certificate
        // expires today.
        daysLeft = left >= 0 ? left / 86_400 : -1 - (-1 - left) / 86_400
    }

    var lines: [String] {
        let leaf = chain.leaf
        let (from, until) = (Self.day(leaf.notBefore), Self.day(leaf.notAfter))
        let roots = chain.certificates.count - chain.withoutRoots.count
        return [
            "  subject: \(Terminal.safe(leaf.subject.description))",
            "  issuer: \(Terminal.safe(leaf.issuer.description))",
            "  valid: \(from) to \(until), \(Self.expiry(daysLeft))",
            "  sent to wallets: \(Self.count(chain.withoutRoots.count))"
                + (roots > 0 ? "; the root is stored and never sent" : ""),
        ]
    }

    var json: [(String, JSONValue)] {
        let leaf = chain.leaf
        return [
            ("subject", .string(leaf.subject.description)), ("issuer", .string(leaf.issuer.description)),
            ("notBefore", .string("\(Timestamp(secondsSince1970: leaf.notBefore))")),
            ("notAfter", .string("\(Timestamp(secondsSince1970: leaf.notAfter))")),
            ("daysLeft", .integer(daysLeft)), ("sent", .integer(Int64(chain.withoutRoots.count))),
        ]
    }

    /// The members of `json`, all `null`, for an identity without a certificate.
    static let noJSON: [(String, JSONValue)] = [
        "subject", "issuer", "notBefore", "notAfter", "daysLeft", "sent",
    ].map { ($0, .null) }

    private static func day(_ seconds: Int64) -> String {
        "\(Timestamp(secondsSince1970: seconds).dayInUTC)"
    }

    private static func count(_ certificates: Int) -> String {
        certificates == 1 ? "1 certificate" : "\(certificates) certificates"
    }

    /// Returns the text for a number of days until the expiry.
    static func expiry(_ daysLeft: Int64) -> String {
        switch daysLeft {
        case ..<0: "expired"
        case 0: "expires today"
        case 1: "1 day left"
        default: "\(daysLeft) days left"
        }
    }
}

extension CertificateChain {
    /// The earliest expiry among the certificates that are sent to wallets (Q173), in seconds since 1970. If
    /// no certificate is sent, this is the expiry of the leaf.
    fileprivate var firstExpiry: Int64 { withoutRoots.map(\.notAfter).min() ?? leaf.notAfter }
}
