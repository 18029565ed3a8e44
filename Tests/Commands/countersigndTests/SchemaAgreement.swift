import Foundation
import countersignd

/// Whether the parser of the file and a JSON Schema agree: the parser is given a file for each member, and files beside
/// what the schema allows.
struct SchemaAgreement {
    typealias Object = [String: Any]

    /// Members without which some others cannot be given, in the same object.
    private static var companions: [String: Object] {
        [
            "/http/host": ["tls": ["certificate": "/c", "key": "/k"]],
            "/online/nonces/connection": ["store": "postgresql"],
            "/readerTokens/grants": ["keys": [Object]()],
            "/presets/kind": ["brand": "utopia", "then": ["intent": "identity: name"]],
            "/presets/then": ["brand": "utopia", "kind": "data"],
            "/presets/brand": ["kind": "data"],
            "/accessories/engagements": ["out": contact], "/accessories/methods": ["out": contact],
            "/accessories/validSeconds": ["out": contact], "/accessories/required": ["out": contact],
            "/accessories/trial": ["out": contact],
            "/accessories/out/relay/modbus/port": ["host": "relay.example"],
            "/accessories/out/relay/modbus/unit": ["host": "relay.example"],
            "/accessories/out/osdp/allow/facility": ["bits": 34],
        ]
    }
    private static var contact: Object { ["relay": ["gpio": ["chip": "/dev/gpiochip0", "line": 1]]] }

    /// Members that an object needs although its schema does not require them.
    private static var completions: [String: Object] { ["/accessories": ["lane": "base"]] }

    /// What files are made with: a lane, the token that grants name, and the fleet whose hub makes tokens.
    private static func file(_ members: Object) -> Object {
        var file: Object = ["lanes": [["name": "base", "reader": "base", "transport": "nfc"]]]
        if let lanes = members["lanes"] as? [Object], lanes.contains(where: { $0["presets"] != nil }) {
            file["presets"] = [
                ["name": "one", "intent": "age over 18"], ["name": "two", "intent": "age over 21"],
            ]
        }
        if let presets = members["presets"] as? [Object], presets.contains(where: { $0["brand"] != nil }) {
            file["readerTokens"] = [
                "keys": [["brand": "utopia", "kid": "k1", "keyFile": "/k"]], "grants": [Object](),
            ]
        }
        if members["readerTokens"] != nil {
            file["tokens"] = [
                ["name": "till", "sha256": String(repeating: "a", count: 64), "scopes": ["readerTokens"]]
            ]
        }
        if let tokens = members["readerTokens"] as? Object, tokens["from"] != nil {
            file["fleet"] = [
                "chain": "utopia", "kiosk": "till-1", "hubs": ["https://hub.example"], "authority": "/a",
                "keys": ["/k"],
            ]
        }
        guard let accessories = members["accessories"] as? [Object], !accessories.isEmpty else {
            return file.merging(members) { $1 }
        }
        file["lanes"] = ["base", "other"].map { name in
            ["name": name, "reader": name, "transport": "nfc", "standing": "age over 18"]
        }
        return file.merging(members) { $1 }.merging(["accessories": accessories.map(withLane)]) { $1 }
    }

    /// An accessory at its lane; a broker has none.
    private static func withLane(_ accessory: Object) -> Object {
        guard (accessory["out"] as? Object)?["mqtt"] != nil else { return accessory }
        return accessory.filter { $0.key != "lane" }
    }
    /// Samples of members that only other values allow.
    private static var samples: [String: [Any]] {
        [
            "/readerTokens/grants/caller": ["till"],
            "/online/nonces/store": ["sqlite", "memory"],
            "/readerTokens/grants": [[Object]()],
            "/readerTokens": [
                ["keys": [["brand": "utopia", "kid": "k1", "keyFile": "/k"]], "grants": [Object]()]
            ],
            "/online/merchants": [],
            "/presets/intent": ["age over 18", "age over 21"],
            "/presets/then": [["intent": "identity: name"]],
            "/presets/then/intent": ["identity: name", "identity: document number"],
            "/presets/brand": ["utopia"],
            "/presets": [[["name": "one", "intent": "age over 18"]]],
            "/lanes/presets": [["one"], ["two"]],
            "/lanes/standing": ["age over 18", "age over 21"],
            "/$schema": ["/usr/share/countersign/countersignd.schema.json"],
            "/lanes": [], "/socket": [], "/http": [], "/keys": ["/srv/example"],
            "/accessories": [
                [["name": "lock", "lane": "base", "out": contact] as Object], [Object](),
            ],
            "/accessories/lane": ["base", "other"],
        ]
    }
    /// Members that change nothing: one is for editors alone, and one has a single word.
    private static let silent: Set = ["/$schema", "/accessories/methods"]

    private var disagreements: [String] = []

    /// What the parser does otherwise than `schema` says; empty where both agree.
    static func disagreements(of schema: Object) -> [String] {
        var agreement = Self()
        agreement.compare(schema, at: "") { $0 }
        return agreement.disagreements
    }

    /// - Parameter file: the members of the file that contain this object.
    private mutating func compare(_ schema: Object, at pointer: String, in file: (Object) -> Object) {
        guard let members = schema["properties"] as? [String: Object] else { return }
        let required = schema["required"] as? [String] ?? []
        var least: Object = [:]
        for name in required { least[name] = Self.sample(members[name] ?? [:], at: "\(pointer)/\(name)") }
        if pointer == "/online" { least["web"] = Self.sample(members["web"] ?? [:], at: "/online/web") }
        least.merge(Self.completions[pointer] ?? [:]) { $1 }
        let choices = Self.choices(schema)
        if let first = choices.first {
            least[first] = Self.sample(members[first] ?? [:], at: "\(pointer)/\(first)")
        }
        if case .some = Self.parse(file(least.merging(["notAMember": 1]) { $1 })) {
            disagreements.append("\(pointer): a member that is not known is taken")
        }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            let place = "\(pointer)/\(name)"
            let companions = Self.companions[place] ?? [:]
            // Of the members that exclude each other only the one that `name` needs.
            let chosen =
                choices.contains(name) ? name : choices.first { companions[$0] != nil } ?? choices.first
            let others = least.filter { !choices.contains($0.key) || $0.key == chosen }
                .merging(companions) { $1 }
            compareMember(name, member, required.contains(name), at: place, others) { file($0) }
            // The members below.
            for choice in [member] + (member["anyOf"] as? [Object] ?? []) {
                compare(choice, at: place) { file(others.merging([name: $0]) { $1 }) }
                if let items = choice["items"] as? Object {
                    compare(items, at: place) { file(others.merging([name: [$0]]) { $1 }) }
                }
            }
        }
    }

    /// The members of which an object has exactly one.
    private static func choices(_ schema: Object) -> [String] {
        (schema["oneOf"] as? [Object] ?? []).compactMap { ($0["required"] as? [String])?.first }
    }

    private mutating func compareMember(
        _ name: String, _ schema: Object, _ isRequired: Bool, at place: String, _ others: Object,
        in file: (Object) -> Object
    ) {
        func with(_ value: Any) -> DaemonConfiguration? {
            Self.parse(file(others.merging([name: value]) { $1 }))
        }
        let without = Self.parse(file(others.filter { $0.key != name }))
        if isRequired, without != nil { disagreements.append("\(place): is not required") }
        let samples = Self.samples[place] ?? Self.samples(schema, at: place)
        let parsed = samples.map { (value: $0, configuration: with($0)) }
        for (value, configuration) in parsed where configuration == nil {
            disagreements.append("\(place): \(value) is refused")
        }
        let outcomes = parsed.compactMap(\.configuration) + (isRequired ? [] : [without].compactMap { $0 })
        if outcomes.count > 1, !Self.silent.contains(place), !samples.allSatisfy(Self.isEmptyObject),
            outcomes.allSatisfy({ $0 == outcomes[0] })
        {
            disagreements.append("\(place): changes nothing")
        }
        if let standard = schema["default"], with(standard) != without {
            disagreements.append("\(place): \(standard) is not the default")
        }
        for value in Self.excluded(schema) where with(value) != nil {
            disagreements.append("\(place): \(value) is taken")
        }
        for choice in [schema] + (schema["anyOf"] as? [Object] ?? []) {
            if let list = choice["maxItems"] as? Int, let items = choice["items"] as? Object {
                let one = Self.sample(items, at: place)
                if with(Array(repeating: one, count: list + 1)) != nil {
                    disagreements.append("\(place): more than \(list) values are taken")
                }
            }
        }
    }

    private static func parse(_ members: Object) -> DaemonConfiguration? {
        guard let bytes = try? JSONSerialization.data(withJSONObject: file(members)) else { return nil }
        return try? DaemonConfiguration([UInt8](bytes), environment: [:])
    }

    private static func sample(_ schema: Object, at place: String) -> Any {
        (samples[place] ?? samples(schema, at: place)).first ?? NSNull()
    }

    /// Values that the schema allows, at its edges.
    private static func samples(_ schema: Object, at place: String) -> [Any] {
        if let choices = schema["anyOf"] as? [Object] { return choices.flatMap { samples($0, at: place) } }
        if let words = schema["enum"] as? [Any] { return words }
        switch schema["type"] as? String {
        case "boolean": return [true, false]
        case "integer": return [schema["minimum"], schema["maximum"]].compactMap { $0 }
        case "string":
            if let examples = schema["examples"] as? [Any] { return examples }
            return ["x", String(repeating: "x", count: schema["maxLength"] as? Int ?? 1)]
        case "array":
            let items = schema["items"] as? Object ?? [:]
            return samples(items, at: place).map { [$0] } + (schema["minItems"] == nil ? [[Any]()] : [])
        case "object":
            if schema["properties"] == nil { return named(schema, at: place) }
            var object: Object = [:]
            let members = schema["properties"] as? [String: Object] ?? [:]
            for name in schema["required"] as? [String] ?? [] {
                object[name] = sample(members[name] ?? [:], at: "\(place)/\(name)")
            }
            if place == "/online" { object["web"] = sample(members["web"] ?? [:], at: "/online/web") }
            let choices = choices(schema)
            guard choices.isEmpty else {
                return choices.map { name in
                    object.merging([name: sample(members[name] ?? [:], at: "\(place)/\(name)")]) { $1 }
                }
            }
            return [object]
        case "null": return [NSNull()]
        default: return []
        }
    }

    /// Objects whose author chooses the names.
    private static func named(_ schema: Object, at place: String) -> [Any] {
        let value = sample(schema["additionalProperties"] as? Object ?? [:], at: place)
        let names = (schema["propertyNames"] as? Object)?["examples"] as? [String] ?? []
        return names.map { [$0: value] }
    }

    /// Values just beside what the schema allows.
    private static func excluded(_ schema: Object) -> [Any] {
        if schema["anyOf"] != nil { return [1.5, true] }
        if schema["enum"] != nil { return ["x", 1] }
        switch schema["type"] as? String {
        case "boolean": return ["true", 1.5]
        case "integer":
            return [
                (schema["minimum"] as? Int).map { $0 - 1 }, (schema["maximum"] as? Int).map { $0 + 1 }, 1.5,
            ]
            .compactMap { $0 }
        case "string":
            let longest = schema["maxLength"] as? Int ?? 1
            return ["", 1, String(repeating: "x", count: longest + 1)]
        case "array": return [1, ["x": 1]] + (schema["minItems"] == nil ? [] : [[Any]()])
        case "object": return [1, [1]]
        default: return []
        }
    }

    /// An object whose members all have defaults: it changes nothing by itself.
    private static func isEmptyObject(_ value: Any) -> Bool { (value as? Object)?.isEmpty ?? false }
}
