internal import JSON
package import MdocModel
internal import MdocVerification
package import Logging
package import OpenSSLCrypto
package import PortraitDecoding
package import ReaderService
internal import ReaderStore
internal import Reports
internal import RequestPlanner
internal import Transport

/// All lanes with their presentations: the service of a counter, for any interface. It drives a `PresentationBook`: awaits, passes
/// events to the book, and carries out its actions.
package actor PresentationCoordinator {
    let log: Logger
    package nonisolated let metrics: PresentationMetrics
    let limits: CoordinatorLimits
    package nonisolated let clock: WallClock
    package nonisolated let basis: any JudgingBasisSource
    let portraits: PortraitDecoder
    let brands: TokenBrands?
    package nonisolated let archive: RecordArchive?
    let webhooks: WebhookQueue?

    package private(set) var lanes: [String: ConfiguredLane] = [:]
    package private(set) var laneNames: [String] = []
    /// The lanes that ask by themselves.
    var standing: [String: StandingLane] = [:]
    private var orders: OrderLimit
    /// How many take the next turn of a lane from its standing order: tills, a reload, the end of the daemon.
    var holds: [String: Int] = [:]
    /// Distinguishes the events of this run from those of others.
    let run: String
    var logs: [String: EventLog] = [:]
    var book: PresentationBook
    /// The presentations that a lane is still busy with.
    var running: [PresentationID: Task<Void, Never>] = [:]
    /// The receipts that are being written once somebody has decided, or nobody.
    private var writing: [PresentationID: Task<Void, Never>] = [:]
    /// The ends that the store did not take, each until it does.
    private(set) var retrying: [PresentationID: Task<Void, Never>] = [:]
    /// The order before, whose presentation is being written and begun.
    private var beginning: Task<Void, Never>?
    /// Whether it ends, so that nothing new is begun.
    package private(set) var isEnding = false
    /// Tells which callers may still listen by the rules that were last put in force; nil before the first change.
    var mayListen: (@Sendable (KnownCaller) -> Bool)?
    /// The readiness of each lane that its listeners were last notified of.
    var notifiedReadiness: [String: LaneReadiness] = [:]

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
        book = PresentationBook(limits: limits)
        orders = OrderLimit(most: limits.ordersPerHour)
        run = try randomBytes(4).hexadecimal
        for lane in lanes {
            self.lanes[lane.lane.name] = lane
            laneNames.append(lane.lane.name)
            logs[lane.lane.name] = EventLog(run: run)
        }
    }

    package func add(_ lane: ConfiguredLane) {
        defer { startStanding(at: lane.lane.name) }
        let name = lane.lane.name
        if lanes.updateValue(lane, forKey: name) == nil { laneNames.append(name) }
        if logs[name] == nil { logs[name] = EventLog(run: run) } else { notify(.laneChanged, ofLane: name) }
    }

    /// Removes a lane, unless a presentation is running there. Its listeners stay connected: the lane may come
    /// back. Returns when the lane no longer uses its devices, so that another lane can use them.
    package func remove(lane name: String) async -> Bool {
        await hold(lane: name)
        defer { release(lane: name) }
        guard !book.isBusy(lane: name) else { return false }
        standing.removeValue(forKey: name)?.task.cancel()
        let lane = lanes.removeValue(forKey: name)?.lane
        laneNames.removeAll { $0 == name }
        notify(.laneChanged, ofLane: name)
        if let id = book.latest(at: name)?.id { await running[id]?.value }
        await lane?.left()
        return true
    }

    package var now: Timestamp { clock.now }

    /// Whether a presentation is still in memory.
    package func remembers(_ id: PresentationID) -> Bool { book[id] != nil }

    /// The current or last presentation of a lane.
    package func latestPresentation(at lane: String) -> PresentationRecord? { book.latest(at: lane) }

    package func isBusy(lane: String) -> Bool { book.isBusy(lane: lane) }

    /// Whether a receipt waits that the store did not take.
    package var hasDelayedReceipts: Bool { !retrying.isEmpty }

    // MARK: Orders

    /// The result of an order: a new presentation, or the existing one with the same reference.
    package enum Opened {
        case created(PresentationRecord)
        case existing(PresentationRecord)
        /// It is over, and no longer in memory.
        case past(PastPresentation)

        fileprivate var lane: String {
            switch self {
            case .created(let record), .existing(let record): record.lane
            case .past(let past): past.stored.lane
            }
        }

        fileprivate var isAllowOfTest: Bool {
            switch self {
            case .created: false
            case .existing(let record):
                record.conclusion?.outcome == .allow && record.completion?.hasTestDocument == true
            case .past(let past): past.isAllowOfTest
            }
        }
    }

    /// An `allow` that came from a test document is no answer to an order once test documents are not accepted any more.
    ///
    /// - Parameters:
    ///   - owner: the caller whose the presentation is; nil if it is `caller`.
    ///   - repeated: the presentation whose missing elements the order asks for again.
    package func open(
        _ order: PresentationOrder, by caller: KnownCaller, for owner: String? = nil,
        repeating repeated: PresentationID? = nil
    ) async throws(PresentationServiceError) -> Opened {
        if let name = order.lane, !caller.begins(at: name) { throw .orderedLaneUnknown }
        let owner = owner ?? caller.name
        let opened: Opened
        if let existing = try await existing(orderedAs: order, by: owner) {
            opened = existing
        } else {
            opened = try await create(order, by: caller, for: owner, repeating: repeated)
        }
        guard caller.begins(at: opened.lane) else { throw .orderedLaneUnknown }
        guard opened.isAllowOfTest, try await !basis.basis().policy.acceptsTestDocuments else {
            return opened
        }
        throw .referenceOfTest
    }

    /// Orders once more everything that a presentation asked, if something was not shared. Holder and clerk decide again.
    /// The new presentation has the owner of the earlier one; after a standing order, the caller owns it.
    package func askAgain(
        _ id: PresentationID, by caller: KnownCaller
    ) async throws(PresentationServiceError) -> PresentationRecord {
        let record = try recordToAskAgain(id, for: caller)
        let isStanding = record.owner == Self.owner(ofStanding: record.lane)
        let owner = isStanding ? caller.name : record.owner
        try book.checkAskingAgain(id, for: owner)
        let order = try PresentationOrder(again: record.order, lane: record.lane)
        // An order without a reference is never one that is there already.
        guard case .created(let new) = try await open(order, by: caller, for: owner, repeating: id)
        else { throw .presentationUnknown }
        return new
    }

    /// The presentation, if the clerk's page of the caller shows it, or showed it before it was asked again.
    private func recordToAskAgain(
        _ id: PresentationID, for caller: KnownCaller
    ) throws(PresentationServiceError) -> PresentationRecord {
        let record = try record(id)
        if record.isAskedAgain, caller.scopes.contains(.clerk), caller.covers(lane: record.lane) {
            return record
        }
        return try presentation(id, for: caller, by: [.clerk]).record
    }

    /// The presentation that an owner ordered with the reference of this order before; nil if the reference is new.
    private func existing(
        orderedAs order: PresentationOrder, by owner: String
    ) async throws(PresentationServiceError) -> Opened? {
        if let record = try book.record(orderedAs: order, by: owner) { return .existing(record) }
        guard let past = try await past(orderedAs: order, by: owner) else { return nil }
        // The same order may have arrived meanwhile.
        return try book.record(orderedAs: order, by: owner).map { .existing($0) } ?? .past(past)
    }

    /// Prepares, writes and begins the presentation of an order.
    private func create(
        _ order: PresentationOrder, by caller: KnownCaller, for owner: String,
        repeating repeated: PresentationID?
    ) async throws(PresentationServiceError) -> Opened {
        // Before anything is prepared: a refused order signs nothing and uses no reader token.
        try orders.check(caller.name)
        let lane = try namedLane(for: order)
        var (record, plan) = try await prepare(order, by: owner, at: lane)
        record.repeated = repeated
        guard caller.begins(at: record.lane) else { throw .orderedLaneUnknown }
        return try await inTurn { [record, plan] () async throws(PresentationServiceError) in
            try await self.enter(record, plan, for: caller.name)
        }
    }

    /// Plans what a phone is asked for an order at a lane, by what is trusted now.
    func prepare(
        _ order: PresentationOrder, by owner: String, at lane: ConfiguredLane
    ) async throws(PresentationServiceError) -> (PresentationRecord, PresentationPlan) {
        let now = now
        guard now >= WallClock.earliest else { throw .clockNotSet }
        if let webhook = order.webhook, webhooks?.accepts(webhook) != true { throw .webhookRefused }
        let brand = try await brand(for: order)
        let signer = try identityName(for: order, brand)
        try await checkRetention(of: order, at: now)
        let plan = try RequestPlan(ordered: order.intent, keeping: order.retention)
        let further = try order.then.map { then throws(PresentationServiceError) in
            PresentationRecord.Further(
                order: then,
                plan: try RequestPlan(ordered: then.intent, keeping: then.retention, in: .further))
        }
        guard order.kind == .display || order.validation != .confirm || !plan.needsPortrait else {
            throw .portraitNotCompared
        }
        guard order.kind == .display || !plan.needsPortrait || further?.plan.needsPortrait != true else {
            throw .portraitAskedTwice
        }
        let purposes = [order.intent.purpose] + [order.then?.intent.purpose].compactMap(\.self)
        let basis = try await basis.basis().judging(
            purposes, choosing: [lane.settings.policy, order.policy])
        let question = try await question(plan, order, brand, signer, at: now)
        var presentation = presentationPlan(question, basis, lane.settings)
        if let further {
            presentation.further = try await self.further(
                plan, question: self.question(further.plan, order, brand, signer, at: now))
        }
        guard let id = try? PresentationID() else { throw .failed }
        let record = PresentationRecord(
            id: id, owner: owner, order: order, plan: plan, further: further,
            lane: lane.lane.name, created: self.now, brand: brand, basis: basis)
        return (record, presentation)
    }

    /// One order after the other, so that no two have one reference or one lane while they are written.
    private func inTurn(
        _ body: @escaping @Sendable () async throws(PresentationServiceError) -> Opened
    ) async throws(PresentationServiceError) -> Opened {
        let before = beginning
        let turn = Task { () async -> Result<Opened, PresentationServiceError> in
            await before?.value
            do throws(PresentationServiceError) { return .success(try await body()) } catch {
                return .failure(error)
            }
        }
        beginning = Task { _ = await turn.value }
        return try await turn.value.get()
    }

    /// Writes a presentation and begins it: what cannot be kept is not asked.
    ///
    /// - Parameter caller: the name of the caller whose presentations of this hour are counted.
    private func enter(
        _ record: PresentationRecord, _ plan: PresentationPlan, for caller: String
    ) async throws(PresentationServiceError) -> Opened {
        if let existing = try book.record(orderedAs: record.order, by: record.owner) {
            return .existing(existing)
        }
        // Before the lane is held: a caller over its limit must not keep a standing order from it.
        try orders.check(caller)
        if let repeated = record.repeated { try book.checkAskingAgain(repeated, for: record.owner) }
        await hold(lane: record.lane)
        defer { release(lane: record.lane) }
        // A till that tries while a customer is served costs no write.
        let isWritten = !book.isBusy(lane: record.lane)
        if isWritten { try await keepBegun(record) }
        do throws(PresentationServiceError) {
            try begin(record, plan)
        } catch {
            if isWritten { await archive?.withdraw(record.id) }
            throw error
        }
        orders.count(caller)
        return .created(record)
    }

    /// Begins a presentation at its lane, which may have been removed while the order was prepared.
    private func begin(_ record: PresentationRecord, _ plan: PresentationPlan)
        throws(PresentationServiceError)
    {
        guard !isEnding else { throw .shuttingDown }
        guard let lane = lanes[record.lane]?.lane else { throw .laneUnknown }
        let before = book.latest(at: lane.name).flatMap { running[$0.id] }
        do throws(PresentationServiceError) {
            perform(try book.insert(record))
        } catch {
            switch error {
            case .laneBusy, .decisionOpen: notify(.orderRefused, ofLane: lane.name)
            default: break
            }
            throw error
        }
        log.info("presentation armed", metadata: ["presentation": "\(record.id)", "lane": "\(lane.name)"])
        running[record.id] = Task {
            // One that was cancelled may still be notifying its phone.
            await before?.value
            await self.run(record.id, plan, at: lane)
        }
    }

    /// The lane that an order names; the only lane if it names none.
    func namedLane(for order: PresentationOrder) throws(PresentationServiceError) -> ConfiguredLane {
        guard let name = order.lane ?? (laneNames.count == 1 ? laneNames.first : nil) else {
            throw .laneRequired
        }
        guard let lane = lanes[name] else { throw .orderedLaneUnknown }
        return lane
    }

    // MARK: Presentations

    package func record(_ id: PresentationID) throws(PresentationServiceError) -> PresentationRecord {
        guard let record = book[id] else { throw .presentationUnknown }
        return record
    }

    /// Ends a presentation, whatever it is waiting for. One that waits for a decision is dismissed; one that is over
    /// stays as it is.
    package func cancel(_ id: PresentationID) async throws(PresentationServiceError) -> PresentationRecord {
        await writing[id]?.value
        guard !isUnasked(id) else { throw .standingOrder }
        let record = try await stop(id)
        guard record.state == .awaitingDecision else { return record }
        return try await decide(id, .dismissed)
    }

    private func stop(_ id: PresentationID) async throws(PresentationServiceError) -> PresentationRecord {
        let record = try record(id)
        if book.cancel(id) { await lanes[record.lane]?.lane.cancel() }
        await running[id]?.value
        return book[id] ?? record
    }

    /// Takes the phone whose QR code was scanned.
    package func engage(_ id: PresentationID, _ engagement: DeviceEngagement)
        async throws(PresentationServiceError)
    {
        let record = try record(id)
        guard !record.state.isOver, record.state != .awaitingDecision, let lane = lanes[record.lane] else {
            throw .presentationOver
        }
        do throws(LaneError) {
            try await lane.lane.scan(engagement)
        } catch .alreadyEngaged {
            throw .alreadyEngaged
        } catch {
            throw .presentationOver
        }
    }

    /// What a person decided. Returns the presentation once its receipt says so.
    package func decide(
        _ id: PresentationID, _ decision: PresentationRecord.Decision
    ) async throws(PresentationServiceError) -> PresentationRecord {
        perform(try book.decide(id, decision))
        await writing[id]?.value
        return try record(id)
    }

    package func portrait(of id: PresentationID) throws(PresentationServiceError) -> Portrait {
        guard let portrait = try record(id).completion?.shown?.portrait else { throw .portraitGone }
        return portrait
    }

    /// The portrait of a data request as the phone sent it, once.
    package func takePortrait(of id: PresentationID) throws(PresentationServiceError) -> ArraySlice<UInt8> {
        try book.takePortrait(of: id)
    }

    // MARK: Actions of the book

    func perform(_ actions: [PresentationBook.Action]) {
        for action in actions {
            switch action {
            case .notify(let name, let record): notify(name, of: record)
            case .write(let receipts, let retaining, let id): write(receipts, retaining: retaining, of: id)
            case .wait(let time, let expiry, let id): expire(expiry, of: id, after: time)
            case .close(let id, let lane): logs[lane]?.close(id)
            case .finish(let record): finish(record)
            }
        }
    }

    /// Counts an outcome, logs it and sends it.
    private func finish(_ record: PresentationRecord) {
        guard let conclusion = record.conclusion else { return }
        rest(lane: record.lane)
        metrics.ended(lane: record.lane, kind: record.order.kind, conclusion)
        log.info(
            "presentation over",
            metadata: [
                "presentation": "\(record.id)", "lane": "\(record.lane)",
                "outcome": "\(conclusion.outcome.rawValue)",
                "reasons": "\(conclusion.reasons.map(\.id).joined(separator: " "))",
            ])
        // Nobody is sent an outcome that the end of the daemon could take back.
        if retrying[record.id] == nil { sendWebhook(of: record) }
    }

    private func sendWebhook(of record: PresentationRecord) {
        guard let webhook = record.order.webhook else { return }
        webhooks?.send(record.json(for: []).utf8, of: record.id, by: record.owner, to: webhook)
    }

    private func write(
        _ receipts: WaitingReceipts, retaining: WaitingRetention, of id: PresentationID
    ) {
        writing[id] = Task { [archive] in
            var written = WrittenReceipts()
            if let archive, let record = book[id] {
                let (first, further) = await archive.retain(retaining, of: record)
                book.retained(until: first, further: further, of: id)
            }
            if let archive, let record = book[id]?.decided(written) {
                written = await end(record, receipts, in: archive)
            }
            writing[id] = nil
            perform(book.wrote(written, of: id))
        }
    }

    /// The longest pause before a receipt is tried again.
    private static let longestPause = Duration.seconds(30)

    /// Tries to write down how a presentation ended, which the store did not take, until it does, and once more when the
    /// daemon ends.
    func retry(_ record: PresentationRecord, _ receipts: WaitingReceipts, in archive: RecordArchive) {
        retrying[record.id] = Task {
            var pause = Duration.seconds(1)
            repeat {
                try? await Task.sleep(for: pause, clock: .continuous)
                pause = min(pause * 2, Self.longestPause)
                if let written = await archive.end(record, receipts.delayed) {
                    perform(book.wroteDelayed(written, of: record.id))
                    sendWebhook(of: book[record.id] ?? record)
                    break
                }
            } while !Task.isCancelled
            retrying[record.id] = nil
        }
    }

    private func expire(_ expiry: PresentationBook.Expiry, of id: PresentationID, after time: Duration) {
        Task { [weak self] in
            try? await Task.sleep(for: time, clock: .continuous)
            await self?.expire(expiry, of: id)
        }
    }

    private func expire(_ expiry: PresentationBook.Expiry, of id: PresentationID) {
        perform(book.expire(expiry, of: id))
    }

    // MARK: Ending

    /// Ends all presentations, notifies their phones, wipes what is shown, and disconnects the listeners.
    package func close() async {
        isEnding = true
        for name in Array(standing.keys) { await hold(lane: name) }
        for lane in standing.values { lane.task.cancel() }
        book.interrupt()
        for id in book.ids { _ = try? await stop(id) }
        for lane in standing.values { await lane.task.value }
        for id in book.ids {
            expire(.decision, of: id)
            await writing[id]?.value
        }
        for task in retrying.values {
            task.cancel()
            await task.value
        }
        for lane in lanes.values { await lane.lane.left() }
        book.wipe()
        for name in logs.keys { logs[name]?.close() }
    }
}
