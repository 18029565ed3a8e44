internal import ConfigurationForms
internal import ErrorMapping
internal import JSON
internal import PCSCTransport
internal import PresentationService
internal import ReaderAPI
internal import ReaderService
internal import ReaderStore
internal import ReaderTokens
internal import RequestPlanner
internal import Transport

extension DaemonConfiguration {
    /// A lane, which is one till: its reader and Bluetooth adapter, and the settings of its presentations and
    /// pages.
    struct Lane: Equatable, Sendable {
        /// The address of a software wallet that replaces the reader and the adapter.
        struct BenchLink: Equatable, Sendable {
            let host: String
            let port: UInt16
        }

        /// The file of a lane's field trace, and the maximum size of this file and the previous file
        /// together, in bytes.
        struct FieldTraceSettings: Equatable, Sendable {
            var file = ""
            var bytes = 1 << 22
        }

        var name = ""
        /// A part of the reader's name, or its USB id. Empty for any reader.
        var reader = ""
        /// The Bluetooth adapter. Nil for the first adapter that can advertise.
        var adapter: String?
        /// The software wallet's address. Nil for a lane with reader and adapter.
        var benchLink: BenchLink?
        /// The actions that the lane requests of the reader device itself, such as turning its tone off.
        var readerCommands: Set<ReaderWish> = []
        var settings = LaneSettings()
        var page = LanePage()
        /// The presets of the buttons on the lane's clerk page.
        var presets: [Preset] = []
        /// The order that the lane runs by itself for the next phone. Nil if the lane waits for orders.
        var standing: Preset?
        /// The settings of the lane's field trace. Nil for no field trace.
        var fieldTrace: FieldTraceSettings?

        var usesBluetooth: Bool { settings.retrieval.transport != .nfc }

        /// Returns the conflict with another lane that would use this lane's name, reader, adapter or file.
        /// Nil if there is no conflict.
        func conflict(with others: [Self]) -> String? {
            for other in others {
                if other.name == name { return "another lane has this name" }
                if let fieldTrace, fieldTrace.file == other.fieldTrace?.file {
                    return "lane \(other.name) writes its fieldTrace to the same file: name another file"
                }
                // A lane with a bench link uses neither reader nor adapter.
                if let benchLink {
                    if benchLink == other.benchLink {
                        return "lane \(other.name) has the same benchLink: give it another port"
                    }
                    continue
                }
                guard other.benchLink == nil else { continue }
                // A lane without `reader` may use any reader, so it conflicts with every other lane. The same
                // applies to adapters.
                if reader == other.reader || reader.isEmpty || other.reader.isEmpty {
                    return "lane \(other.name) may use the same reader: give each lane its own reader"
                }
                let shares = adapter == other.adapter || adapter == nil || other.adapter == nil
                if usesBluetooth, other.usesBluetooth, shares {
                    return "lane \(other.name) may use the same adapter: give each lane its own adapter"
                }
            }
            return nil
        }
    }
}

extension DaemonConfiguration.Lane {
    static let table = ConfigurationTable<Self>(
        [
            "name": .required(
                "the lane's name in orders and in addresses of pages",
                as: .text(upTo: 64, TextFormat.laneName), at: \.name,
                faults: "`another lane has this name` (at `lanes[N]`)"),
            "reader": .value(
                "the PC/SC reader: its name or a part of it, in upper or lower case, or its USB id such as `072f:2200`",
                as: .text(upTo: 128), at: \.reader, without: "any contactless reader",
                faults:
                    "`lane NAME may use the same reader: give each lane its own reader` (at `lanes[N]`): both lanes name this reader, or one of them names none"
            ),
            "adapter": .optional(
                "Bluetooth adapter, such as `hci0`", as: .text(upTo: 16), at: \.adapter,
                without: "the first adapter that can advertise",
                faults:
                    "`lane NAME may use the same adapter: give each lane its own adapter` (at `lanes[N]`): both lanes name this adapter, or one of them names none. A lane with the transport `nfc` uses no adapter"
            ),
            "transport": .value(
                "the way of the response: `nfc` never uses Bluetooth, and `auto` uses Bluetooth only if bluetoothd is set up for phones",
                as: .word(), at: \.settings.retrieval.transport),
            "bleMode": .value(
                "who connects over Bluetooth. With `central` the phone connects to this computer, with `peripheral` this computer connects to the phone, and with `race` the first connection is used",
                as: .word(), at: \.settings.retrieval.mode),
            "l2cap": .value(
                "which [L2CAP channels](architecture.md#l2cap-channels) are tried", as: .word(),
                at: \.settings.retrieval.l2cap),
            "nfcV2": .value(
                "whether a tap begins with [NFC v2](second-edition.md), as a draft of the second edition defines it. `auto` continues with classic handover if the phone does not support it",
                as: .word(), at: \.settings.retrieval.nfcVersion2,
                faults: "`\"only\" cannot be given with transport \"ble\"`"),
            "fieldTrace": .optional(
                "writes the [field trace](field-trace.md) of each presentation. The trace has no data of a person or a phone. A lane with a bench link cannot have a field trace",
                as: .object(FieldTraceSettings(), fieldTrace), at: \.fieldTrace, without: "no field trace",
                faults:
                    "`benchLink and fieldTrace cannot be given together`, `lane NAME writes its fieldTrace to the same file: name another file`"
            ),
            "requestVersion": .value(
                "the version of the request. `auto` sends 1.1 if the wallet announced extended requests and the order asks for something that needs them. If a phone answers 1.1 with status 11, the lane's next presentation, and only that one, sends 1.0",
                as: .word(), at: \.settings.requestVersion),
            "readerCommands": .value(
                "commands to the reader itself while the lane waits for a phone, if the reader's model and driver support them: [hardware.md](hardware.md#commands-to-the-reader-itself)",
                as: .set(upTo: 8, of: .word()), at: \.readerCommands),
            "benchLink": .optional(
                "a software wallet in place of reader and adapter, for trials. `HOST` is an address of this computer: 127.0.0.0/8, `localhost` or `::1`, without brackets",
                as: LaneForms.benchLink, at: \.benchLink,
                faults:
                    "`must be a numeric address of this computer: the bench link is for tests`; `lane NAME has the same benchLink: give it another port` (at `lanes[N]`); `benchLink and MEMBER cannot be given together` (at `lanes[N]`) beside `reader`, `adapter`, `transport`, `bleMode`, `l2cap`, `nfcV2`, `readerCommands` or `fieldTrace`"
            ),
            "policy": .optional(
                "a stricter policy for all orders at this lane", as: .revocation, at: \.settings.policy,
                without: "none: the policy of the purpose"),
            "presets": .value(
                "the names of the presets of this lane, in the order of the buttons",
                as: LaneForms.namesOfPresets, at: \.presets, without: "all of `presets`",
                faults: "`\(LaneForms.notAPreset)`"),
            "standing": .optional(
                "the lane's standing order, which the lane starts for each phone that taps: the name of a preset, or an intent. If it is an intent, a receipt of each presentation is kept. See [without a till](getting-started-kiosk.md#8-without-a-till)",
                as: LaneForms.standing, at: \.standing, without: "none: the lane waits for orders",
                faults: "what is wrong with the intent"),
            "waitSeconds": .value(
                "how long the lane waits for a phone", as: .seconds(1...3600),
                at: \.settings.deadlines.engagement),
            "consentSeconds": .value(
                "how long the holder may take to read the request and decide", as: .seconds(10...3600),
                at: \.settings.deadlines.consent),
            "armedSeconds": .value(
                "with `nfcV2`: how long the lane waits for the [second tap](second-edition.md#two-taps) of a phone that received the request and left the reader",
                as: .seconds(10...3600), at: \.settings.deadlines.armed),
            "brand": .optional(
                "the shop's name, logo and colours on this lane's pages, also while the lane is idle. They need no reader token",
                as: LaneForms.brand, at: \.page.brand),
            "page": .object("settings of this lane's pages", as: LanePage.table, at: \.page),
        ],
        rules: [
            .init { object, lane throws(JSONFault) in
                // If the lane has no member `presets`, its clerk page has all presets of the file.
                if object.members["presets"] == nil { lane.presets = object.reading.presets }
            },
            .init { object, _ throws(JSONFault) in
                guard object.members["benchLink"] != nil else { return }
                for other in [
                    "reader", "adapter", "transport", "bleMode", "l2cap", "nfcV2", "readerCommands",
                    "fieldTrace",
                ] where object.members[other] != nil {
                    throw object.text.wrong("benchLink and \(other) cannot be given together")
                }
            },
            .init(of: "nfcV2", "transport") { object, lane throws(JSONFault) in
                let plan = lane.settings.retrieval
                guard plan.nfcVersion2 == .only, plan.transport == .bluetoothLE else { return }
                throw try object.member("nfcV2").wrong("\"only\" cannot be given with transport \"ble\"")
            },
        ])

    private static let fieldTrace = ConfigurationTable<FieldTraceSettings>([
        "file": .required(
            "the path of the file, in a folder to which the daemon may write, such as `/var/lib/countersign`. The previous file has `.1` at the end of its name. Only the daemon's user can read both",
            as: .path(upTo: 4000), at: \.file),
        "bytes": .value(
            "the maximum size of both files together. A presentation begins a new file if the current one is more than half full; lines that do not fit are left out",
            as: .whole(1 << 16...1 << 28, unit: "bytes"), at: \.bytes),
    ])
}

extension LanePage {
    fileprivate static let table = ConfigurationTable<Self>([
        "language": .optional(
            "language of the pages: \(PageTexts.Language.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")). The parameter `lang` of a page's address overrides it",
            as: .text(upTo: 16), at: \.language, without: "the browser's language",
            faults: "not checked: an unknown language has no effect"),
        "resultSeconds": .value(
            "how long the customer's page shows a result", as: .whole(2...600, unit: "seconds"),
            at: \.resultSeconds, without: "`\(LanePage().resultSeconds)`"),
        "antenna": .optional(
            "where to hold the phone", as: LaneForms.antenna, at: \.antenna, without: "the middle, `here`"),
        "reader": .value(
            "how the page draws the reader: `square` as a square pad, `upright` as a pad that is longer than wide, and `builtIn` as a reader that is set into the counter",
            as: .word(), at: \.reader),
        "accepts": .value(
            "names of the accepted wallets, shown while the lane is idle",
            as: .list(upTo: 12, of: .text(upTo: 60)), at: \.accepts),
        "asks": .value(
            "what the lane will ask for, as in `asks` of a presentation (`age_over_18`, `portrait`), shown while the lane is idle",
            as: .list(upTo: 8, of: .text(upTo: 64)), at: \.asks),
        "speaks": .value(
            "whether the customer's page reads its texts aloud while its sound is on, with a voice that is installed on the screen's computer",
            as: .boolean, at: \.speaks),
        "texts": .value(
            "the shop's own texts in each language: `{\"en\": {\"customer.idle.text\": \"Please wait at the till.\"}}`. The keys are `customer.idle.head`, and the keys `customer.NAME.text` of `strings.json`, except those with the names `cannotTell`, `connecting`, `noBluetooth`, `noWay`, `refused` and `test`. The names of outcomes cannot be changed",
            as: LaneForms.pageTexts, at: \.texts),
        "notice": .optional(
            "the shop's own texts of the customer's privacy notice, for all languages. For an absent member the page has a text of its own in the customer's language",
            as: LaneForms.notice, at: \.notice, without: "the pages' own texts, in each language"),
        "notices": .value(
            "members of `notice` for single languages: `{\"de\": {\"purpose\": \"Um Ihr Alter zu prüfen.\"}}`. On pages in that language they replace the same members of `notice`",
            as: LaneForms.notices, at: \.notices),
    ])
}

/// The forms of a lane's members in the file.
enum LaneForms {
    static let benchLink = ConfigurationForm<DaemonConfiguration.Lane.BenchLink>.text(
        upTo: 64, TextFormat.benchLink
    ).map { link, text, _ throws(JSONFault) in
        guard (try? SocketAddress(host: link.host, port: link.port)) != nil else {
            throw text.wrong("must be a numeric address of this computer: the bench link is for tests")
        }
        return link
    }

    static let antenna = ConfigurationForm<LanePage.Antenna>.made(
        of: .required(
            "x", "position of the antenna on the reader's face, from the left edge",
            as: .whole(0...100, unit: "percent")),
        .required(
            "y",
            "position of the antenna on the reader's face, from the top edge. The page draws a value of `x` or `y` below 15 as 15, and above 85 as 85",
            as: .whole(0...100, unit: "percent")),
        .required(
            "place", "where the reader is, as seen from the screen",
            as: .word(of: LanePage.Antenna.Place.self)),
        as: LanePage.Antenna.init(x:y:place:))

    static let notice = ConfigurationForm<LanePage.Notice>.made(
        of: .optional(
            "controller", "who is responsible for the data", as: .text(upTo: 300),
            without: "the name of the brand"),
        .optional(
            "purpose", "what the data is used for", as: .text(upTo: 600),
            without: "a standard text that fits the request, in the customer's language"),
        .optional(
            "kept",
            "what is kept, and for how long. While a phone is asked, the page shows what its order keeps instead",
            as: .text(upTo: 600),
            without:
                "the page says what the presets and the standing order of the lane keep, if they all keep the same. If they differ, if a preset asks for data, or if a caller has the scope `app` at this lane, the page says that the customer will see what is kept before answering"
        ),
        .optional(
            "contact", "whom to ask about the data", as: .text(upTo: 300), without: "the staff of the shop"),
        as: LanePage.Notice.init(controller:purpose:kept:contact:))

    fileprivate static let notices = ConfigurationForm<[PageTexts.Language: LanePage.Notice]>.named(
        upTo: PageTexts.Language.allCases.count, by: TextFormat.pageLanguage, notice)

    static let brand = ConfigurationForm<LaneBrand>.made(
        of: .required(
            "name",
            "the shop's name. A presentation with a reader token shows that token's brand instead",
            as: .text(upTo: 80)),
        .optional(
            "logo",
            "PNG file of at most 256 KiB and 2048 columns and rows, which the daemon is able to read. The daemon reads it each time a page shows it",
            as: .path,
            faults:
                "`the file does not exist, or cannot be read`, or why the file is not such a PNG (at the start and with `--check`)"
        ),
        .optional(
            "colours",
            "colours of the header and, while the lane is idle, of the customer's whole screen. Results keep the pages' own colours",
            as: LaneForms.colours, without: "the pages' own",
            faults:
                "`the contrast of ground and words is N:1, below 4.50:1, the minimum for readable text`"),
        .optional(
            "welcome",
            "the heading while the lane is idle, the same in every language. `page.texts` sets a heading for each language",
            as: .text(upTo: 200), without: "the page's own, in each language"),
        as: LaneBrand.init(name:logo:colours:welcome:))

    static let colours = ConfigurationForm<BrandColours>.made(
        of: .required("ground", "the background colour", as: .text(upTo: 16, TextFormat.groundColour)),
        .required("words", "the text colour", as: .text(upTo: 16, TextFormat.wordColour)),
        by: { text, ground, words throws(JSONFault) in
            try mapping(BrandColours(ground: ground, words: words)) { (error: ContrastFault) in
                text.wrong("\(error)")
            }
        })
    fileprivate static let pageTexts = ConfigurationForm<[PageTexts.Language: [String: String]]>.named(
        upTo: PageTexts.Language.allCases.count, by: TextFormat.pageLanguage,
        .named(upTo: PageTexts.keys.count, by: TextFormat.pageText, .text(upTo: 300))
    ).map { languages, _, _ in
        var texts = PageTexts()
        for (language, words) in languages {
            for (key, text) in words { texts.replace(key, in: language, by: text) }
        }
        return texts
    }

    private static let preset = ConfigurationForm<Preset>.made(
        of: .optional(
            "name",
            "the name in orders, and the text of the button if `names` has neither the page's language nor `en`. Two presets cannot have the same name",
            as: .text(upTo: Preset.longestName),
            without:
                "the questions joined with `+`, such as `age_over_18+portrait`; the button has the page's own text",
            faults:
                "`another preset has this name`; without a name `another preset asks the same: give one of them a name` (both at `presets[N]`)"
        ),
        .optional(
            "names", "the text of the button in each language: `{\"de\": \"Ab 18\"}`",
            as: .named(
                upTo: PageTexts.Language.allCases.count, by: TextFormat.pageLanguage,
                .text(upTo: Preset.longestName)),
            without: "`name`, or the page's own text"),
        .value(
            "kind",
            "with `data`, this request itself asks for data, and the desk's page receives the data. `data` needs `brand`",
            as: .word(of: PresentationOrder.Kind.self), standard: .display,
            faults: "`needs brand: data is asked for in the name of a brand`"),
        .required(
            "intent", "what is asked: an intent, as in an order", as: .text(upTo: 4096),
            faults: "what is wrong with the intent"),
        .value(
            "validation",
            "who decides the outcome, as in an order. With `confirm` a person decides. If a portrait is asked for, a person decides in any case",
            as: .word(of: PresentationOrder.Validation.self), standard: .check),
        .value(
            "retention",
            "what is kept of this request, as in an order. Without `\"kind\": \"data\"`, at most a receipt",
            as: retention, standard: .receipt, faults: "`\(noData)`"),
        .optional(
            "then",
            "a second request, which asks for data. It is sent only if the verified response to the first request answers every question with yes. Needs `brand`",
            as: further, without: "none: one request", faults: "what is wrong with the intent"),
        .optional(
            "brand",
            "the brand in whose name data is asked for, one of `readerTokens.keys`. The daemon makes the reader token",
            as: .text(upTo: TokenText.longest, TextFormat.tokenText),
            without: "none: the preset asks for no data", faults: "`\(ofNoKey)`; `\(brandAlone)`"),
        .optional("policy", "a stricter policy", as: .revocation, without: "none: the policy of the purpose"),
        by: { text, name, names, kind, intent, validation, retention, then, brand, policy throws(JSONFault) in
            let members = try text.members()
            return try mapping(
                Preset(
                    name: name, names: names, kind: kind, intent: intent, validation: validation,
                    retention: retention, then: then, brand: brand, policy: policy)
            ) { (error: PresetFault) in
                // A fault is reported at its member. If that member is absent, the fault is reported at
                // `then`, because a preset without `kind` can request data only through `then`.
                (members[error.member.rawValue] ?? members["then"] ?? text).wrong(error.description)
            }
        })
    private static let noData =
        "must be \"none\" or \"receipt\": a preset with kind \"display\" retains no data"
    private static let brandAlone = "is allowed only with kind \"data\" or with \"then\", which ask for data"
    static let ofNoKey =
        "must be the brand of a key in readerTokens.keys, with which the daemon makes the reader token"

    private static let retention = ConfigurationForm<RetentionProfile>.text(
        upTo: 32, TextFormat.retention
    ).map(json: { .string($0.name) }) { profile, _, _ in profile }

    /// The form of the second request of a preset.
    private static let further = ConfigurationForm<FurtherOrder>.made(
        of: .required("intent", "what is asked then: an intent, as in an order", as: .text(upTo: 4096)),
        .value(
            "retention", "what is kept of the second request, as in an order", as: retention, standard: .none),
        by: { text, intent, retention throws(JSONFault) in
            let words = try text.members().required("intent")
            return FurtherOrder(
                try mapping(RequestIntent(parsing: intent)) { (error: RequestPlannerError) in
                    words.wrong(error.explanation)
                }, retention: retention)
        })

    /// The form of the presets, which lanes refer to by name.
    static let presets: ConfigurationForm<[Preset]> = {
        let list = ConfigurationForm<[Preset]>.list(
            upTo: Preset.most, of: preset,
            conflict: { preset, others in
                guard others.contains(where: { $0.name == preset.name }) else { return nil }
                return preset.isNamedByQuestions
                    ? "another preset asks the same: give one of them a name" : "another preset has this name"
            })
        return ConfigurationForm(list.description) { text, reading in
            let presets = list.read(text, &reading)
            // Lanes are read after the presets, and look up the names of presets in `reading`.
            reading.presets = presets ?? []
            return presets
        }
    }()

    /// The form of the names of a lane's presets, in the order of the buttons.
    fileprivate static let namesOfPresets = ConfigurationForm<[Preset]>.list(
        upTo: Preset.most,
        of: ConfigurationForm<String>.text(upTo: Preset.longestName).map {
            name, text, reading throws(JSONFault) in
            let preset = reading.presets.first { $0.name == name }
            guard let preset else { throw text.wrong(notAPreset) }
            return preset
        }, conflict: { $1.contains($0) ? notAPreset : nil })
    fileprivate static let notAPreset =
        "must be the name of a preset in presets, and may be in the list only once"

    /// The form of a standing order: the name of a preset, or the words of an intent.
    fileprivate static let standing = ConfigurationForm<String>.text(upTo: 4096).map {
        words, text, reading throws(JSONFault) in
        if let preset = reading.presets.first(where: { $0.name == words }) {
            guard !preset.asksForData else {
                throw text.wrong("must not ask for data: no desk receives the data of a standing order")
            }
            return preset
        }
        return try mapping(Preset(name: "standing", intent: words)) { (error: PresetFault) in
            text.wrong(error.description)
        }
    }
}
