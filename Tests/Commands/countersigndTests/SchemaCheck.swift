import Foundation
import OtherPrograms

/// Checks values against the schemas of an OpenAPI document, as far as that document uses JSON Schema (2020-12).
struct SchemaCheck {
    private let document: [String: Any]

    init(_ daemon: ReaderDaemon) async throws {
        document = try await daemon.asNobody.call("GET", "/v1/openapi.json").json()
    }

    /// What is wrong with a reply to this operation; empty where nothing is.
    func faults(of reply: PlainHTTP.Reply, to method: String, _ path: String) -> [String] {
        let operation = ((document["paths"] as? [String: Any])?[path] as? [String: Any])?[method.lowercased()]
        guard let responses = (operation as? [String: Any])?["responses"] as? [String: Any],
            let stated = (responses["\(reply.status)"] ?? responses["default"]) as? [String: Any],
            let response = component(stated, of: "responses"),
            let content = response["content"] as? [String: Any]
        else { return ["\(method) \(path): \(reply.status) is not in the document"] }
        let type = reply.headers["content-type"]?.split(separator: ";").first.map(String.init) ?? ""
        guard let media = content[type] as? [String: Any] else {
            return ["\(path): \(type) is not in the document"]
        }
        guard ["application/json", "application/problem+json"].contains(type),
            let schema = media["schema"] as? [String: Any]
        else { return [] }
        guard let value = try? JSONSerialization.jsonObject(with: Data(reply.body)) else {
            return ["no JSON"]
        }
        return faults(value, schema, at: "$")
    }

    /// What is wrong with an event; empty where nothing is.
    func faults(of event: PlainHTTP.EventReader.Event) -> [String] {
        let names = component(["$ref": "EventName"], of: "schemas")?["enum"] as? [String] ?? []
        guard names.contains(event.kind) else { return ["no event \(event.kind)"] }
        let schemas = ["ended": "EndedEvent", "laneChanged": "LaneEvent", "orderRefused": "LaneEvent"]
        let schema = schemas[event.kind] ?? "PresentationEvent"
        return faults(event.json, ["$ref": "#/components/schemas/\(schema)"], at: event.kind)
    }

    /// What a reference refers to; a value that is not a reference is itself. Nil where there is nothing.
    private func component(_ value: [String: Any], of kind: String) -> [String: Any]? {
        guard let name = (value["$ref"] as? String)?.split(separator: "/").last else { return value }
        let components = document["components"] as? [String: [String: [String: Any]]]
        return components?[kind]?[String(name)]
    }

    private func faults(_ value: Any, _ schema: [String: Any], at place: String) -> [String] {
        if let name = schema["$ref"] {
            guard let target = component(schema, of: "schemas") else { return ["\(place): no \(name)"] }
            return faults(value, target, at: place)
        }
        if let choices = schema["oneOf"] as? [[String: Any]] {
            let fitting = choices.filter { faults(value, $0, at: place).isEmpty }.count
            return fitting == 1 ? [] : ["\(place): fits \(fitting) of \(choices.count)"]
        }
        var found: [String] = []
        let types = (schema["type"] as? [String]) ?? (schema["type"] as? String).map { [$0] } ?? []
        if !types.isEmpty, !types.contains(where: { Self.type($0, fits: value) }) {
            found.append("\(place): is no \(types)")
        }
        if let words = schema["enum"] as? [Any], !words.contains(where: { ("\($0)") == "\(value)" }) {
            found.append("\(place): is none of \(words)")
        }
        if let items = schema["items"] as? [String: Any], let list = value as? [Any] {
            for (index, item) in list.enumerated() { found += faults(item, items, at: "\(place)[\(index)]") }
        }
        if let object = value as? [String: Any] { found += faults(of: object, schema, at: place) }
        return found
    }

    private func faults(of object: [String: Any], _ schema: [String: Any], at place: String) -> [String] {
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        var found = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
            .map { "\(place): \($0) is missing" }
        for (name, value) in object {
            if let inner = properties[name] {
                found += faults(value, inner, at: "\(place).\(name)")
            } else if schema["additionalProperties"] as? Bool == false {
                found.append("\(place): \(name) is not in the document")
            }
        }
        return found
    }

    private static func type(_ name: String, fits value: Any) -> Bool {
        switch name {
        case "null": value is NSNull
        case "string": value is String
        case "boolean": (value as? NSNumber).map { isTruth($0) } ?? false
        case "integer":
            (value as? NSNumber).map { !isTruth($0) && $0.doubleValue == $0.doubleValue.rounded() } ?? false
        case "array": value is [Any]
        case "object": value is [String: Any]
        default: false
        }
    }

    /// Whether a number of Foundation's is a truth value.
    private static func isTruth(_ number: NSNumber) -> Bool {
        ["c", "B"].contains(unsafe String(cString: number.objCType))
    }
}
