internal import ErrorMapping
internal import JSON
internal import PCSCTransport
internal import PresentationService
internal import ReaderAPI
internal import ReaderService
internal import ReaderStore
internal import ReaderTokens
internal import Transport

extension DaemonConfiguration {
    struct Lane: Equatable, Sendable {
        /// The address of a software wallet in place of reader and adapter.
        struct BenchLink: Equatable, Sendable {
            let host: String
            let port: UInt16
        }

        /// The file of a lane's field trace, and the maximum size in bytes of this file and the file before
        /// it together.
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
        /// The functions of the reader that the lane asks for by commands to the reader itself.
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
        /// Nil if there is none.
        func conflict(with others: [Self]) -> String? {
            for other in others {
                if other.name == name { return "another lane has this name" }
                if let fieldTrace, fieldTrace.file == other.fieldTrace?.file {
                    return "lane \(other.name) has this fieldTrace"
                }
                if let benchLink {
                    if benchLink == other.benchLink { return "lane \(other.name) has this bench link" }
                    continue
                }
                guard other.benchLink == nil else { continue }
                if reader == other.reader || reader.isEmpty || other.reader.isEmpty {
                    return "lane \(other.name) takes this reader"
                }
                let shares = adapter == other.adapter || adapter == nil || other.adapter == nil
                if usesBluetooth, other.usesBluetooth, shares {
                    return "lane \(other.name) takes this adapter: name one for each"
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
                "name in orders and addresses", as: .text(upTo: 64, TextFormat.laneName), at: \.name,
                faults: "`another lane has this name` (at `lanes[N]`)"),
            "reader": .value(
                "part of the reader's name in any case, its whole name, or its USB id such as `072f:2200`",
                as: .text(upTo: 128), at: \.reader, without: "any contactless reader",
                faults:
                    "`lane NAME takes this reader` (at `lanes[N]`): the same text, or one of the two names no reader"
            ),
            "adapter": .optional(
                "Bluetooth adapter, such as `hci0`", as: .text(upTo: 16), at: \.adapter,
                without: "the first that can advertise",
                faults:
                    "`lane NAME takes this adapter: name one for each` (at `lanes[N]`): the same, or one of the two names no adapter. With `nfc` no adapter is used"
            ),
            "transport": .value(
                "how the answer comes; `nfc` leaves Bluetooth out; `auto` does so where bluetoothd is not set up for phones",
                as: .word(), at: \.settings.retrieval.transport),
            "bleMode": .value(
                "who connects over Bluetooth: the phone to us, we to the phone, or whichever is first",
                as: .word(), at: \.settings.retrieval.mode),
            "l2cap": .value(
                "which [L2CAP channels](architecture.md#l2cap-channels) are tried", as: .word(),
                at: \.settings.retrieval.l2cap),
            "nfcV2": .value(
                "whether a tap begins with [NFC v2](second-edition.md), by a draft of the second edition: `auto` continues with classic handover where the phone has none",
                as: .word(), at: \.settings.retrieval.nfcVersion2,
                faults: "`only cannot be given with transport ble`"),
            "fieldTrace": .optional(
                "writes the [field trace](field-trace.md) of each presentation: nothing of a person or a phone is in it. Not of a bench link",
                as: .object(FieldTraceSettings(), fieldTrace), at: \.fieldTrace, without: "no field trace",
                faults:
                    "`benchLink and fieldTrace cannot be given together`, `lane NAME has this fieldTrace`"),
            "requestVersion": .value(
                "the version of the request: `auto` sends 1.1 to wallets that announced extended requests, where something of them is asked. After a status 11 on it the lane's next presentation, and only that one, is of version 1.0",
                as: .word(), at: \.settings.requestVersion),
            "readerCommands": .value(
                "what the reader is asked to do itself while a phone is waited for, where its model can and its driver lets it: [hardware.md](hardware.md#commands-to-the-reader-itself)",
                as: .set(upTo: 8, of: .word()), at: \.readerCommands),
            "benchLink": .optional(
                "a software wallet in place of reader and adapter, for trials. `HOST` is an address of this computer: 127.0.0.0/8, `localhost` or `::1`, without brackets",
                as: LaneForms.benchLink, at: \.benchLink,
                faults:
                    "`must be a numeric address of this computer: the bench link is for tests`; `lane NAME has this bench link` (at `lanes[N]`); `benchLink and MEMBER cannot be given together` (at `lanes[N]`) beside `reader`, `adapter`, `transport`, `bleMode`, `l2cap`, `nfcV2`, `readerCommands` or `fieldTrace`"
            ),
            "policy": .optional(
                "a stricter policy for all orders at this lane", as: .revocation, at: \.settings.policy,
                without: "none: that of the purpose"),
            "presets": .value(
                "the names of the presets of this lane, in the order of the buttons",
                as: LaneForms.namesOfPresets, at: \.presets, without: "all of `presets`",
                faults: "`\(LaneForms.notAPreset)`"),
            "standing": .optional(
                "what the lane asks the next phone by itself: the name of a preset, or the words of an intent, which then has a receipt. See [without a till](getting-started-kiosk.md#8-without-a-till)",
                as: LaneForms.standing, at: \.standing, without: "none: the lane waits for orders",
                faults: "what is wrong with the words"),
            "waitSeconds": .value(
                "how long a phone is waited for", as: .seconds(1...3600), at: \.settings.deadlines.engagement),
            "consentSeconds": .value(
                "how long the holder may read and decide", as: .seconds(10...3600),
                at: \.settings.deadlines.consent),
            "armedSeconds": .value(
                "with `nfcV2`: how long the request waits for the [second tap](second-edition.md#two-taps) of a phone that took it away",
                as: .seconds(10...3600), at: \.settings.deadlines.armed),
            "brand": .optional(
                "the shop's own look on this lane's pages, with or without reader tokens, while nothing is asked too",
                as: LaneForms.brand, at: \.page.brand),
            "page": .object("settings of this lane's pages", as: LanePage.table, at: \.page),
        ],
        rules: [
            .init { object, lane throws(JSONFault) in
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
                throw try object.member("nfcV2").wrong("only cannot be given with transport ble")
            },
        ])

    private static let fieldTrace = ConfigurationTable<FieldTraceSettings>([
        "file": .required(
            "the file, in a folder that the daemon may write, such as `/var/lib/countersign`. The one before it has `.1` at its end. Readable by the daemon's user alone",
            as: .path(upTo: 4000), at: \.file),
        "bytes": .value(
            "the most bytes of both files. A presentation begins a new file where more than half of its room is used; what does not fit is left out",
            as: .whole(1 << 16...1 << 28, unit: "bytes"), at: \.bytes),
    ])
}

extension LanePage {
    fileprivate static let table = ConfigurationTable<Self>([
        "language": .optional(
            "language of the pages: \(PageTexts.Language.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")). The address's `lang` goes before it",
            as: .text(upTo: 16), at: \.language, without: "the browser's",
            faults: "not checked: an unknown one changes nothing"),
        "resultSeconds": .value(
            "how long the customer's page shows a result", as: .whole(2...600, unit: "seconds"),
            at: \.resultSeconds, without: "`\(LanePage().resultSeconds)`"),
        "antenna": .optional(
            "where to hold the phone", as: LaneForms.antenna, at: \.antenna, without: "the middle, `here`"),
        "reader": .value(
            "how the reader is drawn: a square pad, one that is longer than wide, or one set into the counter",
            as: .word(), at: \.reader),
        "accepts": .value(
            "names of the wallets that are accepted, shown while nothing is asked",
            as: .list(upTo: 12, of: .text(upTo: 60)), at: \.accepts),
        "asks": .value(
            "what will be asked, as in `asks` of a presentation (`age_over_18`, `portrait`), shown while nothing is asked",
            as: .list(upTo: 8, of: .text(upTo: 64)), at: \.asks),
        "speaks": .value(
            "whether the customer's page speaks its words, while its sound is on, by a voice that is installed on the screen's computer",
            as: .boolean, at: \.speaks),
        "texts": .value(
            "the shop's own words: `{\"en\": {\"customer.idle.text\": \"Please wait at the till.\"}}`. The keys are those of `strings.json` that begin with `customer.` and end with `.text`, but not those of `connecting` and `test`, and `customer.idle.head`. What an outcome is called stays",
            as: LaneForms.pageTexts, at: \.texts),
        "notice": .optional(
            "the privacy notice of the customer's page", as: LaneForms.notice, at: \.notice,
            without: "what the brand and the order say"),
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
            "x", "place of the antenna on the reader's face, from the left",
            as: .whole(0...100, unit: "percent")),
        .required(
            "y", "the same from the top; the page draws 15 to 85 of both",
            as: .whole(0...100, unit: "percent")),
        .required(
            "place", "where the reader is, as seen from the screen",
            as: .word(of: LanePage.Antenna.Place.self)),
        as: LanePage.Antenna.init(x:y:place:))

    static let notice = ConfigurationForm<LanePage.Notice>.made(
        of: .required("controller", "who is responsible", as: .text(upTo: 300)),
        .required("purpose", "what it is for", as: .text(upTo: 600)),
        .required("kept", "what is kept, and for how long", as: .text(upTo: 600)),
        .required("contact", "whom to ask", as: .text(upTo: 300)),
        as: LanePage.Notice.init(controller:purpose:kept:contact:))

    static let brand = ConfigurationForm<LaneBrand>.made(
        of: .required(
            "name",
            "the shop's name. A presentation with a reader token shows that token's brand instead",
            as: .text(upTo: 80)),
        .optional(
            "logo",
            "a PNG of at most 256 KiB and 2048 columns and rows, which the daemon may read. It is read each time it is shown",
            as: .path,
            faults:
                "`it does not exist, or cannot be read`, or why it is not such a PNG (at start and with `--check`)"
        ),
        .optional(
            "colours",
            "the colours of the header and, while nothing is asked, of the customer's whole screen. What is said of a person keeps the pages' colours",
            as: LaneForms.colours, without: "the pages' own",
            faults:
                "`ground and words have a contrast of N:1, and 4.50:1 is the least that can be read`"),
        .optional(
            "welcome",
            "the heading while nothing is asked, in every language the same; `page.texts` has one for each",
            as: .text(upTo: 200), without: "the page's own, in each language"),
        as: LaneBrand.init(name:logo:colours:welcome:))

    static let colours = ConfigurationForm<BrandColours>.made(
        of: .required("ground", "what words stand on", as: .text(upTo: 16, TextFormat.groundColour)),
        .required("words", "the words", as: .text(upTo: 16, TextFormat.wordColour)),
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
        of: .required(
            "name", "what the button says, each once", as: .text(upTo: 64),
            faults: "`another preset has this name` (at `presets[N]`)"),
        .required(
            "intent", "what is asked, in the words of an order", as: .text(upTo: 4096),
            faults: "what is wrong with the words"),
        .value(
            "validation",
            "as in an order: confirm is that a person decides; so does one where a portrait is asked for, in any case",
            as: .word(of: PresentationOrder.Validation.self), standard: .check),
        .value(
            "retention", "whether there is a receipt",
            as: .words([("none", RetentionProfile.none), ("receipt", .receipt)], requirement: noData),
            standard: .receipt, faults: "`\(noData)`"),
        .optional("policy", "a stricter policy", as: .revocation, without: "none: that of the purpose"),
        by: { text, name, intent, validation, retention, policy throws(JSONFault) in
            let words = try text.members().required("intent")
            return try mapping(
                Preset(
                    name: name, intent: intent, validation: validation, retention: retention, policy: policy)
            ) { (error: PresetFault) in words.wrong(error.description) }
        })
    private static let noData = "must be \"none\" or \"receipt\": a preset retains no data"

    /// The form of the presets, which lanes refer to by name.
    static let presets: ConfigurationForm<[Preset]> = {
        let list = ConfigurationForm<[Preset]>.list(
            upTo: Preset.most, of: preset,
            conflict: { preset, others in
                others.contains { $0.name == preset.name } ? "another preset has this name" : nil
            })
        return ConfigurationForm(list.description) { text, reading in
            let presets = list.read(text, &reading)
            reading.presets = presets ?? []
            return presets
        }
    }()

    /// The form of the names of a lane's presets, in the order of the buttons.
    fileprivate static let namesOfPresets = ConfigurationForm<[Preset]>.list(
        upTo: Preset.most,
        of: ConfigurationForm<String>.text(upTo: 64).map { name, text, reading throws(JSONFault) in
            let preset = reading.presets.first { $0.name == name }
            guard let preset else { throw text.wrong(notAPreset) }
            return preset
        }, conflict: { $1.contains($0) ? notAPreset : nil })
    fileprivate static let notAPreset = "must be the name of one of presets, once"

    /// The form of a standing order: the name of a preset, or the words of an intent.
    fileprivate static let standing = ConfigurationForm<String>.text(upTo: 4096).map {
        words, text, reading throws(JSONFault) in
        if let preset = reading.presets.first(where: { $0.name == words }) { return preset }
        return try mapping(Preset(name: "standing", intent: words)) { (error: PresetFault) in
            text.wrong(error.description)
        }
    }
}
