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
    /// A lane, which is one till: its reader and Bluetooth adapter, and the settings of its presentations and
    /// pages.
    struct Lane: Equatable, Sendable {
        /// The address of a software wallet in place of reader and adapter.
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
                    return "lane \(other.name) has this fieldTrace"
                }
                // A lane with a bench link uses neither reader nor adapter.
                if let benchLink {
                    if benchLink == other.benchLink { return "lane \(other.name) has this bench link" }
                    continue
                }
                guard other.benchLink == nil else { continue }
                // A lane without a name of a reader may take any reader, and likewise for adapters.
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
                "the PC/SC reader: its name or a part of it, in upper or lower case, or its USB id such as `072f:2200`",
                as: .text(upTo: 128), at: \.reader, without: "any contactless reader",
                faults:
                    "`lane NAME takes this reader` (at `lanes[N]`): both lanes name this reader, or one of them names none"
            ),
            "adapter": .optional(
                "Bluetooth adapter, such as `hci0`", as: .text(upTo: 16), at: \.adapter,
                without: "the first adapter that can advertise",
                faults:
                    "`lane NAME takes this adapter: name one for each` (at `lanes[N]`): both lanes name this adapter, or one of them names none. A lane with the transport `nfc` uses no adapter"
            ),
            "transport": .value(
                "how the response comes: `nfc` never uses Bluetooth, and `auto` does not use it if bluetoothd is not set up for phones",
                as: .word(), at: \.settings.retrieval.transport),
            "bleMode": .value(
                "who connects over Bluetooth: `central`: the phone connects to this computer; `peripheral`: this computer connects to the phone; `race`: whichever connects first",
                as: .word(), at: \.settings.retrieval.mode),
            "l2cap": .value(
                "which [L2CAP channels](architecture.md#l2cap-channels) are tried", as: .word(),
                at: \.settings.retrieval.l2cap),
            "nfcV2": .value(
                "whether a tap begins with [NFC v2](second-edition.md), by a draft of the second edition. `auto` continues with classic handover if the phone does not support it",
                as: .word(), at: \.settings.retrieval.nfcVersion2,
                faults: "`only cannot be given with transport ble`"),
            "fieldTrace": .optional(
                "writes the [field trace](field-trace.md) of each presentation. The trace has no data of a person or a phone. A lane with a bench link has none",
                as: .object(FieldTraceSettings(), fieldTrace), at: \.fieldTrace, without: "no field trace",
                faults:
                    "`benchLink and fieldTrace cannot be given together`, `lane NAME has this fieldTrace`"),
            "requestVersion": .value(
                "the version of the request. `auto` sends 1.1 if the wallet announced extended requests and the order asks for something that needs them. If a phone answers 1.1 with status 11, the lane's next presentation, and only that one, sends 1.0",
                as: .word(), at: \.settings.requestVersion),
            "readerCommands": .value(
                "commands to the reader itself while the lane waits for a phone, if its model and its driver support them: [hardware.md](hardware.md#commands-to-the-reader-itself)",
                as: .set(upTo: 8, of: .word()), at: \.readerCommands),
            "benchLink": .optional(
                "a software wallet in place of reader and adapter, for trials. `HOST` is an address of this computer: 127.0.0.0/8, `localhost` or `::1`, without brackets",
                as: LaneForms.benchLink, at: \.benchLink,
                faults:
                    "`must be a numeric address of this computer: the bench link is for tests`; `lane NAME has this bench link` (at `lanes[N]`); `benchLink and MEMBER cannot be given together` (at `lanes[N]`) beside `reader`, `adapter`, `transport`, `bleMode`, `l2cap`, `nfcV2`, `readerCommands` or `fieldTrace`"
            ),
            "policy": .optional(
                "a stricter policy for all orders at this lane", as: .revocation, at: \.settings.policy,
                without: "none: the policy of the purpose"),
            "presets": .value(
                "the names of the presets of this lane, in the order of the buttons",
                as: LaneForms.namesOfPresets, at: \.presets, without: "all of `presets`",
                faults: "`\(LaneForms.notAPreset)`"),
            "standing": .optional(
                "what the lane asks each next phone by itself: the name of a preset, or an intent. A presentation by an intent has a receipt. See [without a till](getting-started-kiosk.md#8-without-a-till)",
                as: LaneForms.standing, at: \.standing, without: "none: the lane waits for orders",
                faults: "what is wrong with the intent"),
            "waitSeconds": .value(
                "how long the lane waits for a phone", as: .seconds(1...3600),
                at: \.settings.deadlines.engagement),
            "consentSeconds": .value(
                "how long the holder may take to read the request and decide", as: .seconds(10...3600),
                at: \.settings.deadlines.consent),
            "armedSeconds": .value(
                "with `nfcV2`: how long the lane waits for the [second tap](second-edition.md#two-taps) of a phone that left with the request",
                as: .seconds(10...3600), at: \.settings.deadlines.armed),
            "brand": .optional(
                "the shop's name, logo and colours on this lane's pages, also while the lane is idle. They need no reader token",
                as: LaneForms.brand, at: \.page.brand),
            "page": .object("settings of this lane's pages", as: LanePage.table, at: \.page),
        ],
        rules: [
            .init { object, lane throws(JSONFault) in
                // A lane that names no presets has all presets of the file.
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
            "how the reader is drawn: `square`: a square pad; `upright`: a pad that is longer than wide; `builtIn`: a reader that is set into the counter",
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
            "the shop's own texts in each language: `{\"en\": {\"customer.idle.text\": \"Please wait at the till.\"}}`. The keys are `customer.idle.head`, and the keys of `strings.json` from `customer.` to `.text` except those of `connecting` and `test`. The names of outcomes cannot be changed",
            as: LaneForms.pageTexts, at: \.texts),
        "notice": .optional(
            "the privacy notice of the customer's page", as: LaneForms.notice, at: \.notice,
            without: "made from the brand and the order"),
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
            "position of the antenna, from the top edge. The page draws both positions between 15 and 85",
            as: .whole(0...100, unit: "percent")),
        .required(
            "place", "where the reader is, as seen from the screen",
            as: .word(of: LanePage.Antenna.Place.self)),
        as: LanePage.Antenna.init(x:y:place:))

    static let notice = ConfigurationForm<LanePage.Notice>.made(
        of: .required("controller", "who is responsible for the data", as: .text(upTo: 300)),
        .required("purpose", "what the data is used for", as: .text(upTo: 600)),
        .required("kept", "what is kept, and for how long", as: .text(upTo: 600)),
        .required("contact", "whom to ask about the data", as: .text(upTo: 300)),
        as: LanePage.Notice.init(controller:purpose:kept:contact:))

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
                "`it does not exist, or cannot be read`, or why the file is not such a PNG (at the start and with `--check`)"
        ),
        .optional(
            "colours",
            "colours of the header and, while the lane is idle, of the customer's whole screen. Results keep the pages' own colours",
            as: LaneForms.colours, without: "the pages' own",
            faults:
                "`ground and words have a contrast of N:1, and 4.50:1 is the least that can be read`"),
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
        of: .required(
            "name", "the text of the button. Two presets cannot have the same name", as: .text(upTo: 64),
            faults: "`another preset has this name` (at `presets[N]`)"),
        .required(
            "intent", "what is asked: an intent, as in an order", as: .text(upTo: 4096),
            faults: "what is wrong with the intent"),
        .value(
            "validation",
            "who decides the outcome, as in an order. With `confirm` a person decides. If a portrait is asked for, a person decides in any case",
            as: .word(of: PresentationOrder.Validation.self), standard: .check),
        .value(
            "retention", "whether a receipt is kept",
            as: .words([("none", RetentionProfile.none), ("receipt", .receipt)], requirement: noData),
            standard: .receipt, faults: "`\(noData)`"),
        .optional("policy", "a stricter policy", as: .revocation, without: "none: the policy of the purpose"),
        by: { text, name, intent, validation, retention, policy throws(JSONFault) in
            // A fault of the intent is reported at the intent, not at the whole preset.
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
            // Lanes are read after the presets, and look up the names of presets in `reading`.
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
    fileprivate static let notAPreset = "must be the name of a preset in presets, and each only once"

    /// The form of a standing order: the name of a preset, or the words of an intent.
    fileprivate static let standing = ConfigurationForm<String>.text(upTo: 4096).map {
        words, text, reading throws(JSONFault) in
        if let preset = reading.presets.first(where: { $0.name == words }) { return preset }
        return try mapping(Preset(name: "standing", intent: words)) { (error: PresetFault) in
            text.wrong(error.description)
        }
    }
}
