internal import ConfigurationForms
internal import ErrorMapping
internal import JSON

extension AccessoryForms {
    /// The form of an output.
    static let output = ConfigurationForm<Output?>.object(
        nil,
        ConfigurationTable<Output?>(
            [
                "keys": .optional(
                    "types keys on this computer, as a keyboard would. Whatever has the focus receives the keys",
                    as: keys, at: \.self,
                    faults: "`accessory NAME \(Accessory.secondKeys)` (at `accessories[N]`)"),
                "line": .optional(
                    "sends text over a serial line, as a scanner would. Connect the line to the scanner port of a till",
                    as: line, at: \.self),
                "relay": .optional(
                    "closes a contact for a moment: a lock, a turnstile, a lamp or a tone. Wire a lock so that it stays shut without power",
                    as: relay, at: \.self),
                "osdp": .optional(
                    "a reader at a door controller (OSDP, IEC 60839-11-5). The controller receives one card number for every `allow`",
                    as: osdp, at: \.self),
                "mqtt": .optional(
                    "publishes the state and the outcomes of all lanes to an MQTT broker, for example for Home Assistant. It publishes nothing about a person",
                    as: mqtt, at: \.self),
            ], oneOf: ["keys", "line", "relay", "osdp", "mqtt"]))

    private static let keys = ConfigurationForm<KeysOutput>.object(KeysOutput(), KeysOutput.table).map {
        keys, _, _ in
        Output(.keys(keys), on: Set(keys.templates.keys))
    }

    private static let line = ConfigurationForm<LineOutput>.object(LineOutput(), LineOutput.table).map {
        line, _, _ in
        Output(.line(line), on: Set(line.templates.keys))
    }

    private static let osdp = ConfigurationForm<OSDPOutput>.object(OSDPOutput(), OSDPOutput.table).map {
        osdp, _, _ in
        Output(.osdp(osdp), on: [.allow])
    }

    private static let mqtt = ConfigurationForm<MQTTOutput>.object(MQTTOutput(), MQTTOutput.table).map {
        mqtt, _, _ in
        Output(.mqtt(mqtt), on: Set(AccessoryOutcome.allCases))
    }

    /// The maximum length of a template in bytes.
    private static let longestTemplate = 256

    /// The form of the templates of an output, by outcome.
    fileprivate static let templates = ConfigurationForm<[AccessoryOutcome: OutputTemplate]>.named(
        upTo: AccessoryOutcome.allCases.count, by: TextFormat.outcome,
        ConfigurationForm<String>.text(upTo: longestTemplate).map { words, text, _ throws(JSONFault) in
            try mapping(OutputTemplate(parsing: words)) { (error: OutputTemplateFault) in
                text.wrong(error.explanation)
            }
        }
    ).map { templates, text, _ throws(JSONFault) in
        guard !templates.isEmpty else { throw text.wrong(withoutTemplate) }
        return templates
    }

    fileprivate static let withoutTemplate = "must contain at least one template"

    fileprivate static let templateFaults =
        "`\(withoutTemplate)`; what is wrong with the template (at `templates.OUTCOME`)"

    /// The text of the member `templates`, which is also the list of all that a template may contain.
    fileprivate static let templateText =
        "what is typed for each outcome. Besides literal characters a template has keys (`{tab}`, `{enter}`, `{f1}` to `{f24}`), pauses (`{wait:200}`, in milliseconds) and these values: `{outcome}`, `{age}` for the age that was asked, `{lane}`, `{code}` for six digits that belong to the presentation, and `{standIn:MMDDYYYY}` for the date `standIn`. No value of a document can be typed. Nothing is typed for an outcome without a template"

    fileprivate static let standInText =
        "your own fixed date for `{standIn:…}`, for tills that ask for a date of birth. It is never the customer's"

    /// Checks that every template can be typed with the other members of its object.
    ///
    /// - Parameter fault: returns the fault of a template.
    fileprivate static func check(
        _ templates: [AccessoryOutcome: OutputTemplate], in object: ConfigurationObject,
        fault: (OutputTemplate) -> OutputTemplateFault?
    ) throws(JSONFault) {
        for outcome in AccessoryOutcome.allCases {
            guard let template = templates[outcome], let fault = fault(template) else { continue }
            throw try object.member("templates", outcome.rawValue).wrong(fault.explanation)
        }
    }
}

extension Output {
    /// Creates an output for these outcomes. The members beside `out` in the file complete its rule.
    init(_ device: OutputDevice, on outcomes: Set<AccessoryOutcome>) {
        var rule = OutputRule()
        rule.outcomes = outcomes
        self.init(device: device, rule: rule)
    }
}

extension KeysOutput {
    fileprivate static let table = ConfigurationTable<Self>(
        [
            "layout": .optional(
                "the keyboard layout of this computer. It is needed for every template with other characters than `b c d e f g h i j k l n o p r s t u v x`",
                as: .word(of: KeyboardLayout.self), at: \.layout,
                without: "only keys that are alike on all layouts"),
            "standIn": .optional(
                AccessoryForms.standInText, as: .text(upTo: 10, TextFormat.standInDate), at: \.standIn),
            "templates": .required(
                AccessoryForms.templateText, as: AccessoryForms.templates, at: \.templates,
                faults: AccessoryForms.templateFaults),
        ],
        rules: [
            .init(of: "layout", "standIn", "templates") { object, keys throws(JSONFault) in
                let (layout, standIn) = (keys.layout, keys.standIn)
                try AccessoryForms.check(keys.templates, in: object) {
                    $0.fault(typedWith: layout, standIn: standIn, asKeys: true)
                }
            }
        ])
}

extension LineOutput {
    fileprivate static let table = ConfigurationTable<Self>(
        [
            "device": .required(
                "the device, preferably below `/dev/serial/by-id`", as: .path, at: \.device,
                faults: AccessoryForms.sameDevice),
            "speed": .value("the speed in bits per second", as: AccessoryForms.speed, at: \.speed),
            "standIn": .optional(
                AccessoryForms.standInText, as: .text(upTo: 10, TextFormat.standInDate), at: \.standIn),
            "templates": .required(
                "what is sent for each outcome, as in `keys`. A serial line has no function keys",
                as: AccessoryForms.templates, at: \.templates, faults: AccessoryForms.templateFaults),
        ],
        rules: [
            .init(of: "standIn", "templates") { object, line throws(JSONFault) in
                let standIn = line.standIn
                try AccessoryForms.check(line.templates, in: object) {
                    $0.fault(typedWith: nil, standIn: standIn, asKeys: false)
                }
            }
        ])
}

extension OSDPOutput {
    fileprivate static let table = ConfigurationTable<Self>([
        "device": .required(
            "the device of the RS-485 line, preferably below `/dev/serial/by-id`", as: .path, at: \.device,
            faults: AccessoryForms.sameDevice),
        "speed": .value(
            "the speed in bits per second, as set at the controller",
            as: .whole(oneOf: [9600, 19_200, 38_400, 57_600, 115_200, 230_400]), at: \.speed),
        "address": .value(
            "the address at the controller's line", as: .whole(0...126), at: \.address),
        "keyFile": .required(
            "file with the key of the secure channel, 32 hexadecimal digits, mode 0640, of the group `countersign-accessories`. The key for installing that every device knows is refused",
            as: .path, at: \.keyFile),
        "allow": .required(
            "the card number that the controller receives for `allow`. The controller decides what this card opens",
            as: card, at: \.card),
    ])

    /// The largest numbers of a card with 26 bits (H10301). With 34 bits (H10306) both numbers have 16 bits.
    private static let largestFacility26 = 255

    private static let card = ConfigurationForm<OSDPCard>.made(
        of: .value(
            "bits", "the length of the number in bits: 26 (H10301) or 34 (H10306)",
            as: .whole(oneOf: [26, 34]), standard: 26),
        .required(
            "facility", "the facility code. With 26 bits at most \(largestFacility26)",
            as: .whole(0...65_535), faults: "`\(tooLarge)`"),
        .required("card", "the card number", as: .whole(0...65_535)),
        by: { (text: JSONText, bits: Int, facility: Int, number: Int) throws(JSONFault) in
            guard bits > 26 || facility <= largestFacility26 else {
                throw try text.members().required("facility").wrong(tooLarge)
            }
            return OSDPCard(bits: bits, facility: facility, number: number)
        })

    private static let tooLarge = "must be at most \(largestFacility26) with 26 bits"
}

extension MQTTOutput {
    fileprivate static let table = ConfigurationTable<Self>(
        [
            "broker": .required(
                "the address of the broker. With `mqtt://` nothing is encrypted, not even the password. Without a port it is 1883, or 8883 with `mqtts://`",
                as: .text(upTo: 300, TextFormat.broker), at: \.broker,
                faults: "`accessory NAME \(Accessory.sameBroker)` (at `accessories[N]`)"),
            "authority": .optional(
                "PEM file with the roots of the broker's certificate", as: .path, at: \.authority,
                without: "the roots that this computer trusts", faults: "`\(onlyWithTLS)`"),
            "userFile": .optional(
                "file with the user's name and the password, a line each, mode 0640, of the group `countersign-accessories`",
                as: .path,
                at: \.userFile, without: "none: the broker needs no password"),
            "base": .value(
                "the first level of the topics: `countersign/LANE/event`",
                as: .text(upTo: 64, TextFormat.laneName).map(json: JSONValue.string) { base, _, _ in base },
                at: \.base),
            "discovery": .optional(
                "the prefix of Home Assistant's discovery topics, normally `homeassistant`",
                as: .text(upTo: 64, TextFormat.topic), at: \.discovery,
                without: "none: nothing is published for discovery"),
            "buttons": .value(
                "whether whoever may publish at the broker can start the presets of the lanes. The broker's access list then decides who this is",
                as: .boolean, at: \.hasButtons),
        ],
        rules: [
            .init(of: "broker", "authority") { object, mqtt throws(JSONFault) in
                guard mqtt.authority != nil, !mqtt.isSecure else { return }
                throw try object.member("authority").wrong(onlyWithTLS)
            }
        ])

    private static let onlyWithTLS = "is allowed only with a broker at mqtts://"

    /// The address of the broker, which is one member of the file.
    private var broker: MQTTBroker {
        get { MQTTBroker(host: host, port: port, isSecure: isSecure) }
        set { (host, port, isSecure) = (newValue.host, newValue.port, newValue.isSecure) }
    }
}
