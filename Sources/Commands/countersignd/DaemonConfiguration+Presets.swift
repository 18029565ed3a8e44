internal import ErrorMapping
internal import JSON
internal import MdocTrust
internal import PresentationService
internal import ReaderAPI
internal import ReaderStore

extension JSONText {
    /// `[{"name": "Age 18", "intent": "age over 18 with portrait"}]`, each name once.
    func presets() throws(JSONFault) -> [Preset] {
        var presets: [Preset] = []
        for entry in try array(upTo: Preset.most) {
            let preset = try Preset(entry)
            guard !presets.contains(where: { $0.name == preset.name }) else {
                throw entry.wrong("another preset has this name")
            }
            presets.append(preset)
        }
        return presets
    }

    /// Those that a lane names, in its order.
    func presets(of known: [Preset]) throws(JSONFault) -> [Preset] {
        var presets: [Preset] = []
        for entry in try array(upTo: Preset.most) {
            let name = try entry.string(upTo: 64)
            guard let preset = known.first(where: { $0.name == name }), !presets.contains(preset) else {
                throw entry.wrong("must be the name of one of presets, once")
            }
            presets.append(preset)
        }
        return presets
    }
}

extension Preset {
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        let name = try members.required("name").string(upTo: 64)
        let words = try members.required("intent")
        let profile = try members["retention"].map { text throws(JSONFault) in
            guard let profile = RetentionProfile(try text.string(upTo: 32)) else {
                throw text.wrong("must be \"none\" or \"receipt\": a preset retains no data")
            }
            return profile
        }
        self = try Self.named(
            name, words, validation: try members["validation"]?.word() ?? .check,
            retention: profile ?? .receipt, policy: try members["policy"].map(RevocationPolicy.init))
    }

    /// The name of a preset, or the words of an intent.
    init(standing text: JSONText, _ known: [Preset]) throws(JSONFault) {
        let words = try text.string(upTo: 4096)
        if let preset = known.first(where: { $0.name == words }) {
            self = preset
        } else {
            self = try Self.named("standing", text)
        }
    }

    private static func named(
        _ name: String, _ words: JSONText, validation: PresentationOrder.Validation = .check,
        retention: RetentionProfile = .receipt, policy: RevocationPolicy? = nil
    ) throws(JSONFault) -> Preset {
        let intent = try words.string(upTo: 4096)
        return try mapping(
            Preset(name: name, intent: intent, validation: validation, retention: retention, policy: policy)
        ) { (error: PresetFault) in words.wrong(error.description) }
    }
}
