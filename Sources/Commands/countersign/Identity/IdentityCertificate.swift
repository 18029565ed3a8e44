internal import JSON
internal import MdocModel
internal import PKIX

/// What is reported about an identity's certificates.
struct IdentityCertificate {
    private let chain: CertificateChain
    /// Whole days until the first certificate of the chain that is sent expires; below 0 after that.
    let daysLeft: Int64

    init(_ chain: CertificateChain, _ now: Timestamp) {
        self.chain = chain
        let left = chain.firstExpiry - now.secondsSince1970
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
                + (roots > 0 ? "; the root is kept and never sent" : ""),
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

    /// The members where there is no certificate.
    static let noJSON: [(String, JSONValue)] = [
        "subject", "issuer", "notBefore", "notAfter", "daysLeft", "sent",
    ].map { ($0, .null) }

    private static func day(_ seconds: Int64) -> String {
        "\(Timestamp(secondsSince1970: seconds).dayInUTC)"
    }

    private static func count(_ certificates: Int) -> String {
        certificates == 1 ? "1 certificate" : "\(certificates) certificates"
    }

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
    /// When the first certificate that is sent expires (Q173), in seconds since 1970.
    fileprivate var firstExpiry: Int64 { withoutRoots.map(\.notAfter).min() ?? leaf.notAfter }
}
