internal import Fleet
internal import JSON
internal import MdocTrust
internal import MdocVerification
internal import PKIX
internal import PresentationService
internal import ReaderAPI
internal import ReaderService
internal import RequestPlanner

/// The daemon's configuration, and the table with which its file is read.
///
/// Each member of the file is one entry of a table, with its name, form, default, text and property of this
/// value. The default of a member is the value of the property in a new configuration. The parser, the JSON
/// Schema (`countersignd schema`) and the reference are made from the tables. Rules on several members stand
/// below the tables.
package struct DaemonConfiguration: Equatable, Sendable {
    /// The folder of the store, which has trust, identities, brands, receipts and retained data.
    var store = "/var/lib/countersign"
    /// The folder of the keys of retained data, never inside the store's folder. Nil means the store's path
    /// with `-keys` at its end.
    var keys: String?
    /// The Unix socket. Nil for none.
    var socket: Socket? = Socket()
    /// The TCP listener. Nil for none.
    var http: HTTP?
    var access = AccessRules()
    var readerTokens = TokenIssuing()
    /// The presets: orders with a name, for buttons and for lanes that ask by themselves.
    var presets: [Preset] = []
    var lanes: [Lane] = []
    /// The rules with which documents are judged. The policy on revocation is chosen by each purpose, and is
    /// not a part of it here.
    var policy = VerificationPolicy()
    var policies = PurposePolicies()
    var limits = CoordinatorLimits()
    var connections = 512
    /// The folder with the files of the pages. Nil means the folder beside the program.
    var page: String?
    var webhooks: Webhooks?
    var online: Online?
    var fleet: Fleet?
    var logLevel = "info"
    /// The time that presentations have to end when the daemon ends.
    var end = Duration.seconds(10)
}

extension DaemonConfiguration {
    /// The member `$schema`, which only editors read.
    private var schema: String? {
        get { nil }
        set {}
    }

    private static let largestFile = 1 << 18

    /// The members of the file.
    static let table = ConfigurationTable<Self>(
        [
            "$schema": .optional(
                "for editors, which then complete and check the file: `/usr/share/countersign/countersignd.schema.json` of the package",
                as: .text(upTo: 300), at: \.schema),
            "store": .value(
                "folder of the store: trust, identities, brands, receipts, retained data", as: .path,
                at: \.store, faults: "at the start `store: PATH:` and why, see below"),
            "keys": .optional(
                "folder of the keys of retained data, never in the store", as: .path, at: \.keys,
                without: "that of the store with `-keys` at its end",
                faults: "`must be a folder outside of store`"),
            "page": .optional(
                "folder with the files of `/kiosk` and `/clerk`, 8 MiB at most", as: .path, at: \.page,
                without: "`countersign_ReaderAPI.resources/Kiosk` beside the program",
                faults:
                    "`page: PATH:` and why, see below. Without the default folder there is a warning and no page"
            ),
            "policies": .object(
                "the policy of each purpose: what to do where it is not known whether a document is revoked. Order and lane may name a stricter one",
                as: policiesOfPurposes, at: \.policies),
            "clockSkewSeconds": .value(
                "by how much a document's validity is extended at both ends, and how far a list may be dated ahead",
                as: .whole(0...3600, unit: "seconds"), at: \.policy.clockSkew),
            "documentSigners": .value(
                "extended key usages for the signers of such documents: a signer's certificate must name one of them; `[]`: it has none. Those of the types of ISO and the EU cannot be changed",
                as: documentSigners, at: \.policy.signers),
            "testRoots": .value(
                "further roots whose documents are a test's: verdict `mock`, never `verified`",
                as: .set(
                    upTo: 4096, of: .text(upTo: 64, TextFormat.rootDigest),
                    empty: "must contain at least one root: acceptTestDocuments is for tests"),
                at: \.policy.testRoots.named, without: "none beside the issuers of the country `UT`"),
            "acceptTestDocuments": .value(
                "for trials: the answers of test documents are used. The verdict stays `mock`; the log, `readyz`, the pages and `countersign doctor` say so",
                as: .boolean, at: \.policy.acceptsTestDocuments),
            "log": .value(
                "from which level on the log is written, to standard error",
                as: .words(["debug", "info", "notice", "warning", "error"].map { ($0, $0) }), at: \.logLevel),
            "endSeconds": .value(
                "how long presentations may take to end with the daemon. The package's unit kills it after 30 s (`TimeoutStopSec`)",
                as: .seconds(1...300), at: \.end),
            "socket": .value(
                "the Unix socket; `null`: none", as: .nullable(.object(Socket(), Socket.table)), at: \.socket,
                faults: "see below"),
            "http": .value(
                "HTTP on loopback, or with a certificate on any address; `null`: none",
                as: .nullable(.object(HTTP(), HTTP.table)), at: \.http, faults: "see below"),
            "tokens": .value(
                "who may use `http`",
                as: .list(
                    upTo: 256, of: AccessForms.token,
                    conflict: { token, others in
                        others.contains { $0.sha256 == token.sha256 }
                            ? "another token has this SHA-256: give each caller another token" : nil
                    }), at: \.access.tokens, faults: "see below"),
            "presets": .value(
                "what buttons, or lanes by themselves, can ask", as: LaneForms.presets, at: \.presets,
                faults: "see [presets](#presets)"),
            "lanes": .value(
                "where phones are read",
                as: .list(
                    upTo: 32, of: .object(Lane(), Lane.table),
                    conflict: { lane, others in lane.conflict(with: others) }), at: \.lanes,
                without: "**required**, but not where `online` is there",
                faults: "`must contain at least one lane`"),
            "limits": .object(
                "how much is held, and for how long", as: limits, at: \.self, faults: "see below"),
            "webhooks": .optional(
                "where ends of presentations are reported to", as: AccessForms.webhooks, at: \.webhooks,
                without: "none: no order may name a webhook", faults: "see below"),
            "readerTokens": .value(
                "the token server", as: .object(TokenIssuing(), TokenIssuing.table), at: \.readerTokens,
                without: "none: no reader token is made", faults: "see below"),
            "online": .optional(
                "the server behind apps and web pages", as: .object(Online(), Online.table), at: \.online,
                faults: "see below"),
            "fleet": .optional(
                "the chain that this kiosk belongs to, see [fleet.md](fleet.md)", as: OnlineForms.fleet,
                at: \.fleet, without: "none: this computer belongs to no fleet", faults: "see below"),
        ],
        rules: [
            .init(of: "socket") { _, file throws(JSONFault) in
                file.access.users = file.socket?.users ?? [:]
            },
            .init(of: "fleet") { object, file throws(JSONFault) in
                guard file.fleet == nil, let from = try? object.member("readerTokens", "from") else { return }
                throw from.wrong("is allowed only with fleet, which names the hub")
            },
            .init(of: "tokens", "socket") { object, file throws(JSONFault) in
                try file.checkCallers(object)
            },
            .init(of: "online") { object, file throws(JSONFault) in try file.checkLanes(object) },
        ])

    private static let documentSigners = ConfigurationForm<[String: [PKIX.ObjectIdentifier]]>.named(
        upTo: DocumentSignerProfiles.mostTypes, by: TextFormat.furtherDocumentType,
        .list(upTo: DocumentSignerProfiles.mostPurposes, of: .text(upTo: 128, TextFormat.objectIdentifier))
    ).map { purposes, _, _ in DocumentSignerProfiles(purposes) }

    private static let policiesOfPurposes = ConfigurationTable<PurposePolicies>(
        RequestPurpose.allCases.map { purpose in
            (
                purpose.rawValue,
                .value(
                    "of what is asked for this purpose. `age` accepts such a document and says so, `rental` rejects it; the days say how long a list is used after its time",
                    as: .revocation, at: \.[purpose])
            )
        })

    private static let limits = ConfigurationTable<Self>([
        "presentations": .value(
            "how many presentations are remembered. For a further one the oldest that is over is forgotten, of the caller with the most; where none is over the order is refused (tooManyPresentations)",
            as: .whole(10...100_000), at: \.limits.presentations),
        "listeners": .value(
            "how many may listen to events at once, over all lanes; one caller has half of it",
            as: .whole(1...4096), at: \.limits.listeners),
        "connections": .value(
            "how many connections may be open at each listener. Those without a known caller have half of it, and 30 s each; one caller has half of it",
            as: .whole(4...8192), at: \.connections),
        "ordersPerHour": .value(
            "how many presentations one caller may begin within an hour; a further order is refused (`tooManyOrders`) until `Retry-After`. A lane that asks by itself is no caller",
            as: .whole(1...100_000), at: \.limits.ordersPerHour),
        "shownSeconds": .value(
            "how long a name is shown where nobody is to decide", as: .seconds(5...3600), at: \.limits.shown),
        "decisionSeconds": .value(
            "how long a person may decide; portrait and name are shown meanwhile, and the outcome is `unclear` afterwards",
            as: .seconds(5...3600), at: \.limits.decision),
        "documentsSeconds": .value(
            "how long the documents of a data request can be read", as: .seconds(5...86_400),
            at: \.limits.documents),
    ])
}

extension DaemonConfiguration {
    /// Reads the bytes of a file. Variables of the environment replace members of the file.
    package init(_ bytes: [UInt8], environment: [String: String]) throws(ConfigurationFaults) {
        try self.init(environment) { () throws(JSONFault) in
            try JSONText(bytes[...], limit: Self.largestFile)
        }
    }

    /// Reads a file that documents of the fleet have changed.
    init(_ item: JSONItem, environment: [String: String]) throws(ConfigurationFaults) {
        try self.init(environment) { JSONText(item) }
    }

    private init(
        _ environment: [String: String], _ text: () throws(JSONFault) -> JSONText
    ) throws(ConfigurationFaults) {
        self.init()
        var reading = ConfigurationReading()
        let text = reading.result(text)
        if let text { _ = Self.table.read(text, into: &self, &reading) }
        apply(environment, &reading)
        if socket == nil, http == nil, !reading.hasFault(in: "/socket"), !reading.hasFault(in: "/http") {
            reading.add(
                JSONFault(
                    .wrongValue("must have socket or http, or no program can connect"), line: 1, column: 1))
        }
        if let keys, keys == store || keys.hasPrefix("\(store)/") {
            let requirement = "must be a folder outside of store"
            reading.add(
                (try? text?.members())?["keys"]?.wrong(requirement)
                    ?? JSONFault(.wrongValue("keys \(requirement)"), line: 0))
        }
        guard reading.faults.isEmpty else { throw ConfigurationFaults(faults: reading.faults) }
    }

    /// Checks that each caller of a grant is a token or user with the scope `readerTokens`.
    private func checkCallers(_ file: ConfigurationObject) throws(JSONFault) {
        let callers = Set(access.tokens.filter { $0.scopes.contains(.readerTokens) }.map(\.name))
            .union(
                access.users.filter { $0.value.scopes.contains(.readerTokens) }.keys.map(
                    AccessRules.name(ofUser:)))
        for grant in (try? file.member("readerTokens", "grants").array()) ?? [] {
            guard let caller = try? grant.members()["caller"], let name = try? caller.string(),
                !callers.contains(name)
            else { continue }
            throw caller.wrong(
                "must be the name of a token with the scope readerTokens, or uid: and the number of such a user"
            )
        }
    }

    /// Checks that there is a lane, unless the daemon serves apps and web pages.
    private func checkLanes(_ file: ConfigurationObject) throws(JSONFault) {
        guard online == nil else { return }
        guard let lanes = file.members["lanes"] else { throw file.text.missing("lanes") }
        if self.lanes.isEmpty, file.reading.faults.isEmpty {
            throw lanes.wrong("must contain at least one lane")
        }
    }

    /// Replaces values of the file by those of the environment. A variable has the form of its member.
    private mutating func apply(_ environment: [String: String], _ reading: inout ConfigurationReading) {
        func read<Owner>(
            _ variable: String, as member: String, of table: ConfigurationTable<Owner>, over owner: Owner
        ) -> Owner? {
            guard let text = environment["COUNTERSIGND_\(variable)"], !text.isEmpty else { return nil }
            let changed = table.read(text, as: member, over: owner)
            if changed == nil {
                let fault = "COUNTERSIGND_\(variable) in the environment does not have a valid value"
                reading.add(JSONFault(.wrongValue(fault), line: 0))
            }
            return changed
        }
        for (variable, member) in [("STORE", "store"), ("KEYS", "keys"), ("PAGE", "page"), ("LOG", "log")] {
            self = read(variable, as: member, of: Self.table, over: self) ?? self
        }
        socket = read("SOCKET", as: "path", of: Socket.table, over: socket ?? Socket()) ?? socket
        http = read("HTTP_PORT", as: "port", of: HTTP.table, over: http ?? HTTP()) ?? http
    }
}

extension ConfigurationForm where Value == RevocationPolicy {
    /// The form of a policy on revocation: `"age"`, `"rental"`, or `rental` with the days for which a list
    /// may be stale.
    static var revocation: Self {
        let days = ConfigurationForm<Int>.whole(0...RevocationPolicy.mostStaleDays, unit: "days")
        let object = Self.made(
            of: .required("rental", "for how many days a list is used after its time", as: days),
            as: { RevocationPolicy.rental(staleDays: $0) })
        let requirement = "must be \"age\", \"rental\" or {\"rental\": days}"
        let words = Self.words(
            [("age", .age), ("rental", .rental(staleDays: 0))],
            requirement: requirement)
        let description = ConfigurationDescription(
            schema: [("anyOf", .array([words, object].map { .object($0.description.schema) }))],
            words: "`\"age\"`, `\"rental\"`, `{\"rental\": …}` with \(days.description.words)",
            requirements: [requirement])
        return Self(description, json: words.json) { text, reading in
            ((try? text.string()) == nil ? object : words).read(text, &reading)
        }
    }
}
