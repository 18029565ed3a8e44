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
    /// The routes of lanes (descriptions, logo, events and presets), and the route that describes the trust
    /// in use.
    nonisolated func laneRoutes(_ access: AccessBook) -> [APIRoute] {
        // All scopes with which a caller may see lanes. `laneDescription` refuses a lane that the caller
        // may not see.
        let anybody = APIRoute.Access.scopes([.app, .screen, .clerk, .order, .desk, .admin])
        return [
            APIRoute(.get, "/v1/lanes", for: anybody) { call in
                .json(["lanes": .array(try await self.laneDescriptions(for: call.known, under: access))])
            },
            APIRoute(.get, "/v1/lanes/{lane}", for: anybody) { call in
                .json(
                    try await self.laneDescription(
                        call.parameter("lane"), for: call.known, under: access))
            },
            APIRoute(.get, "/v1/lanes/{lane}/logo", for: .scopes([.screen, .clerk, .desk])) { call in
                let brand = try await self.brand(ofLane: call.parameter("lane"), for: call.known)
                // The logo's file is not read on the actor, since that may take long. A logo that cannot
                // be read counts as missing.
                guard let logo = try? brand?.image() else { throw APIProblem.brandUnknown }
                return .bytes(logo.png, type: "image/png")
            },
            APIRoute(.get, "/v1/lanes/{lane}/events", for: .scopes([.app, .screen, .clerk, .desk])) {
                call in
                try await self.events(call, lane: call.parameter("lane"))
            },
            APIRoute(
                .post, "/v1/lanes/{lane}/presentations", for: .scopes([.clerk, .order, .desk, .accessory])
            ) {
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
        // The member `consent` is the holder's consent to the retention of data. Only a desk may start
        // presets that request data, so the member is refused from all other callers.
        let further: Set<String> = caller.usesDesk(at: name) ? ["consent"] : []
        let members = try mapping(
            body.members(further.union(["preset", "reference", "holder"])), APIProblem.init(body:))
        let (preset, reference, consent) = try mapping(
            (
                members.required("preset").string(upTo: 64), PresentationOrder.reference(members),
                members["consent"]?.word(HolderConsent.self) ?? .notGiven
            ),
            APIProblem.init(body:))
        guard caller.mayStartPresets(at: name) || caller.usesDesk(at: name), let lane = lanes[name] else {
            throw APIProblem.laneUnknown
        }
        let found = (lane.presets + lane.dataPresets).first {
            $0.name == preset && caller.mayStart($0, at: name)
        }
        guard let found else { throw APIProblem.presetUnknown }
        return try await open(
            PresentationOrder(found, lane: name, reference: reference, consent: consent), by: caller)
    }

    /// The JSON of a presentation for a caller who starts presets. A clerk's page sees the
    /// result while the presentation is the latest of its lane; otherwise the JSON contains only the outcome.
    /// A desk sees the results of the presentations that it started.
    func outcome(of record: PresentationRecord, for caller: KnownCaller) -> JSONValue {
        let seen = scopes(of: caller, over: record).intersection([.clerk, .order, .desk])
        return record.json(for: seen.isEmpty ? [.order] : seen)
    }

    /// The descriptions of all lanes that the caller may see.
    private func laneDescriptions(
        for caller: KnownCaller, under access: AccessBook
    ) async -> [JSONValue] {
        // All lanes are inspected in parallel first. The loop then gets each readiness without a wait.
        await inspectLanes()
        var descriptions: [JSONValue] = []
        for name in laneNames {
            // A lane that the caller may not see is left out, and so is a lane that was removed meanwhile.
            if let description = try? await laneDescription(name, for: caller, under: access) {
                descriptions.append(description)
            }
        }
        return descriptions
    }

    /// The description of a lane for its pages and tills.
    ///
    /// - Throws: `laneUnknown` if there is no such lane, or the caller may not see it.
    private func laneDescription(
        _ name: String, for caller: KnownCaller, under access: AccessBook
    ) async throws -> JSONValue {
        let isKnown = caller.sees(lane: name) || caller.scopes.contains(.admin)
        guard isKnown, let lane = lanes[name], let readiness = await readiness(ofLane: name) else {
            throw APIProblem.laneUnknown
        }
        // A presentation that the caller may not see is left out.
        let current = latestPresentation(at: name).flatMap { scopes(of: caller, over: $0).isEmpty ? nil : $0 }
        let shop = lane.page.brand.map {
            (name: $0.name, logo: $0.logo.map { _ in "/v1/lanes/\(name)/logo" })
        }
        // If the current presentation requests data in a brand's name, the brand's name and logo replace
        // the shop's name and logo.
        let brand = current?.brand.map { (name: $0.name, logo: $0.logo) } ?? shop
        let description: JSONValue = [
            "lane": .string(name), "state": .string(readiness.state),
            "bluetooth": .string(bluetooth(ofLane: name, readiness)),
            "advice": JSONValue(readiness.advice), "presentation": JSONValue(current?.id.description),
            "presentationState": JSONValue(current?.state.rawValue),
            "brand": brand.map { ["name": .string($0.name), "logo": JSONValue($0.logo)] } ?? .null,
            "kiosk": lane.page.json, "presets": .array(lane.presets.map { .string($0.name) }),
            "buttons": .array(lane.presets.map(\.button)),
            // Null if orders may differ in their retention: a program with the scope `app`, or a preset of
            // the desk, may retain more than the lane's other presets.
            "retention": access.current.callers.contains { $0.usesApp(at: name) } || !lane.dataPresets.isEmpty
                ? .null : JSONValue(lane.retentionOfPresets?.name),
            "standing": standingDescription(ofLane: name, readiness),
            "acceptsTestDocuments": .boolean(basis.acceptsTestDocuments),
            "accessories": .array(accessoryReports(ofLane: name).map(\.json)),
        ]
        guard caller.usesDesk(at: name), case .object(let members) = description else { return description }
        return .object(members + [("dataPresets", .array(lane.dataPresets.map(\.json)))])
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
                "link": JSONValue(link(ofLane: name)?.rawValue),
                "bluetooth": .string(bluetooth(ofLane: name, readiness)),
                "advice": JSONValue(readiness.advice),
                "isBusy": .boolean(isBusy(lane: name)),
                "standing": standingDescription(ofLane: name, readiness),
            ])
        }
        return lanes
    }

    /// The API's word for the readiness of Bluetooth at a lane. The word is `notUsed` for a lane that uses
    /// only NFC, or the bench link (a TCP connection to a software wallet).
    private func bluetooth(ofLane name: String, _ readiness: LaneReadiness) -> String {
        link(ofLane: name) == .nfcAndBluetooth ? readiness.bluetooth : "notUsed"
    }

    /// The kind of connection that a lane uses for phones, such as NFC with Bluetooth, or `nil` if there
    /// is no such lane.
    private func link(ofLane name: String) -> LaneLink? { lanes[name]?.lane.link }

    /// The shop's brand on the pages of a lane, or `nil` if the configuration names none.
    private func brand(ofLane name: String, for caller: KnownCaller) throws(APIProblem) -> LaneBrand? {
        guard caller.serves(lane: name) || caller.usesDesk(at: name), let lane = lanes[name] else {
            throw APIProblem.laneUnknown
        }
        return lane.page.brand
    }

    /// The preset that a lane repeats by itself (its standing order) and the reason for a pause; null if the
    /// lane has no standing order.
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

    /// The trust in use: its snapshot, the age of its newest list (of issuers or revocations), and the
    /// policy of each purpose.
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
        // Without Bluetooth, the lane can still read phones over NFC.
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

    /// The API's word for the readiness of Bluetooth, at a lane that uses it.
    fileprivate var bluetooth: String {
        switch self {
        case .ready: "ready"
        case .withoutBluetooth(let fault) where fault.id == .adapterOff: "off"
        case .withoutBluetooth(let fault) where fault.id == .settingsMissing: "unprepared"
        case .withoutBluetooth: "missing"
        // `unavailable` is about the PC/SC reader; Bluetooth is not inspected then.
        case .unavailable: "unknown"
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

extension Preset {
    /// The preset for the desk's page.
    fileprivate var json: JSONValue {
        [
            "preset": .string(name), "names": buttonNames, "intent": .string(intent.description),
            "retention": .string(retention.name),
            "then": then.map {
                ["intent": .string($0.intent.description), "retention": .string($0.retention.name)]
            } ?? .null,
            "needsConsent": .boolean(needsConsent),
        ]
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
            "notice": notice?.json ?? .null,
            "notices": .object(byLanguage: notices, \.json),
        ]
    }
}

extension LanePage.Notice {
    fileprivate var json: JSONValue {
        [
            "controller": JSONValue(controller), "purpose": JSONValue(purpose), "kept": JSONValue(kept),
            "contact": JSONValue(contact),
        ]
    }
}

extension Preset {
    /// The preset's button on the clerk's page.
    fileprivate var button: JSONValue {
        [
            "preset": .string(name), "names": buttonNames, "asks": .array(asks.map(JSONValue.string)),
        ]
    }

    /// The owner's texts of the button by language, or null if the owner gave none.
    fileprivate var buttonNames: JSONValue {
        names.map { .object(byLanguage: $0, JSONValue.string) } ?? .null
    }
}

extension JSONValue {
    /// Returns an object with a member for each language, sorted by language tag.
    fileprivate static func object<Value>(
        byLanguage values: [PageTexts.Language: Value], _ json: (Value) -> JSONValue
    ) -> JSONValue {
        .object(values.map { ($0.rawValue, json($1)) }.sorted { $0.0 < $1.0 })
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
