internal import Transport
internal import MdocVerification
package import Logging
internal import MdocModel
internal import MdocTrust
package import OpenSSLCrypto
package import PortraitDecoding
package import ReaderService
internal import Reports
internal import RequestPlanner

/// All lanes with their presentations: what the API does, without HTTP.
package actor PresentationCoordinator {
    let log: Logger
    let metrics: PresentationMetrics
    let limits: CoordinatorLimits
    let clock: WallClock
    let basis: any JudgingBasisSource
    let portraits: PortraitDecoder
    let brands: TokenBrands?
    let archive: RecordArchive?
    let webhooks: WebhookQueue?

    private(set) var lanes: [String: ConfiguredLane] = [:]
    private(set) var laneNames: [String] = []
    /// Distinguishes the events of this run from those of others.
    let run: String
    var logs: [String: EventLog] = [:]
    var records: [PresentationID: PresentationRecord] = [:]
    private var order: [PresentationID] = []
    private var references: [OrderReference: PresentationID] = [:]
    /// The current or last presentation of each lane.
    var latest: [String: PresentationID] = [:]
    private var courses: [PresentationID: Task<Void, Never>] = [:]
    /// The receipts that are being written once somebody has decided, or nobody.
    var settling: [PresentationID: Task<Void, Never>] = [:]
    /// Whether it ends, so that nothing new is begun.
    private(set) var isEnding = false
    /// The state of each lane that its listeners were last notified of.
    var toldReadiness: [String: LaneReadiness] = [:]

    package init(
        lanes: [ConfiguredLane], basis: any JudgingBasisSource, portraits: PortraitDecoder,
        metrics: PresentationMetrics, log: Logger,
        limits: CoordinatorLimits = CoordinatorLimits(), clock: WallClock, brands: TokenBrands? = nil,
        archive: RecordArchive? = nil, webhooks: WebhookQueue? = nil
    ) throws(OpenSSLCryptoError) {
        self.basis = basis
        self.portraits = portraits
        self.metrics = metrics
        self.log = log
        self.limits = limits
        self.clock = clock
        self.brands = brands
        self.archive = archive
        self.webhooks = webhooks
        run = try randomBytes(4).hexadecimal
        for lane in lanes {
            self.lanes[lane.lane.name] = lane
            laneNames.append(lane.lane.name)
            logs[lane.lane.name] = EventLog(run: run)
        }
    }

    package func add(_ lane: ConfiguredLane) {
        let name = lane.lane.name
        if lanes.updateValue(lane, forKey: name) == nil { laneNames.append(name) }
        if logs[name] == nil { logs[name] = EventLog(run: run) } else { tellLane(name) }
    }

    /// Removes a lane, unless a presentation is running there. Its listeners stay connected: the lane may come
    /// back. Returns when the lane no longer uses its devices, so that another lane can use them.
    package func remove(lane name: String) async -> Bool {
        guard latest[name].flatMap({ records[$0]?.state.isOver }) ?? true else { return false }
        let lane = lanes.removeValue(forKey: name)?.lane
        laneNames.removeAll { $0 == name }
        tellLane(name)
        if let id = latest[name] { await courses[id]?.value }
        await lane?.left()
        return true
    }

    var now: Timestamp { clock.now }

    // MARK: Presentations

    /// The result of an order: a new presentation, or the existing one with the same reference.
    enum Opened {
        case created(PresentationRecord)
        case existing(PresentationRecord)
    }

    func open(_ order: PresentationOrder) async throws(APIProblem) -> Opened {
        if let existing = try existing(order) { return .existing(existing) }
        _ = try namedLane(for: order)
        let now = now
        guard now >= WallClock.earliest else { throw .clockNotSet }
        if let webhook = order.webhook, webhooks?.accepts(webhook) != true { throw .webhookRefused }
        let brand = try await brand(for: order)
        let signer = try identityName(for: order, brand)
        try await checkRetention(of: order, at: now)
        let plan = try RequestPlan(ordered: order.intent, keeping: order.retention)
        let further = try order.then.map { then throws(APIProblem) in
            PresentationRecord.Further(
                order: then, plan: try RequestPlan(ordered: then.intent, keeping: then.retention))
        }
        let basis = try await basis.basis()
        let question = try await question(plan, order, brand, signer, at: now)
        var presentation = presentationPlan(question, basis, try namedLane(for: order).settings)
        if let further {
            presentation.further = try await self.further(
                plan, question: self.question(further.plan, order, brand, signer, at: now))
        }
        // Nothing is awaited from here to the entry, so that two orders cannot have one reference or one lane.
        guard !isEnding else { throw .shuttingDown }
        if let existing = try existing(order) { return .existing(existing) }
        try makeRoom()
        let lane = try freeLane(for: order)
        return .created(try begin(order, plan, then: further, brand, presentation, basis, at: lane))
    }

    private func existing(_ order: PresentationOrder) throws(APIProblem) -> PresentationRecord? {
        guard let reference = order.reference, let id = references[reference], let record = records[id] else {
            return nil
        }
        guard record.order.asksTheSame(as: order) else { throw .referenceTaken }
        return record
    }

    private func namedLane(for order: PresentationOrder) throws(APIProblem) -> ConfiguredLane {
        guard let name = order.lane ?? (laneNames.count == 1 ? laneNames.first : nil) else {
            throw .laneRequired
        }
        guard let lane = lanes[name] else { throw .laneUnknown }
        return lane
    }

    private func freeLane(for order: PresentationOrder) throws(APIProblem) -> ConfiguredLane {
        let lane = try namedLane(for: order)
        let name = lane.lane.name
        if let last = latest[name], let record = records[last], !record.state.isOver {
            tellLane(name, notice: "laneBusy")
            throw .laneBusy
        }
        return lane
    }

    private func begin(
        _ order: PresentationOrder, _ plan: RequestPlan, then further: PresentationRecord.Further?,
        _ brand: PreparedBrand?, _ presentation: PresentationPlan, _ basis: JudgingBasis,
        at lane: ConfiguredLane
    ) throws(APIProblem) -> PresentationRecord {
        guard let id = try? PresentationID() else { throw .failed }
        let name = lane.lane.name
        let record = PresentationRecord(
            id: id, order: order, plan: plan, then: further, lane: name, created: now, brand: brand,
            policy: basis.policy.revocation.name, trustSince: basis.since)
        if let last = latest[name] {
            // Documents stay for whoever ordered them.
            if records[last]?.shown != nil { wipe(last, hint: .wiped) { $0.shown = nil } }
            settle(last)
        }
        records[id] = record
        self.order.append(id)
        if let reference = order.reference { references[reference] = id }
        latest[name] = id
        tell(record)
        log.info("presentation armed", metadata: ["presentation": "\(id)", "lane": "\(name)"])
        courses[id] = Task { await self.run(id, presentation, by: basis, at: lane.lane) }
        return record
    }

    /// Follows a presentation to its end.
    private func run(
        _ id: PresentationID, _ plan: PresentationPlan, by basis: JudgingBasis, at lane: Lane
    ) async {
        defer { courses[id] = nil }
        let moments: AsyncStream<LaneMoment>
        do throws(LaneError) {
            moments = try await lane.begin(plan)
        } catch {
            return await end(id, PresentationEnding(unavailable: .readerInUse))
        }
        // It may have been cancelled while it was begun.
        if records[id]?.state == .cancelled { await lane.cancel() }
        for await moment in moments {
            switch moment {
            case .event(let event): note(event, of: id)
            case .ended(let presentation):
                guard let record = records[id] else { return }
                let first = presentation.earlier.first ?? presentation
                let ending = PresentationEnding(first, asking: record.plan, by: basis, at: now)
                let then = presentation.earlier.isEmpty ? nil : record.then
                let further = then.map {
                    PresentationEnding(presentation, asking: $0.plan, by: basis, at: now)
                }
                await end(id, ending, then: further, shown: await shown(of: ending, for: record))
            }
        }
    }

    private func note(_ event: PresentationEvent, of id: PresentationID) {
        guard var record = records[id], !record.state.isOver else { return }
        let before = (record.state, record.hint)
        record.state = event.state ?? record.state
        record.hint = event.hint(after: record.hint)
        guard before != (record.state, record.hint) else { return }
        records[id] = record
        tell(record)
    }

    /// What a clerk compares. A portrait that cannot be shown is left out; the page says so.
    private func shown(of ending: PresentationEnding, for record: PresentationRecord) async -> ShownPerson? {
        guard ending.state == .verified, record.order.kind == .display else { return nil }
        guard let portrait = ending.portrait else { return ShownPerson(portrait: nil, name: ending.name) }
        do throws(PortraitDecoderError) {
            return ShownPerson(portrait: Portrait(try await portraits.decode(portrait)), name: ending.name)
        } catch {
            log.notice(
                "a portrait cannot be shown",
                metadata: ["presentation": "\(record.id)", "lane": "\(record.lane)", "reason": "\(error)"])
            return ShownPerson(portrait: nil, name: ending.name)
        }
    }

    private func end(
        _ id: PresentationID, _ ending: PresentationEnding, then further: PresentationEnding? = nil,
        shown: ShownPerson? = nil
    ) async {
        guard var record = records[id] else { return }
        let last = further ?? ending
        record.hint = nil
        record.ended = now
        record.state = record.state == .cancelled ? .cancelled : last.state
        record.take(ending, then: further, shown: shown)
        metrics.ended(
            lane: record.lane, kind: record.order.kind, state: record.state,
            reason: last.result.reasons.first?.id, phases: last.phases)
        log.info(
            "presentation over",
            metadata: [
                "presentation": "\(id)", "lane": "\(record.lane)", "state": "\(record.state.rawValue)",
                "reasons": "\(last.result.reasons.map(\.id).joined(separator: " "))",
            ])
        await keep(&record, as: ending, then: further)
        records[id] = record
        tell(record)
        wipeLater(record)
        if let webhook = record.order.webhook { webhooks?.send(record.json(for: []), to: webhook) }
    }

    /// What is known under one reference, person by person.
    func records(referredToAs name: String) -> [PresentationRecord] {
        references.filter { $0.key.name == name }.sorted { $0.key.holder < $1.key.holder }
            .compactMap { records[$0.value] }
    }

    func record(_ id: PresentationID) throws(APIProblem) -> PresentationRecord {
        guard let record = records[id] else { throw .presentationUnknown }
        return record
    }

    /// Ends a presentation, whatever it is waiting for. One that is over stays as it is.
    func cancel(_ id: PresentationID) async throws(APIProblem) -> PresentationRecord {
        var record = try record(id)
        guard !record.state.isOver else { return record }
        record.state = .cancelled
        record.hint = nil
        records[id] = record
        await lanes[record.lane]?.lane.cancel()
        await courses[id]?.value
        return records[id] ?? record
    }

    /// Takes the phone whose QR code was scanned.
    func engage(_ id: PresentationID, _ engagement: DeviceEngagement) async throws(APIProblem) {
        let record = try record(id)
        guard !record.state.isOver, let lane = lanes[record.lane] else { throw .presentationOver }
        do throws(LaneError) {
            try await lane.lane.scan(engagement)
        } catch .alreadyEngaged {
            throw .alreadyEngaged
        } catch {
            throw .presentationOver
        }
    }

    /// What a person decided; what was shown is wiped.
    func decide(
        _ id: PresentationID, _ decision: PresentationRecord.Decision
    ) async throws(APIProblem) -> PresentationRecord {
        var record = try record(id)
        if let decided = record.decision {
            guard decided == decision else { throw .decisionNotDue }
            return await settled(id) ?? record
        }
        guard record.state.isOver, decision == .dismissed || record.state == .verified,
            !isUndecided(record)
        else { throw .decisionNotDue }
        record.decision = decision
        record.shown = nil
        record.hint = .decided
        records[id] = record
        tell(record)
        return await settled(id) ?? record
    }

    func portrait(of id: PresentationID) throws(APIProblem) -> Portrait {
        guard let portrait = try record(id).shown?.portrait else { throw .portraitGone }
        return portrait
    }

    // MARK: What is forgotten

    private func makeRoom() throws(APIProblem) {
        guard order.count >= limits.presentations else { return }
        guard let index = order.firstIndex(where: { records[$0]?.isForgettable ?? true }) else {
            throw .tooManyPresentations
        }
        let id = order.remove(at: index)
        guard let record = records.removeValue(forKey: id) else { return }
        if let reference = record.order.reference { references[reference] = nil }
        if latest[record.lane] == id { latest[record.lane] = nil }
        logs[record.lane]?.close(id)
    }

    private func wipeLater(_ record: PresentationRecord) {
        let id = record.id
        if record.shown != nil { after(limits.shown) { $0.wipe(id, hint: .wiped) { $0.shown = nil } } }
        // Who has not decided by then does not: nothing is left to compare.
        let decided = record.order.kind == .display ? limits.shown : limits.documents
        if record.isReceiptDue { after(decided) { $0.settle(id) } }
        if record.holdsDocuments { after(limits.documents) { $0.wipe(id, hint: .wiped) } }
    }

    private func after(
        _ time: Duration, _ body: @escaping @Sendable (isolated PresentationCoordinator) -> Void
    ) {
        Task { [weak self] in
            try? await Task.sleep(for: time, clock: .continuous)
            if let self { await body(self) }
        }
    }

    private func wipe(
        _ id: PresentationID, hint: PresentationHint,
        _ letGo: (inout PresentationRecord) -> Void = { $0.wipe() }
    ) {
        guard var record = records[id], record.holdsPersonalData else { return }
        letGo(&record)
        record.hint = hint
        records[id] = record
        tell(record)
    }

    // MARK: Ending

    /// Ends all presentations, notifies their phones, wipes what is shown, and disconnects the listeners.
    package func close() async {
        isEnding = true
        for (id, record) in records where !record.state.isOver { _ = try? await cancel(id) }
        for id in records.keys { _ = await settled(id) }
        for lane in lanes.values { await lane.lane.left() }
        for id in records.keys { records[id]?.wipe() }
        for name in logs.keys { logs[name]?.close() }
    }
}
