internal import Accessories
internal import ErrorMapping
internal import HTTPServing
internal import Hummingbird
internal import JSON
internal import NIOCore
internal import PresentationService

extension PresentationCoordinator {
    /// The routes of programs that serve accessories: the event stream, the outputs, the states of accessories,
    /// and the codes that a scanner reads. None of them reveals anything about a presentation but what an output
    /// needs. The operator's route begins a try, and waits for its end.
    nonisolated var accessoryRoutes: [APIRoute] {
        let program = APIRoute.Access.scopes([.accessory])
        return [
            APIRoute(.get, "/v1/accessories/events", for: program) { call in
                try await self.accessoryEvents(for: call)
            },
            APIRoute(.post, "/v1/accessories/{accessory}/outputs/{output}", for: program) { call in
                let step: OutputStep = try Self.state(in: await call.body())
                let name = try call.parameter("accessory")
                // A text that is no number is the number of no output.
                let number = try Int64(call.parameter("output")) ?? 0
                if let end = step.end {
                    try await self.finishOutput(number, ofAccessory: name, as: end, by: call.known)
                } else {
                    try await self.giveOutput(number, ofAccessory: name, by: call.known)
                }
                return .json(["state": .string(step.rawValue)])
            },
            APIRoute(.post, "/v1/accessories/{accessory}/tries", for: .scopes([.admin])) { call in
                let name = try call.parameter("accessory")
                let (action, result) = try await self.tryAccessory(name, by: call.known)
                return .json([
                    "accessory": .string(name), "action": .string(action.rawValue),
                    "result": .string(result.kind.rawValue),
                    "characters": result.characters.map { .integer(Int64($0)) } ?? .null,
                ])
            },
            APIRoute(.post, "/v1/accessories/{accessory}/tries/{try}", for: program) { call in
                let (step, result) = try Self.tryStep(in: await call.body())
                let name = try call.parameter("accessory")
                let number = try Int64(call.parameter("try")) ?? 0
                if let result {
                    try await self.finishTry(number, ofAccessory: name, as: result, by: call.known)
                } else {
                    try await self.giveTry(number, ofAccessory: name, by: call.known)
                }
                return .json(["state": .string(step.rawValue)])
            },
            APIRoute(.put, "/v1/accessories/{accessory}/state", for: program) { call in
                let state: AccessoryState = try Self.state(in: await call.body())
                try await self.record(state, ofAccessory: call.parameter("accessory"), by: call.known)
                return Response(status: .noContent)
            },
            APIRoute(.post, "/v1/lanes/{lane}/engagement", for: program) { call in
                let (scanner, code) = try Self.code(in: await call.body())
                let name = try call.parameter("lane")
                let state: PresentationState?
                switch code {
                case .text(let text):
                    state = try await self.engage(atLane: name, with: text, from: scanner, by: call.known)
                case .fault(let fault):
                    state = try await self.report(fault, atLane: name, from: scanner, by: call.known)
                }
                return .json(
                    [
                        "lane": .string(name),
                        "state": .string(state?.rawValue ?? PresentationCoordinator.idle),
                    ], status: .accepted)
            },
        ]
    }

    /// A step of an output, as its program reports it.
    private enum OutputStep: String, CaseIterable {
        /// The program is about to act, and asks whether it may.
        case given
        case done, unknown, refused

        /// The end of the output, or `nil` if the output is about to be given.
        var end: ReportedEnd? { ReportedEnd(rawValue: rawValue) }
    }

    /// A step of a try, as the program of its accessory reports it.
    private enum TryStep: String, CaseIterable {
        /// The program is about to close the contact, and asks whether it may.
        case given
        case pulsed, unknown, refused, phoneCode, otherCode, noCode
    }

    /// A code that an accessory has read: its text, or the reason why the accessory does not pass it on.
    private enum ReadCode {
        case text(String)
        case fault(CodeFault)
    }

    /// Answers with the event stream of a program that serves accessories.
    private nonisolated func accessoryEvents(for call: APICall) async throws -> Response {
        let channel = call.context.channel
        let frames = try await listenToAccessories(by: call.known, lost: { channel.close(promise: nil) })
        return call.eventStream(of: frames)
    }

    /// Parses a body whose only member is the word `state`.
    private static func state<Word: RawRepresentable<String> & CaseIterable>(
        in body: JSONText
    ) throws(APIProblem) -> Word {
        try mapping(body.members(["state"]).required("state").word(), APIProblem.init(body:))
    }

    /// Parses the body of a step of a try.
    ///
    /// - Returns: the result of the try, or `nil` if the program asks whether it may act.
    private static func tryStep(
        in body: JSONText
    ) throws(APIProblem) -> (step: TryStep, result: TryResult?) {
        try mapping(parseTryStep(in: body), APIProblem.init(body:))
    }

    private static func parseTryStep(
        in body: JSONText
    ) throws(JSONFault) -> (step: TryStep, result: TryResult?) {
        let members = try body.members(["state", "characters"])
        let state = try members.required("state")
        let step: TryStep = try state.word()
        let text = members["characters"]
        let length = try text?.integer(in: 1...Int64(ScannedBytes.maximumLength))
        guard let kind = TryResult.Kind(rawValue: step.rawValue) else {
            if let text { throw text.wrong("must be left out, because no code was scanned") }
            return (step, nil)
        }
        guard let result = TryResult(kind, characters: length.map { Int($0) }) else {
            throw (text ?? state).wrong("goes together with a scanned code only, and phoneCode needs it")
        }
        return (step, result)
    }

    /// Parses the body of a code: the name of the accessory, and the code or why it is not passed on.
    private static func code(in body: JSONText) throws(APIProblem) -> (scanner: String, code: ReadCode) {
        try mapping(parseCode(in: body), APIProblem.init(body:))
    }

    private static func parseCode(in body: JSONText) throws(JSONFault) -> (scanner: String, code: ReadCode) {
        let members = try body.members(["accessory", "uri", "fault"])
        let scanner = try members.required("accessory").string(upTo: 64)
        guard let fault = members["fault"] else {
            return (scanner, .text(try members.required("uri").string(upTo: 1 << 14)))
        }
        if let text = members["uri"] { throw text.wrong("must be left out if \"fault\" is sent") }
        return (scanner, .fault(try fault.word()))
    }
}

extension AccessoryReport {
    /// The accessory in the description of its lane.
    var json: JSONValue { .object(members) }

    /// The accessory in the list of all lanes.
    var jsonWithLane: JSONValue { .object([("lane", JSONValue(lane))] + members) }

    private var members: [(String, JSONValue)] {
        [
            ("name", .string(name)), ("kind", .string(kind)), ("role", .string(isScanner ? "in" : "out")),
            ("state", .string(state.rawValue)), ("trial", .boolean(isTrial)),
        ]
    }
}
