internal import JSON
internal import MdocModel
internal import MdocTrust
internal import PKIX

extension TrustSource.Kind {
    /// The name of this kind of source, as texts show it.
    var word: String {
        switch self {
        case .anchor: "root"
        case .provider: "provider"
        case .vical: "VICAL"
        case .revocationList: "CRL"
        case .statusList: "status list"
        case .identifierList: "identifier list"
        }
    }
}

/// The contents of a source as text and as JSON. The contents are not verified here. If the contents cannot
/// be parsed, the properties are nil.
struct SourceDescription {
    let source: TrustSource
    /// The subject of a certificate, the provider of a VICAL or the issuer of a CRL. Other sources have none.
    private(set) var subject: String?
    /// The beginning of a certificate's validity, or the time at which a list was issued.
    private(set) var from: Timestamp?
    /// The end of a certificate's validity, or the time at which a list expires or a new list is due.
    private(set) var until: Timestamp?
    /// The issue number of a VICAL in decimal, or `nil` if the VICAL has no such number.
    private(set) var issue: String?
    /// The number of entries of a CRL, or `nil` for other sources.
    private(set) var entries: Int?

    init(_ source: TrustSource) {
        self.source = source
        switch source.content {
        case .certificate(let held): describe(held)
        case .vical(let held): describe(held)
        case .revocationList(let held): describe(held)
        case .statusToken(let held): describe(held)
        }
    }

    private mutating func describe(_ held: HeldCertificate) {
        guard let certificate = try? held.certificate() else { return }
        subject = certificate.subject.description
        from = Timestamp(secondsSince1970: certificate.notBefore)
        until = Timestamp(secondsSince1970: certificate.notAfter)
    }

    private mutating func describe(_ held: HeldVICAL) {
        guard let list = try? held.list() else { return }
        subject = list.provider
        (from, until) = (list.date, list.nextUpdate)
        issue = list.issueID.map { "\($0)" }
    }

    private mutating func describe(_ held: HeldRevocationList) {
        guard let list = try? held.list() else { return }
        subject = list.issuer.description
        from = Timestamp(secondsSince1970: list.thisUpdate)
        until = list.nextUpdate.map(Timestamp.init(secondsSince1970:))
        entries = list.count
    }

    private mutating func describe(_ held: HeldStatusToken) {
        guard let token = try? held.token() else { return }
        (from, until) = (token.issued, token.expires)
    }

    /// The title in texts: the subject of a certificate, or the name of a list.
    var title: String {
        switch source.kind {
        case .anchor, .provider: Terminal.safe(subject ?? source.name)
        default: Terminal.safe(source.name)
        }
    }

    /// The source in one line: digest, kind, date and title.
    var line: String {
        let kind = source.kind.word
        let dates =
            (until.map { "until \($0.dayInUTC)" } ?? from.map { "from \($0.dayInUTC)" } ?? "not readable")
            + (source.isIncomplete ? ", incomplete" : "")
        return "  \(source.sha256.hexadecimal.prefix(12))  "
            + kind.padding(to: 15) + "  \(dates)  \(title)"
    }

    var json: JSONValue {
        [
            "kind": .string(source.kind.rawValue), "name": .string(source.name),
            "sha256": .string(source.sha256.hexadecimal), "bytes": .integer(Int64(source.bytes.count)),
            "obtained": .string(source.obtained.description), "provenance": source.provenance.json,
            "subject": JSONValue(subject), "from": JSONValue(from?.description),
            "until": JSONValue(until?.description), "issue": JSONValue(issue),
            "entries": entries.map { .integer(Int64($0)) } ?? .null,
            "incomplete": .boolean(source.isIncomplete),
        ]
    }
}

extension TrustSource.Provenance {
    fileprivate var json: JSONValue {
        switch self {
        case .file(let path): ["file": .string(path)]
        case .fetched(let url): ["url": .string(url)]
        case .bundle(let created): ["bundle": .string(created.description)]
        }
    }

    /// The origin of the source as text.
    var text: String {
        switch self {
        case .file(let path): "from \(Terminal.safe(path))"
        case .fetched(let url): "fetched from \(Terminal.safe(url))"
        case .bundle(let created): "from the bundle of \(created)"
        }
    }
}

extension String {
    /// Returns the text with spaces appended, up to at least `width` characters.
    func padding(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
