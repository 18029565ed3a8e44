package import ConfigurationForms
package import JSON

/// The form of an accessory in the configuration file.
///
/// `countersignd` reads the list `accessories` of its file with the form `accessories`. `countersign-accessories` reads
/// the objects that the daemon sends with `readEach`. Both use the form `accessory`, so that both programs find the same
/// values and the same faults.
package enum AccessoryForms {
    /// The maximum number of accessories of a computer.
    package static let most = 64

    /// The form of one accessory.
    package static let accessory: ConfigurationForm<Accessory> = ConfigurationForm<AccessoryMembers>.object(
        AccessoryMembers(), AccessoryMembers.table
    ).map { members, text, _ throws(JSONFault) in
        Accessory(
            name: members.name, lane: members.lane, role: try members.role(of: text),
            isTrial: members.isTrial, source: text.value)
    }

    /// The form of the list of all accessories of a computer.
    package static let accessories = ConfigurationForm<[Accessory]>.list(
        upTo: most, of: accessory, conflict: { accessory, others in accessory.conflict(with: others) })

    /// Reads a whole list, such as that of the configuration file.
    ///
    /// - Throws: all faults of the list. A list with a fault is not used.
    package static func read(_ list: JSONText) throws(ConfigurationFaults) -> [Accessory] {
        var reading = ConfigurationReading()
        let read = accessories.read(list, &reading)
        guard reading.faults.isEmpty, let read else { throw ConfigurationFaults(faults: reading.faults) }
        return read
    }

    /// Reads the accessories that the daemon sends. An accessory that this version cannot read is left out, so that a
    /// daemon of another version does not stop the others.
    ///
    /// - Returns: the accessories in their order, and the faults of those that are left out.
    /// - Throws: `JSONFault` if the text is no list, or has more than `most` values.
    package static func readEach(
        _ list: JSONText
    ) throws(JSONFault) -> (accessories: [Accessory], faults: [JSONFault]) {
        var (accessories, faults): ([Accessory], [JSONFault]) = ([], [])
        for object in try list.array(upTo: most) {
            var reading = ConfigurationReading()
            if let accessory = Self.accessory.read(object, &reading), reading.faults.isEmpty {
                accessories.append(accessory)
            } else {
                faults += reading.faults
            }
        }
        return (accessories, faults)
    }
}

/// The members of an accessory in the file, before an `Accessory` is made from them.
struct AccessoryMembers: Sendable {
    var name = ""
    var lane: String?
    var scanner: Scanner?
    /// The output. The members of its rule besides the outcomes are in `rule`.
    var output: Output?
    var rule = OutputRule()
    var isRequired = false
    var isTrial = false

    /// Returns the role, with the members that stand beside `out` in the file.
    fileprivate func role(of text: JSONText) throws(JSONFault) -> Accessory.Role {
        if let scanner { return .scanner(scanner) }
        // The table has refused an object with neither `in` nor `out` already.
        guard var output else { throw text.missing("out") }
        output.rule.engagements = rule.engagements
        output.rule.methods = rule.methods
        output.rule.valid = rule.valid
        output.isRequired = isRequired
        return .output(output)
    }

    /// Whether the accessory is a broker, which belongs to no lane.
    fileprivate var isBroker: Bool { if case .mqtt = output?.device { true } else { false } }
}

extension AccessoryMembers {
    fileprivate static let table = ConfigurationTable<Self>(
        [
            "name": .required(
                "the accessory's name in receipts, on pages and in metrics",
                as: .text(upTo: 32, TextFormat.laneName), at: \.name,
                faults: "`another accessory has this name` (at `accessories[N]`)"),
            "lane": .optional(
                "the lane at which the accessory is. A lane has at most \(Accessory.mostAtLane) accessories",
                as: .text(upTo: 64, TextFormat.laneName), at: \.lane,
                without: "**required**, except with `mqtt`: a broker serves all lanes",
                faults:
                    "`\(AccessoryTexts.notALane)`; `\(AccessoryTexts.withoutLane)`; `lane NAME has \(Accessory.mostAtLane) accessories already` (at `accessories[N]`)"
            ),
            "in": .value(
                "a scanner that reads the code on a phone's screen", as: AccessoryForms.scanner,
                at: \.scanner, without: "none: the accessory is an output"),
            "out": .value(
                "an output that acts on the outcome of a presentation", as: AccessoryForms.output,
                at: \.output, without: "none: the accessory is a scanner"),
            "engagements": .value(
                "how the phone has to be met if the output is to act on `allow`: `nfc` for a tap at the reader, `qr` for a code on the phone's screen. A photograph of the code works as far as Bluetooth does, 10 m or more",
                as: AccessoryForms.words(empty: "must contain at least one engagement"),
                at: \.rule.engagements, faults: "`\(AccessoryTexts.onlyOutputs)`"),
            "methods": .value(
                "how the outcome has to be found if the output is to act on `allow`. `machine-validation` is the verification of the phone's document",
                as: AccessoryForms.words(empty: "must contain at least one method"), at: \.rule.methods,
                faults: "`\(AccessoryTexts.onlyOutputs)`"),
            "validSeconds": .value(
                "how long after the outcome the output may act. An output that is late does not act at all",
                as: .seconds(1...60), at: \.rule.valid, faults: "`\(AccessoryTexts.onlyOutputs)`"),
            "required": .value(
                "whether the standing order of the lane is paused while the output is not ready",
                as: .boolean, at: \.isRequired,
                faults:
                    "`\(AccessoryTexts.onlyOutputs)`; `\(AccessoryTexts.withoutStanding)`; `\(AccessoryTexts.notForBroker)`"
            ),
            "trial": .value(
                "for trials only: whether the output acts on test documents too. It has no effect without `acceptTestDocuments`. Pages and metrics report the state `trial`",
                as: .boolean, at: \.isTrial, faults: "`\(AccessoryTexts.onlyOutputs)`"),
        ],
        oneOf: ["in", "out"],
        rules: ["engagements", "methods", "validSeconds", "required", "trial"].map(onlyOutputs) + [
            .init(of: "lane", "in", "out") { object, members throws(JSONFault) in
                switch (object.members["lane"], members.isBroker) {
                case (nil, false): throw object.text.missing("lane")
                case (let lane?, true): throw lane.wrong(AccessoryTexts.withoutLane)
                default: break
                }
            },
            .init(of: "out", "required") { object, members throws(JSONFault) in
                guard members.isBroker, members.isRequired else { return }
                throw try object.member("required").wrong(AccessoryTexts.notForBroker)
            },
        ])

    /// Returns the rule that a scanner does not have the member `name`.
    private static func onlyOutputs(_ name: String) -> ConfigurationTable<Self>.Rule {
        .init(of: name) { object, _ throws(JSONFault) in
            guard let member = object.members[name], object.members["out"] == nil else { return }
            throw member.wrong(AccessoryTexts.onlyOutputs)
        }
    }
}

/// The texts of faults of an accessory that the reference repeats.
package enum AccessoryTexts {
    /// The fault of a lane that the file does not have.
    package static let notALane = "must be the name of a lane in lanes"
    /// The fault of a required output at a lane that does nothing without an order.
    package static let withoutStanding =
        "has no effect without a standing order: give the lane the member standing"
    static let withoutLane = "is not allowed with mqtt: a broker serves all lanes"
    static let onlyOutputs = "is allowed only with \"out\""
    static let notForBroker = "cannot be true with mqtt: no lane is paused for a broker"
}

extension AccessoryForms {
    /// The speeds of serial lines that Linux has, in bits per second.
    static let speed = ConfigurationForm<Int>.whole(oneOf: [
        1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600,
    ])

    /// Returns the form of a list of words whose order does not matter.
    ///
    /// - Parameter empty: the fault of an empty list.
    static func words<Word>(empty: String) -> ConfigurationForm<Set<Word>>
    where Word: RawRepresentable & CaseIterable & Hashable & Sendable, Word.RawValue == String {
        ConfigurationForm<Set<Word>>.set(upTo: Word.allCases.count, of: .word(), empty: empty).map(
            json: { words in
                .array(Word.allCases.filter(words.contains).map { .string($0.rawValue) })
            }, { words, _, _ in words })
    }
}
