internal import PresentationService
internal import ErrorMapping
internal import Transport
internal import MdocVerification
internal import HTTPServing
internal import Hummingbird
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import ReaderService
internal import ReaderStore
internal import ReaderTokens
internal import Reports
internal import RequestPlanner

extension PresentationCoordinator {
    /// The routes of lanes: descriptions, logo, events and presets, and the route of the trust.
    nonisolated var laneRoutes: [APIRoute] {
        // All scopes that concern lanes. `laneDescription` refuses a lane that the caller may not see.
        let anybody = APIRoute.Access.scopes([.app, .screen, .clerk, .order, .admin])
        return [
            APIRoute(.get, "/v1/lanes", for: anybody) { call in
                .json(["lanes": .array(try await self.laneDescriptions(for: call.known))])
            },
            APIRoute(.get, "/v1/lanes/{lane}", for: anybody) { call in
                .json(try await self.laneDescription(call.parameter("lane"), for: call.known))
            },
            APIRoute(.get, "/v1/lanes/{lane}/logo", for: .scopes([.screen, .clerk])) { call in
                let brand = try await self.brand(ofLane: call.parameter("lane"), for: call.known)
                // The file is not read on the actor, since that may take long. A logo that cannot be read
                // counts as missing.
                guard let logo = try? brand?.image() else { throw APIProblem.brandUnknown }
                return .bytes(logo.png, type: "image/png")
            },
            APIRoute(.get, "/v1/lanes/{lane}/events", for: .scopes([.app, .screen, .clerk])) {
                call in
                try await self.events(call, lane: call.parameter("lane"))
            },
            APIRoute(.post, "/v1/lanes/{lane}/presentations", for: .scopes([.clerk, .order])) {
                call in
                let caller = try call.known
                switch try await self.open(presetIn: call) {
                case .created(let record):
                    return .json(
                        await self.outcome(of: record, for: caller), status: .created,
                        location: "/v1/presentations/\(record.id)")
                case .existing(let record): return .json(await self.outcome(of: record, for: caller))
                case .past(let past): return .json(past.outcomeAlone)
                }
            },
            APIRoute(.get, "/v1/trust", for: .scopes([.app, .clerk, .admin])) { _ in
                .json(try await self.trustDescription())
            },
        ]
    }

    /// Starts the preset that a request names.
    private func open(presetIn call: APICall) async throws -> Opened {
        let name = try call.parameter("lane")
        let caller = try call.known
        let body = try await call.body()
        let members = try mapping(body.members(["preset", "reference", "holder"]), APIProblem.init(body:))
        let (preset, reference) = try mapping(
            (members.required("preset").string(upTo: 64), PresentationOrder.reference(members)),
            APIProblem.init(body:))
        guard caller.mayStartPresets(at: name), let lane = lanes[name] else { throw APIProblem.laneUnknown }
        guard let preset = lane.presets.first(where: { $0.name == preset }) else {
            throw APIProblem.presetUnknown
        }
        return try await open(PresentationOrder(preset, lane: name, reference: reference), by: caller)
    }

    /// The JSON of a presentation for a caller with `clerk` or `order`. A clerk's page sees the result while
    /// the presentation is the latest of its lane; otherwise the JSON contains only the outcome.
    func outcome(of record: PresentationRecord, for caller: KnownCaller) -> JSONValue {
        let seen = scopes(of: caller, over: record).intersection([.clerk, .order])
        return record.json(for: seen.isEmpty ? [.order] : seen)
    }

    /// The descriptions of all lanes that the caller may see.
    private func laneDescriptions(for caller: KnownCaller) async -> [JSONValue] {
        // All lanes are inspected in parallel first. The loop then gets each readiness without a wait.
        await inspectLanes()
        var descriptions: [JSONValue] = []
        for name in laneNames {
            // A lane that the caller may not see is left out, and so is a lane that was removed meanwhile.
            if let description = try? await laneDescription(name, for: caller) {
                descriptions.append(description)
            }
        }
        return descriptions
    }

    /// The description of a lane for its pages and tills.
    ///
    /// - Throws: `laneUnknown` if there is no such lane, or the caller may not see it.
    private func laneDescription(_ name: String, for caller: KnownCaller) async throws -> JSONValue {
        let isKnown =
            caller.serves(lane: name) || caller.mayStartPresets(at: name) || caller.usesApp(at: name)
            || caller.scopes.contains(.admin)
        guard isKnown, let lane = lanes[name], let readiness = await readiness(ofLane: name) else {
            throw APIProblem.laneUnknown
        }
        // A presentation that the caller may not see is left out.
        let current = latestPresentation(at: name).flatMap { scopes(of: caller, over: $0).isEmpty ? nil : $0 }
        let shop = lane.page.brand.map {
            (name: $0.name, logo: $0.logo.map { _ in "/v1/lanes/\(name)/logo" })
        }
        // A brand that asks the holder is shown in place of the shop.
        let brand = current?.brand.map { (name: $0.name, logo: $0.logo) } ?? shop
        return [
            "lane": .string(name), "state": .string(readiness.state),
            "bluetooth": .string(readiness.bluetooth),
            "advice": JSONValue(readiness.advice), "presentation": JSONValue(current?.id.description),
            "presentationState": JSONValue(current?.state.rawValue),
            "brand": brand.map { ["name": .string($0.name), "logo": JSONValue($0.logo)] } ?? .null,
            "kiosk": lane.page.json, "presets": .array(lane.presets.map { .string($0.name) }),
            "standing": standingDescription(ofLane: name, readiness),
            "acceptsTestDocuments": .boolean(basis.acceptsTestDocuments),
        ]
    }

    /// The state of all lanes for the owner, without their presentations.
    func laneHealth() async -> [JSONValue] {
        await inspectLanes()
        var lanes: [JSONValue] = []
        for name in laneNames {
            // The lane may have been removed meanwhile.
            guard let readiness = await readiness(ofLane: name) else { continue }
            lanes.append([
                "lane": .string(name), "state": .string(readiness.state),
                "bluetooth": .string(readiness.bluetooth), "advice": JSONValue(readiness.advice),
                "isBusy": .boolean(isBusy(lane: name)),
                "standing": standingDescription(ofLane: name, readiness),
            ])
        }
        return lanes
    }

    /// The shop's brand on the pages of a lane, or `nil` if the configuration names none.
    private func brand(ofLane name: String, for caller: KnownCaller) throws(APIProblem) -> LaneBrand? {
        guard caller.serves(lane: name), let lane = lanes[name] else { throw APIProblem.laneUnknown }
        return lane.page.brand
    }

    /// The preset that a lane repeats by itself (its standing order) and the reason for a pause; null if the
    /// lane waits for orders.
    private func standingDescription(ofLane name: String, _ readiness: LaneReadiness) -> JSONValue {
        guard let (preset, pause) = standingOrder(ofLane: name, readiness) else { return .null }
        let reason = pause.map { pause -> JSONValue in
            let problem = APIProblem(pause)
            return ["id": .string(problem.id.rawValue), "text": .string(problem.detail)]
        }
        return [
            "intent": .string(preset.intent.description), "retention": .string(preset.retention.name),
            "isPaused": .boolean(pause != nil), "reason": reason ?? .null,
        ]
    }

    /// The trust in use: its snapshot, the age of its newest list, and the policy of each purpose.
    func trustDescription() async throws -> JSONValue {
        let now = now
        let basis = try await basis.basis()
        return [
            "snapshot": .string("\(basis.trust.snapshotID)"),
            "anchors": .integer(Int64(basis.trust.anchors.count)),
            "obtained": JSONValue(basis.obtained.map { "\($0)" }),
            "ageSeconds": basis.age(at: now).map(JSONValue.integer) ?? .null,
            "policies": .object(
                RequestPurpose.allCases.map { ($0.rawValue, .string(basis.policies[$0].name)) }),
        ]
    }
}

extension LaneReadiness {
    /// The API's word for the readiness.
    var state: String {
        switch self {
        // Phones can be asked over NFC without Bluetooth.
        case .ready, .withoutBluetooth: "ready"
        case .unavailable(let fault):
            switch fault.id {
            case .readerInUse: "readerInUse"
            case .readerBlocked: "readerBlocked"
            case .noReader, .readerMissing: "readerMissing"
            default: "stopped"
            }
        }
    }

    /// The API's word for the readiness of Bluetooth.
    var bluetooth: String {
        switch self {
        case .ready: "ready"
        case .withoutBluetooth(let fault) where fault.id == .adapterOff: "off"
        case .withoutBluetooth(let fault) where fault.id == .settingsMissing: "unprepared"
        // `unavailable` is about the PC/SC reader; Bluetooth is not inspected then.
        case .withoutBluetooth, .unavailable: "missing"
        }
    }

    /// The advice for the operator, or `nil` if the lane is ready.
    var advice: String? {
        switch self {
        case .ready: nil
        case .withoutBluetooth(let fault): fault.advice
        case .unavailable(let fault): fault.advice
        }
    }
}

extension LanePage {
    fileprivate var json: JSONValue {
        [
            "language": JSONValue(language),
            "antenna": antenna.map {
                [
                    "x": .integer(Int64($0.x)), "y": .integer(Int64($0.y)),
                    "place": .string($0.place.rawValue),
                ]
            } ?? .null,
            "reader": .string(reader.rawValue),
            "colours": brand?.colours.map {
                ["ground": .string($0.ground.text), "words": .string($0.words.text)]
            } ?? .null,
            "welcome": JSONValue(brand?.welcome),
            "accepts": .array(accepts.map(JSONValue.string)), "asks": .array(asks.map(JSONValue.string)),
            "speaks": .boolean(speaks), "texts": texts.json,
            "resultSeconds": .integer(Int64(resultSeconds)),
            "heartbeatSeconds": .integer(PresentationCoordinator.heartbeatSeconds),
            "notice": notice.map {
                [
                    "controller": .string($0.controller), "purpose": .string($0.purpose),
                    "kept": .string($0.kept), "contact": .string($0.contact),
                ]
            } ?? .null,
        ]
    }
}

extension PageTexts {
    fileprivate var json: JSONValue {
        .object(
            words.sorted { $0.key < $1.key }.map { language, texts in
                (language, .object(texts.sorted { $0.key < $1.key }.map { ($0, .string($1)) }))
            })
    }
}
