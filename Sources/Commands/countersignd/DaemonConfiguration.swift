internal import Accessories
package import ConfigurationForms
internal import Fleet
internal import JSON
internal import MdocTrust
internal import MdocVerification
internal import PKIX
internal import PresentationService
internal import ReaderAPI
internal import ReaderService
internal import ReaderTokens
internal import RequestPlanner

/// The daemon's configuration, and the table with which its file is read.
///
/// Each member of the file is one entry of a table. The entry contains the name, form, default and reference
/// text of the member, and the property that stores its value. The default of a member is the value of the
/// property in a new configuration. The parser, the JSON Schema (`countersignd schema`) and the reference are
/// made from the tables. Rules on several members stand below the tables.
package struct DaemonConfiguration: Equatable, Sendable {
    /// The folder of the store, which contains trust, identities, brands, receipts and retained data.
    var store = "/var/lib/countersign"
    /// The folder of the keys of retained data, never inside the store's folder. Nil means the store's path
    /// with `-keys` at its end.
    var keys: String?
    /// The Unix socket. Nil if the daemon listens at no socket.
    var socket: Socket? = Socket()
    /// The TCP listener. Nil if the daemon listens at no port.
    var http: HTTP?
    var access = AccessRules()
    var readerTokens = TokenIssuing()
    /// The presets, which are orders with a name. A button on a clerk page starts such an order, or a lane
    /// runs it by itself for every phone.
    var presets: [Preset] = []
    var lanes: [Lane] = []
    /// The scanners and outputs at the lanes, which `countersign-accessories` opens. The daemon opens no device
    /// of them.
    var accessories: [Accessory] = []
    /// The rules for the verification of documents. The revocation policy in this value is not used, because
    /// `policies` has a revocation policy for each purpose.
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
    /// The time that running presentations have to finish after the daemon was told to end.
    var end = Duration.seconds(10)
}

extension DaemonConfiguration {
    /// The member `$schema`, which only editors read. The table needs a property for this member. The
    /// property stores nothing.
    private var schema: String? {
        get { nil }
        set {}
    }

    private static let largestFile = 1 << 18

    /// The members of the file.
    static let table = ConfigurationTable<Self>(
        [
            "$schema": .optional(
                "the JSON Schema with which an editor completes and checks the file. The package installs it as `/usr/share/countersign/countersignd.schema.json`",
                as: .text(upTo: 300), at: \.schema),
            "store": .value(
                "folder of the store: trust, identities, brands, receipts, retained data", as: .path,
                at: \.store, faults: "reported at the start as `store: PATH: REASON`, see below"),
            "keys": .optional(
                "folder of the keys that seal retained data. It must be outside `store`", as: .path,
                at: \.keys,
                without: "the path of `store` with `-keys` appended",
                faults: "`must be a folder outside of store`"),
            "page": .optional(
                "folder with the files of the pages `/kiosk` and `/clerk`, at most 8 MiB together", as: .path,
                at: \.page,
                without: "`countersign_ReaderAPI.resources/Kiosk` beside the program",
                faults:
                    "`page: PATH: REASON`, see below. If the default folder is missing, the daemon logs a warning and serves no pages"
            ),
            "policies": .object(
                "the policies for documents whose revocation is undetermined, one for each purpose of a request. An order or a lane may name a stricter policy",
                as: policiesOfPurposes, at: \.policies),
            "clockSkewSeconds": .value(
                "tolerance for clocks that differ. It extends the validity of a document at both ends. The date of a list may be this far in the future",
                as: .whole(0...3600, unit: "seconds"), at: \.policy.clockSkew),
            "documentSigners": .value(
                "for each further document type, the extended key usages of its signers. A signer's certificate must have one of these usages; with `[]` the certificate must have none. The usages for the types of ISO and the EU cannot be changed",
                as: documentSigners, at: \.policy.signers),
            "testRoots": .value(
                "further roots of test documents. Their documents have the verdict `mock`, never `verified`",
                as: .set(
                    upTo: 4096, of: .text(upTo: 64, TextFormat.rootDigest),
                    empty:
                        "must contain at least one root; to accept test documents, set acceptTestDocuments instead"
                ),
                at: \.policy.testRoots.named,
                without: "only the issuers of the country `UT` issue test documents"),
            "acceptTestDocuments": .value(
                "for trials only: uses the answers of test documents. The verdict remains `mock`; the log, `readyz`, the pages and `countersign doctor` report this setting",
                as: .boolean, at: \.policy.acceptsTestDocuments),
            "log": .value(
                "the lowest level that is logged. The log goes to standard error",
                as: .words(["debug", "info", "notice", "warning", "error"].map { ($0, $0) }), at: \.logLevel),
            "endSeconds": .value(
                "how long running presentations may take to end when the daemon stops. The package's systemd unit kills the daemon after 30 s (`TimeoutStopSec`)",
                as: .seconds(1...300), at: \.end),
            "socket": .value(
                "the Unix socket, or `null` for none", as: .nullable(.object(Socket(), Socket.table)),
                at: \.socket,
                faults: "see below"),
            "http": .value(
                "the TCP listener for HTTP. Without a certificate only a loopback address is allowed, with a certificate any address. `null` for no listener",
                as: .nullable(.object(HTTP(), HTTP.table)), at: \.http, faults: "see below"),
            "tokens": .value(
                "the tokens of the programs and pages that may use `http`",
                as: .list(
                    upTo: 256, of: AccessForms.token,
                    conflict: { token, others in
                        others.contains { $0.sha256 == token.sha256 }
                            ? "another token has this SHA-256: give each caller another token" : nil
                    }), at: \.access.tokens, faults: "see below"),
            // The presets stand before the lanes, because lanes name presets and the members are read in this
            // order.
            "presets": .value(
                "requests with a name, for the buttons of the clerk's and the desk's page, for programs, and for standing orders",
                as: LaneForms.presets, at: \.presets,
                faults: "see [presets](#presets)"),
            "lanes": .value(
                "the lanes. A lane is one till: its reader, its Bluetooth adapter and its pages",
                as: .list(
                    upTo: 32, of: .object(Lane(), Lane.table),
                    conflict: { lane, others in lane.conflict(with: others) }), at: \.lanes,
                without: "**required** unless `online` is present",
                faults: "`must contain at least one lane`"),
            "accessories": .value(
                "the scanners and outputs at the lanes: what reads a phone's code, and what acts on an outcome. The program `countersign-accessories` opens their devices",
                as: AccessoryForms.accessories, at: \.accessories, faults: "see below"),
            // The limits are stored in several properties of the configuration, so the key path is `\.self`.
            "limits": .object(
                "the limits of what the daemon holds in memory, and for how long", as: limits, at: \.self,
                faults: "see below"),
            "webhooks": .optional(
                "the servers that are notified when a presentation ends", as: AccessForms.webhooks,
                at: \.webhooks,
                without: "none: no order may name a webhook", faults: "see below"),
            "readerTokens": .value(
                "the token server, which makes reader tokens",
                as: .object(TokenIssuing(), TokenIssuing.table), at: \.readerTokens,
                without: "none: no reader token is made", faults: "see below"),
            "online": .optional(
                "presentations from apps (Verify with Wallet) and web pages (Digital Credentials API)",
                as: .object(Online(), Online.table), at: \.online,
                faults: "see below"),
            "fleet": .optional(
                "the chain that this kiosk belongs to, see [fleet.md](fleet.md)", as: OnlineForms.fleet,
                at: \.fleet, without: "none: this computer belongs to no fleet", faults: "see below"),
        ],
        rules: [
            // In the file, the users are listed in `socket`. The daemon needs tokens and users together in
            // `access`.
            .init(of: "socket") { _, file throws(JSONFault) in
                file.access.users = file.socket?.users ?? [:]
            },
            .init(of: "fleet") { object, file throws(JSONFault) in
                // `member` throws if the file has no such member, and then there is no conflict.
                guard file.fleet == nil, let from = try? object.member("readerTokens", "from") else { return }
                throw from.wrong("is allowed only with fleet, which names the hub")
            },
            .init(of: "tokens", "socket") { object, file throws(JSONFault) in
                try file.checkCallers(object)
            },
            .init(of: "presets", "readerTokens") { object, file throws(JSONFault) in
                try file.checkBrands(object)
            },
            .init(of: "online") { object, file throws(JSONFault) in try file.checkLanes(object) },
            .init(of: "lanes", "accessories") { object, file throws(JSONFault) in
                try file.checkAccessories(object)
            },
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
                    "the policy for requests with this purpose. If revocation is undetermined, `\"age\"` accepts the document and reports this; `\"rental\"` rejects the document. The days say how long an expired revocation list is still used",
                    as: .revocation, at: \.[purpose])
            )
        })

    private static let limits = ConfigurationTable<Self>([
        "presentations": .value(
            "the maximum number of presentations in memory. If it is reached, a new order removes a finished presentation: the oldest of the caller that has the most finished presentations. If none is finished, the order is refused (`tooManyPresentations`)",
            as: .whole(10...100_000), at: \.limits.presentations),
        "listeners": .value(
            "the maximum number of open event streams at all lanes together. One caller may have half of them",
            as: .whole(1...4096), at: \.limits.listeners),
        "connections": .value(
            "the maximum number of open connections at each listener. One caller may have half of them. All unknown callers together may have half of them, for 30 s each",
            as: .whole(4...8192), at: \.connections),
        "ordersPerHour": .value(
            "the maximum number of presentations that one caller may order within an hour. A further order is refused (`tooManyOrders`) until the time in `Retry-After`. Standing orders are not limited",
            as: .whole(1...100_000), at: \.limits.ordersPerHour),
        "shownSeconds": .value(
            "how long the clerk's page shows the holder's name if no person has to decide",
            as: .seconds(5...3600), at: \.limits.shown),
        "decisionSeconds": .value(
            "how long a person may take to decide. Portrait and name are shown during this time; after it the outcome is `unclear`",
            as: .seconds(5...3600), at: \.limits.decision),
        "documentsSeconds": .value(
            "how long the documents of a data request can be read", as: .seconds(5...86_400),
            at: \.limits.documents),
    ])
}

extension DaemonConfiguration {
    /// Reads the bytes of a file. Environment variables replace members of the file.
    package init(_ bytes: [UInt8], environment: [String: String]) throws(ConfigurationFaults) {
        try self.init(environment) { () throws(JSONFault) in
            try JSONText(bytes[...], limit: Self.largestFile)
        }
    }

    /// Reads the contents of a configuration file after the fleet's documents were applied to them.
    init(_ item: JSONItem, environment: [String: String]) throws(ConfigurationFaults) {
        try self.init(environment) { JSONText(item) }
    }

    /// Reads a text into a new configuration, applies the environment, and checks the values that the text
    /// and the environment can both set.
    private init(
        _ environment: [String: String], _ text: () throws(JSONFault) -> JSONText
    ) throws(ConfigurationFaults) {
        self.init()
        var reading = ConfigurationReading()
        let text = reading.result(text)
        if let text { _ = Self.table.read(text, into: &self, &reading) }
        apply(environment, &reading)
        // A faulty `socket` or `http` is nil although the file has it.
        if socket == nil, http == nil, !reading.hasFault(in: "/socket"), !reading.hasFault(in: "/http") {
            reading.add(
                JSONFault(
                    .wrongValue("must have socket or http, or no program can connect"), line: 1, column: 1))
        }
        if let keys, keys == store || keys.hasPrefix("\(store)/") {
            let requirement = "must be a folder outside of store"
            reading.add(
                (try? text?.members())?["keys"]?.wrong(requirement)
                    // If the file has no member `keys`, an environment variable has set the folder. The fault
                    // then has no line number.
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
        // A grant with a fault was reported when it was read, so it is skipped here.
        for grant in (try? file.member("readerTokens", "grants").array()) ?? [] {
            guard let caller = try? grant.members()["caller"], let name = try? caller.string(),
                !callers.contains(name)
            else { continue }
            throw caller.wrong(
                "must be the name of a token, or uid:NUMBER for a user; the token or user needs the scope readerTokens"
            )
        }
    }

    /// Checks that the daemon can make the reader tokens of each preset that requests data.
    private func checkBrands(_ file: ConfigurationObject) throws(JSONFault) {
        guard !readerTokens.isFromHub else { return }
        let brands = Set(readerTokens.keys.map(\.brand))
        // A preset with a fault was reported when it was read, so it is skipped here.
        for preset in (try? file.member("presets").array()) ?? [] {
            guard let brand = try? preset.members()["brand"], let name = try? brand.string(),
                !brands.contains(where: { $0.text == name })
            else { continue }
            throw brand.wrong(LaneForms.ofNoKey)
        }
    }

    /// Checks that there is a lane, unless the daemon serves apps and web pages.
    private func checkLanes(_ file: ConfigurationObject) throws(JSONFault) {
        guard online == nil else { return }
        guard let lanes = file.members["lanes"] else { throw file.text.missing("lanes") }
        // If the file has any fault, the list may be empty only because a lane could not be read.
        if self.lanes.isEmpty, file.reading.faults.isEmpty {
            throw lanes.wrong("must contain at least one lane")
        }
    }

    /// Checks that the lane of each accessory exists, and that each required output is at a lane with a standing
    /// order, which can be paused.
    private func checkAccessories(_ file: ConfigurationObject) throws(JSONFault) {
        guard let entries = try file.members["accessories"]?.array() else { return }
        // The list has no fault here, so it has an entry for each accessory.
        for (accessory, entry) in zip(accessories, entries) {
            guard let name = accessory.lane else { continue }
            guard let lane = lanes.first(where: { $0.name == name }) else {
                throw try entry.members().required("lane").wrong(AccessoryTexts.notALane)
            }
            if accessory.output?.isRequired == true, lane.standing == nil {
                throw try entry.members().required("required").wrong(AccessoryTexts.withoutStanding)
            }
        }
    }

    /// Replaces values of the file by values of environment variables. A variable has the form of the member
    /// that it replaces.
    private mutating func apply(_ environment: [String: String], _ reading: inout ConfigurationReading) {
        /// Reads an environment variable as a member of `owner`. Records a fault if the variable has no valid
        /// value.
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
        // An environment variable opens a listener even if the file has no member for this listener.
        socket = read("SOCKET", as: "path", of: Socket.table, over: socket ?? Socket()) ?? socket
        http = read("HTTP_PORT", as: "port", of: HTTP.table, over: http ?? HTTP()) ?? http
    }
}

extension ConfigurationForm where Value == RevocationPolicy {
    /// The form of a policy on revocation: `"age"`, `"rental"`, or `rental` with the number of days for which
    /// an expired revocation list is still used.
    static var revocation: Self {
        let days = ConfigurationForm<Int>.whole(0...RevocationPolicy.mostStaleDays, unit: "days")
        let object = Self.made(
            of: .required(
                "rental", "the number of days for which an expired revocation list is still used", as: days),
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
            // A value that is not a text is read as an object, so that the form of the object reports its
            // fault.
            ((try? text.string()) == nil ? object : words).read(text, &reading)
        }
    }
}
