internal import Accessories
internal import DaemonClient
internal import JSON

/// An event of `GET /v1/accessories/events`.
enum AccessoryEvent: Equatable, Sendable {
    /// The accessories of this computer's lanes. An accessory that this version cannot read is left out, and its fault is
    /// in `faults`.
    case accessories([Accessory], faults: [String])
    /// The lanes of the daemon with their presets.
    case lanes([LaneDescription])
    case lane(LaneNews)
    case output(DueOutput)
    /// The operator tries an accessory.
    case attempt(AccessoryTry)

    /// Reads an event. `nil` for an event with an unknown name: a later version of the daemon may send more.
    ///
    /// - Throws: `JSONFault` if the data has another form.
    init?(_ event: DaemonEvent) throws(JSONFault) {
        let text = try JSONText(event.data[...], limit: 1 << 20)
        switch event.name {
        case "accessories": self = try Self.accessories(in: text)
        case "lanes": self = .lanes(try Self.lanes(in: text))
        case "lane":
            let members = try text.members()
            self = .lane(
                LaneNews(
                    lane: try members.required("lane").string(upTo: 64),
                    state: try members.required("state").string(upTo: 64),
                    takesCode: try members.required("takesCode").boolean(),
                    isPaused: try members.required("paused").boolean(),
                    hasProblem: try members.required("problem").boolean()))
        case "output": self = .output(try DueOutput(text))
        case "try": self = .attempt(try AccessoryTry(text))
        default: return nil
        }
    }

    private static func accessories(in text: JSONText) throws(JSONFault) -> AccessoryEvent {
        let (accessories, faults) = try AccessoryForms.readEach(text.members().required("accessories"))
        return .accessories(accessories, faults: faults.map { "\($0.pointer): \($0.requirement)" })
    }

    private static func lanes(in text: JSONText) throws(JSONFault) -> [LaneDescription] {
        try text.members().required("lanes").array(upTo: 64).map { lane throws(JSONFault) in
            let members = try lane.members()
            return LaneDescription(
                name: try members.required("name").string(upTo: 64),
                presets: try members.required("presets").array().map { name throws(JSONFault) in
                    try name.string(upTo: 64)
                })
        }
    }
}

extension AccessoryTry {
    /// Reads the data of the event `try`.
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        let action: TryAction = try members.required("action").word()
        self.init(
            number: try members.required("try").integer(in: 1...(1 << 53) - 1),
            accessory: try members.required("accessory").string(upTo: 64),
            lane: try members.required("lane").string(upTo: 64), action: action)
    }
}

extension DueOutput {
    /// Reads the data of the event `output`.
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        let outcome: AccessoryOutcome = try members.required("outcome").word()
        let test = try members.required("test")
        let age = try members.required("age")
        self.init(
            number: try members.required("output").integer(in: 1...(1 << 53) - 1),
            accessory: try members.required("accessory").string(upTo: 64),
            lane: try members.required("lane").string(upTo: 64),
            presentation: try members.required("presentation").string(upTo: 64), outcome: outcome,
            // An `allow` without a judged document does not exist. If one is announced, it is not trusted.
            isTest: test.isNull ? outcome == .allow : try test.boolean(),
            age: age.isNull ? nil : Int(try age.integer(in: 0...150)),
            code: try members.required("code").string(upTo: 16))
    }
}
