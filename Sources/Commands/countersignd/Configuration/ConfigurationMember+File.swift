internal import PresentationService
internal import ReaderAPI
internal import RequestPlanner

extension ConfigurationMember {
    /// The members of the file itself.
    static let file: [Self] = [
        .init(
            "$schema", .text(upTo: 300), .absent("none"),
            "for editors, which then complete and check the file: `/usr/share/countersign/countersignd.schema.json` of the package"
        ),
        .init(
            "store", .path, "/var/lib/countersign",
            "folder of the store: trust, identities, brands, receipts, retained data",
            faults: "at the start `store: PATH:` and why, see below"),
        .init(
            "keys", .path, .absent("that of the store with `-keys` at its end"),
            "folder of the keys of retained data, never in the store",
            faults: "`must be a folder outside of store`"),
        .init(
            "page", .path, .absent("`countersign_ReaderAPI.resources/Kiosk` beside the program"),
            "folder with the files of `/kiosk` and `/clerk`, 8 MiB at most",
            faults:
                "`page: PATH:` and why, see below. Without the default folder there is a warning and no page"
        ),
        .init(
            "policies", .object(RequestPurpose.allCases.map(policy)), .emptyObject,
            "the policy of each purpose: what to do where it is not known whether a document is revoked. Order and lane may name a stricter one"
        ),
        .init(
            "clockSkewSeconds", .whole(0...3600, unit: "seconds"), 60,
            "by how much a document's validity is extended at both ends, and how far a list may be dated ahead"
        ),
        .init(
            "documentSigners",
            .named(
                upTo: 64, by: .furtherDocumentType, .list(upTo: 8, of: .text(upTo: 128, .objectIdentifier))),
            .emptyObject,
            "extended key usages for the signers of such documents: a signer's certificate must name one of them; `[]`: it has none. Those of the types of ISO and the EU cannot be changed"
        ),
        .init(
            "testRoots",
            .list(
                upTo: 4096, of: .text(upTo: 64, .rootDigest),
                empty: "must contain at least one root: acceptTestDocuments is for tests"),
            .absent("none beside the issuers of the country `UT`"),
            "further roots whose documents are a test's: verdict `mock`, never `verified`"),
        .init(
            "acceptTestDocuments", .boolean, false,
            "for trials: the answers of test documents are used. The verdict stays `mock`; the log, `readyz`, the pages and `countersign doctor` say so"
        ),
        .init(
            "log", .word(DaemonConfiguration.logLevels), "info",
            "from which level on the log is written, to standard error"),
        .init(
            "endSeconds", .whole(1...300, unit: "seconds"), 10,
            "how long presentations may take to end with the daemon. The package's unit kills it after 30 s (`TimeoutStopSec`)"
        ),
        .init(
            "socket", .nullable(.object(socket)), .emptyObject, "the Unix socket; `null`: none",
            faults: "see below"),
        .init(
            "http", .nullable(.object(http)), nil,
            "HTTP on loopback, or with a certificate on any address; `null`: none", faults: "see below"),
        .init(
            "tokens", .list(upTo: 256, of: .object(token)), .emptyList, "who may use `http`",
            faults: "see below"),
        .init(
            "presets", .list(upTo: Preset.most, of: .object(preset)), .emptyList,
            "what buttons, or lanes by themselves, can ask", faults: "see [presets](#presets)"),
        .init(
            "lanes", .list(upTo: 32, of: .object(lane)),
            .absent("**required**, but not where `online` is there"),
            "where phones are read", faults: "`must contain at least one lane`"),
        .init(
            "limits", .object(limits), .emptyObject, "how much is held, and for how long", faults: "see below"
        ),
        .init(
            "webhooks", .object(webhooks), .absent("none: no order may name a webhook"),
            "where ends of presentations are reported to", faults: "see below"),
        .init(
            "readerTokens", .object(readerTokens), .absent("none: no reader token is made"),
            "the token server",
            faults: "see below"),
        .init(
            "online", .object(online), .absent("none"), "the server behind apps and web pages",
            faults: "see below"),
        .init(
            "fleet", .object(fleet), .absent("none: this computer belongs to no fleet"),
            "the chain that this kiosk belongs to, see [fleet.md](fleet.md)", faults: "see below"),
    ]

    private static func policy(of purpose: RequestPurpose) -> Self {
        .init(
            purpose.rawValue, revocation, purpose == .age ? "age" : "rental",
            "of what is asked for this purpose. `age` accepts such a document and says so, `rental` rejects it; the days say how long a list is used after its time"
        )
    }

    /// A revocation policy.
    static let revocation = ConfigurationValue.wordOrObject(
        ["age", "rental"],
        [
            .init(
                "rental", .whole(0...365, unit: "days"), .required,
                "for how many days a list is used after its time")
        ],
        requirement: "must be \"age\", \"rental\" or {\"rental\": days}")

    private static let limits: [Self] = [
        .init(
            "presentations", .whole(10...100_000), 1000,
            "how many presentations are remembered. For a further one the oldest that is over is forgotten, "
                + "of the caller with the most; where none is over the order is refused (tooManyPresentations)"
        ),
        .init(
            "listeners", .whole(1...4096), 256,
            "how many may listen to events at once, over all lanes; one caller has half of it"),
        .init(
            "connections", .whole(4...8192), 512,
            "how many connections may be open at each listener. Those without a known caller have half of it, and 30 s each; one caller has half of it"
        ),
        .init(
            "ordersPerHour", .whole(1...100_000), 600,
            "how many presentations one caller may begin within an hour; a further order is refused (`tooManyOrders`) until `Retry-After`. A lane that asks by itself is no caller"
        ),
        .init(
            "shownSeconds", .whole(5...3600, unit: "seconds"), 120,
            "how long a name is shown where nobody is to decide"),
        .init(
            "decisionSeconds", .whole(5...3600, unit: "seconds"), 120,
            "how long a person may decide; portrait and name are shown meanwhile, and the outcome is `unclear` afterwards"
        ),
        .init(
            "documentsSeconds", .whole(5...86_400, unit: "seconds"), 600,
            "how long the documents of a data request can be read"),
    ]
}
