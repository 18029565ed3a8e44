package import Accessories
internal import JSON
package import MdocModel
internal import MdocTrust
internal import MdocVerification
package import Logging
package import OpenSSLCrypto
package import PortraitDecoding
package import ReaderService
package import ReaderStore
internal import Reports
internal import RequestPlanner
internal import Transport

/// The service for the ID readers of one computer: its lanes (the places at which phones present
/// documents), the orders that begin at the lanes, and the presentations of the orders.
///
/// The routes of `ReaderAPI` and the daemon's other services call the coordinator. The coordinator receives
/// each caller as a `KnownCaller`, and does not depend on HTTP. An order passes through these functions:
/// 1. `open` finds an earlier presentation with the same reference. Otherwise it calls `create`, which waits
///   until all earlier orders have begun.
/// 2. `prepare` plans the request with the current trust, and makes the `PresentationRecord`.
/// 3. `enter` reserves the right to serve the lane's next phone (its turn), writes the presentation to the
///    store and begins it at its lane.
/// 4. `run` follows the phone to the end of the presentation.
///
/// The coordinator waits for events, passes each one to the `PresentationBook`, and carries out the actions
/// that the book returns. All mutable state is in the values listed below. Each value is changed by its own
/// functions only:
/// - `PresentationBook`: the phase and the result of each presentation.
/// - `LaneTable`: the lanes, with the readiness that was last reported to the listeners of each lane.
/// - `configuredLanes`: the names of the configuration's lanes, including lanes that are not in `LaneTable`.
/// - `EventLogs`: the events of each lane, and their listeners.
/// - `StandingOrders`: the lanes that repeat a preset by themselves, and the reservations of their next
///   turn (the right to serve the next phone).
/// - `OrderTurns`: the sequence in which orders begin, and their limit per caller.
/// - `PresentationTasks`: the running tasks of each presentation.
/// - `AccessoryDesk`: the accessories, their states, and the streams of the programs that serve them.
/// - `DueOutputs`: the outputs that an accessory may give or has given.
/// - `AccessoryTries`: the tries of accessories that are in progress.
/// - `EngagementGate`: the limits on the codes with which phones are engaged.
///
/// A function that awaits may find the state changed when it continues: a lane may be removed, the same order
/// may arrive twice, the daemon may end. Such functions check again after each `await`.
///
/// The presentation and its receipts are written to the store before the request is sent to a phone. This
/// shows that the store can keep what the order demands. A webhook with the outcome is sent only after the
/// store has accepted the outcome, since a restart could otherwise change it.
///
/// This file has the lanes, the orders and the shutdown. `+Again` repeats orders, `+Run` follows a
/// presentation from its lane to its receipts, `+Standing` serves the lanes with standing orders,
/// `+Engagements` connects to phones whose code was scanned, `+Accessories` serves the outputs, `+Tries` serves
/// the operator's tries of accessories, and `+Events` contains the functions for listeners and lists.
package actor PresentationCoordinator {
    let log: Logger
    package nonisolated let metrics: PresentationMetrics
    let limits: CoordinatorLimits
    package nonisolated let clock: WallClock
    /// The source of the trust, the policies and the reader identities.
    package nonisolated let basis: any JudgingBasisSource
    let portraits: PortraitDecoder
    let brands: TokenBrands?
    package nonisolated let archive: RecordArchive?
    let webhooks: WebhookQueue?

    package internal(set) var lanes: LaneTable
    /// The names of the lanes of the configuration. A lane of the configuration is missing from `lanes` while a
    /// reload replaces it, and if it cannot be used.
    private(set) var configuredLanes: Set<String>
    var logs: EventLogs
    var book: PresentationBook
    /// The lanes with standing orders, and the reservations of their turns. A turn is the right to serve the
    /// next phone.
    var standing = StandingOrders()
    private var turns: OrderTurns
    private(set) var tasks = PresentationTasks()
    var desk: AccessoryDesk
    var dueOutputs = DueOutputs()
    var tries = AccessoryTries()
    var gate = EngagementGate()
    let engagementDigests: EngagementDigests

    package init(
        lanes: [ConfiguredLane], basis: any JudgingBasisSource, portraits: PortraitDecoder,
        metrics: PresentationMetrics, log: Logger,
        limits: CoordinatorLimits = CoordinatorLimits(), clock: WallClock, brands: TokenBrands? = nil,
        archive: RecordArchive? = nil, webhooks: WebhookQueue? = nil, accessories: [Accessory] = []
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
        turns = OrderTurns(ordersPerHour: limits.ordersPerHour)
        let table = LaneTable(lanes)
        self.lanes = table
        configuredLanes = Set(table.names)
        logs = EventLogs(run: try randomBytes(4).hexadecimal, most: limits.listeners)
        desk = AccessoryDesk(accessories, acceptsTestDocuments: basis.acceptsTestDocuments)
        engagementDigests = try EngagementDigests()
        for lane in lanes { logs.open(lane: lane.lane.name) }
        desk.describe(lanes.map { (name: $0.lane.name, presets: $0.presets.map(\.name)) })
    }

    // MARK: Lanes

    package var laneNames: [String] { lanes.names }

    /// Sets the names of the lanes of the configuration. A reload calls this function before it removes a lane,
    /// so that no desk of another lane reaches the retained data of a lane that is only replaced.
    package func setConfiguredLanes(_ names: Set<String>) {
        configuredLanes = names
    }

    /// Adds a lane, or replaces the lane with the same name. A lane with a standing order begins to wait for
    /// phones.
    package func add(_ lane: ConfiguredLane) {
        let name = lane.lane.name
        lanes.insert(lane)
        describeLanes()
        if !logs.open(lane: name) { notify(.laneChanged, ofLane: name) }
        reportLane(name)
        startStanding(at: name)
    }

    /// Removes a lane, unless a presentation is running there. The function returns after the lane has
    /// released its devices, so that another lane can use them. The lane's listeners stay connected, since
    /// the lane may come back.
    ///
    /// - Returns: false if the lane was not removed because a presentation is running.
    package func remove(lane name: String) async -> Bool {
        await reserveTurn(lane: name)
        defer { releaseTurn(lane: name) }
        guard !book.isBusy(lane: name) else { return false }
        standing.remove(lane: name)
        let lane = lanes.remove(name)?.lane
        describeLanes()
        notify(.laneChanged, ofLane: name)
        reportLane(name)
        // A cancelled presentation counts as over while its phone is still being notified over the lane's
        // devices.
        if let id = book.latest(at: name)?.id { await tasks[.running, id]?.value }
        await lane?.waitUntilLeft()
        return true
    }

    package var now: Timestamp { clock.now }

    /// Whether a presentation is still in memory.
    package func remembers(_ id: PresentationID) -> Bool { book[id] != nil }

    /// The current or last presentation of a lane.
    package func latestPresentation(at lane: String) -> PresentationRecord? { book.latest(at: lane) }

    package func isBusy(lane: String) -> Bool { book.isBusy(lane: lane) }

    /// Whether receipts that the store refused are still to be written.
    package var hasDelayedReceipts: Bool { !tasks.all(.retrying).isEmpty }

    /// Whether the daemon is ending. If it is, no presentation begins.
    package var isEnding: Bool { turns.isEnding }

    /// Starts a task for a presentation. The task stays in `tasks` until `body` returns.
    @discardableResult
    func start(
        _ job: PresentationTasks.Job, of id: PresentationID,
        _ body: @escaping @Sendable (isolated PresentationCoordinator) async -> Void
    ) -> Task<Void, Never> {
        let task = Task {
            await body(self)
            // The task begins only after this function has returned, so the removal comes after the insertion
            // below.
            tasks.remove(job, of: id)
        }
        tasks.insert(task, job, of: id)
        return task
    }

    // MARK: Orders

    /// The result of an order: a new presentation, or the existing one with the same reference.
    package enum Opened {
        case created(PresentationRecord)
        case existing(PresentationRecord)
        /// The presentation is over, and only the store still has it.
        case past(PastPresentation)

        fileprivate var lane: String {
            switch self {
            case .created(let record), .existing(let record): record.lane
            case .past(let past): past.stored.lane
            }
        }

        /// Whether this is an earlier presentation with the outcome `allow` for a test document.
        fileprivate var isAllowOfTest: Bool {
            switch self {
            case .created: false
            case .existing(let record):
                record.conclusion?.outcome == .allow && record.completion?.hasTestDocument == true
            case .past(let past): past.isAllowOfTest
            }
        }
    }

    /// Opens the presentation of an order: a new one, or the earlier one with the same reference.
    ///
    /// - Parameters:
    ///   - owner: the caller to whom the presentation belongs; `nil` for `caller`.
    ///   - repeated: the earlier presentation whose order is repeated; `nil` for a new order.
    /// - Throws: `referenceOfTest` if the earlier presentation allowed a test document and test documents are
    ///   no longer accepted; any other reason why the order is refused.
    package func open(
        _ order: PresentationOrder, by caller: KnownCaller, for owner: String? = nil,
        repeating repeated: RepeatedPresentation? = nil
    ) async throws(PresentationServiceError) -> Opened {
        // The same error as for a lane that does not exist: a caller learns nothing about other lanes.
        if let name = order.lane, !caller.mayOrder(at: name) { throw .orderedLaneUnknown }
        let owner = owner ?? caller.name
        let opened: Opened
        if let existing = try await existing(orderedAs: order, by: owner) {
            opened = existing
        } else {
            opened = try await create(order, by: caller, for: owner, repeating: repeated)
        }
        // Checked again, since the lane of an order without a lane name is known only now.
        guard caller.mayOrder(at: opened.lane) else { throw .orderedLaneUnknown }
        // An earlier `allow` is not returned if a test document may have caused it: the caller would take it
        // for the outcome of a real document.
        guard opened.isAllowOfTest, try await !basis.basis().policy.acceptsTestDocuments else {
            return opened
        }
        throw .referenceOfTest
    }

    /// The presentation that an owner ordered earlier with the reference of this order, or `nil` if the
    /// reference is new.
    private func existing(
        orderedAs order: PresentationOrder, by owner: String
    ) async throws(PresentationServiceError) -> Opened? {
        if let record = try book.record(orderedAs: order, by: owner) { return .existing(record) }
        guard let past = try await past(orderedAs: order, by: owner) else { return nil }
        // The same order may have begun while the store was read. The book is therefore searched again.
        return try book.record(orderedAs: order, by: owner).map { .existing($0) } ?? .past(past)
    }

    /// Prepares a new presentation, and begins it after all earlier orders.
    private func create(
        _ order: PresentationOrder, by caller: KnownCaller, for owner: String,
        repeating repeated: RepeatedPresentation?
    ) async throws(PresentationServiceError) -> Opened {
        // Checked before anything is prepared, so that a refused order costs no signature and uses up no
        // reader token.
        try turns.check(caller.name)
        let lane = try namedLane(for: order)
        var (record, plan) = try await prepare(order, by: owner, at: lane)
        record.repeated = repeated
        // The lane of an order without a lane name is known only now.
        guard caller.mayOrder(at: record.lane) else { throw .orderedLaneUnknown }
        let turn = turns.next { [record, plan] () async throws(PresentationServiceError) in
            try await self.enter(record, plan, for: caller.name)
        }
        return try await turn.value.get()
    }

    /// Plans the request of an order with the current trust and the settings of its lane.
    ///
    /// - Returns: the record for `book`, and the plan for the lane.
    func prepare(
        _ order: PresentationOrder, by owner: String, at lane: ConfiguredLane
    ) async throws(PresentationServiceError) -> (PresentationRecord, PresentationPlan) {
        let now = now
        guard now >= WallClock.earliest else { throw .clockNotSet }
        if let webhook = order.webhook, webhooks?.accepts(webhook) != true { throw .webhookRefused }
        let brand = try await brand(for: order, by: owner)
        let signer = try identityName(for: order, brand)
        try await checkRetention(of: order, at: now)
        let plan = try RequestPlan(ordered: order.intent, keeping: order.retention)
        let further = try order.then.map { then throws(PresentationServiceError) in
            PresentationRecord.Further(
                order: then,
                plan: try RequestPlan(ordered: then.intent, keeping: then.retention, in: .further))
        }
        // The portrait of a data request goes to the caller and never to the clerk's page. No clerk could
        // compare it.
        guard order.kind == .display || order.validation != .confirm || !plan.needsPortrait else {
            throw .portraitNotCompared
        }
        // The portraits of both requests would share one HTTP path, from which a portrait can be fetched only
        // once.
        guard order.kind == .display || !plan.needsPortrait || further?.plan.needsPortrait != true else {
            throw .portraitAskedTwice
        }
        let purposes = [order.intent.purpose] + [order.then?.intent.purpose].compactMap(\.self)
        let basis = try await basis.basis().judging(
            purposes, choosing: [lane.settings.policy, order.policy])
        let question = try await question(
            asking: plan, for: order, brand: brand, signedBy: signer, at: now)
        var presentation = presentationPlan(asking: question, judgedBy: basis, with: lane.settings)
        if let further {
            presentation.further = try await self.further(
                plan,
                question: self.question(
                    asking: further.plan, for: order, brand: brand, signedBy: signer, at: now))
        }
        // Fails only if OpenSSL returns no random bytes.
        guard let id = try? PresentationID() else { throw .failed }
        let record = PresentationRecord(
            id: id, owner: owner, order: order, plan: plan, further: further,
            // The time is read again, since reading trust and identities may have taken seconds.
            lane: lane.lane.name, created: self.now, brand: brand, basis: basis,
            consentLimit: lane.settings.deadlines.consent)
        return (record, presentation)
    }

    /// The brand of the order's reader token, or of the token that the daemon makes for the order of a preset.
    /// Returns `nil` for an order without a reader token, which must not ask for data.
    private func brand(
        for order: PresentationOrder, by owner: String
    ) async throws(PresentationServiceError) -> PreparedBrand? {
        if let brand = order.presetBrand {
            guard let brands else { throw .readerTokenWithoutBrands }
            return try await brands.prepare(brand, for: owner)
        }
        guard let token = order.readerToken else {
            guard !order.asksForData else { throw .readerTokenRequired }
            return nil
        }
        guard let brands else {
            throw .readerTokenWithoutBrands
        }
        return try await brands.prepare(token)
    }

    /// The name of the identity that signs the request, or `nil` if the identity rules choose. A brand's
    /// identity signs only for orders with a token of that brand.
    private func identityName(
        for order: PresentationOrder, _ brand: PreparedBrand?
    ) throws(PresentationServiceError) -> String? {
        guard let name = order.identity else { return brand?.identity }
        guard brand == nil else {
            throw .identityBesideToken
        }
        guard try brands?.own(identity: name) != true else {
            throw .identityOfBrand
        }
        return name
    }

    /// Returns a request together with the reader identities that may sign it.
    ///
    /// - Parameter signer: the name of the identity that signs; `nil` if the identity rules choose.
    private func question(
        asking plan: RequestPlan, for order: PresentationOrder, brand: PreparedBrand?,
        signedBy signer: String?, at now: Timestamp
    ) async throws(PresentationServiceError) -> PresentationQuestion {
        PresentationQuestion(
            .planned(plan), identities: try await identities(named: signer, at: now), wallet: order.wallet,
            brand: brand?.identifier)
    }

    /// Returns the identity with this name as the only choice. Without a name, returns all identities with
    /// their rules.
    private func identities(
        named name: String?, at now: Timestamp
    ) async throws(PresentationServiceError) -> ReaderIdentityChoice {
        guard let name else { return try await basis.identities(at: now) }
        // A rule without conditions fits every request.
        return ReaderIdentityChoice([.init(identity: try await basis.identity(named: name, at: now))])
    }

    /// The second request of a session, which is sent only if the first response is accepted and answers each
    /// question of `first` with yes.
    private func further(
        _ first: RequestPlan, question: PresentationQuestion
    ) -> FurtherQuestion {
        let clock = clock
        return FurtherQuestion(question) { response in
            first.isAnsweredYes(by: response, on: WallClock.localDay(at: clock.now))
        }
    }

    /// The plan that a lane needs for a presentation: the request, the trust and policy for the judgement,
    /// and the lane's settings.
    private func presentationPlan(
        asking question: PresentationQuestion, judgedBy basis: JudgingBasis, with settings: LaneSettings
    ) -> PresentationPlan {
        PresentationPlan(
            question: question, trust: basis.trust, policy: basis.policy, deadlines: settings.deadlines,
            retrieval: settings.retrieval, requestVersion: settings.requestVersion, clock: clock)
    }

    /// Refuses an order whose data could not be retained, before the holder is informed about retention.
    private func checkRetention(of order: PresentationOrder, at now: Timestamp)
        async throws(PresentationServiceError)
    {
        let ofData =
            (order.kind == .data ? [order.retention] : []) + [order.then?.retention].compactMap(\.self)
        // The retention of a display request is at most a receipt, which needs a store but no further check.
        guard ([order.retention] + ofData).contains(where: { $0 != .none }) else { return }
        guard let archive else {
            throw .retentionWithoutStore
        }
        for retention in ofData where retention != .none { try await archive.check(retention, at: now) }
    }

    /// Writes a new presentation to the store, and begins it at its lane. An order that cannot be written
    /// is refused before its request is sent to the phone.
    ///
    /// - Parameter caller: the name of the caller whose hourly limit counts this presentation.
    private func enter(
        _ record: PresentationRecord, _ plan: PresentationPlan, for caller: String
    ) async throws(PresentationServiceError) -> Opened {
        if let existing = try book.record(orderedAs: record.order, by: record.owner) {
            return .existing(existing)
        }
        // Checked before the lane's turn is reserved, so that a caller over its limit cannot keep the lane
        // from serving the next phone without an order.
        try turns.check(caller)
        if let repeated = record.repeated { try book.checkAskingAgain(repeated.id, for: record.owner) }
        await reserveTurn(lane: record.lane)
        defer { releaseTurn(lane: record.lane) }
        // `begin` refuses an order at a busy lane, for example if a till repeats its order while a customer
        // is served. Such an order is not written.
        let isWritten = !book.isBusy(lane: record.lane)
        if isWritten { try await writeBegun(record) }
        do throws(PresentationServiceError) {
            try begin(record, plan)
        } catch {
            if isWritten { await archive?.withdraw(record.id) }
            throw error
        }
        turns.count(caller)
        return .created(record)
    }

    /// Begins a presentation at its lane. The lane, or the preset that made the order, may have been removed
    /// while the order was prepared or waited for its turn.
    ///
    /// - Throws: `laneUnknown`, `presetUnknown` if a preset made the order and the lane no longer has this
    ///   preset, `shuttingDown`, or an error of `PresentationBook.insert`.
    private func begin(_ record: PresentationRecord, _ plan: PresentationPlan)
        throws(PresentationServiceError)
    {
        guard !isEnding else { throw .shuttingDown }
        guard let configured = lanes[record.lane] else { throw .laneUnknown }
        try configured.checkPreset(of: record.order)
        let lane = configured.lane
        let before = book.latest(at: lane.name).flatMap { tasks[.running, $0.id] }
        do throws(PresentationServiceError) {
            perform(try book.insert(record))
        } catch {
            switch error {
            case .laneBusy, .decisionOpen: notify(.orderRefused, ofLane: lane.name)
            // Any other error has its cause in the order, and does not concern the lane's listeners.
            default: break
            }
            throw error
        }
        log.info("presentation armed", metadata: ["presentation": "\(record.id)", "lane": "\(lane.name)"])
        start(.running, of: record.id) { coordinator in
            // The lane's earlier presentation may have been cancelled, and the notification of its phone may
            // not be complete.
            await before?.value
            await coordinator.run(record.id, plan, at: lane)
        }
    }

    /// The lane that an order names, or the only lane if the order names none.
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

    /// Cancels a presentation. A presentation that waits for a decision is dismissed; a presentation that is
    /// over does not change.
    ///
    /// - Throws: `standingOrder` if the presentation belongs to the lane's standing order and is still
    ///   waiting for a phone.
    package func cancel(
        _ id: PresentationID, by caller: KnownCaller
    ) async throws(PresentationServiceError) -> PresentationRecord {
        // A decision whose receipts are being written is final, and is not dismissed below.
        await tasks[.writing, id]?.value
        guard !isUnasked(id) else { throw .standingOrder }
        let record = try await stop(id)
        guard record.state == .awaitingDecision else { return record }
        return try await decide(id, .dismissed, by: caller)
    }

    /// Cancels a presentation that is running, and waits until its task at the lane has ended.
    private func stop(_ id: PresentationID) async throws(PresentationServiceError) -> PresentationRecord {
        let record = try record(id)
        if book.cancel(id) { await lanes[record.lane]?.lane.cancel() }
        await tasks[.running, id]?.value
        // The presentation may have been removed from memory meanwhile.
        return book[id] ?? record
    }

    /// Records a person's decision, and returns the presentation after its receipts were written.
    package func decide(
        _ id: PresentationID, _ decision: PresentationRecord.Decision, by caller: KnownCaller
    ) async throws(PresentationServiceError) -> PresentationRecord {
        perform(try book.decide(id, decision, from: caller.decisionSource))
        await tasks[.writing, id]?.value
        return try record(id)
    }

    /// The portrait that a clerk compares.
    package func portrait(of id: PresentationID) throws(PresentationServiceError) -> Portrait {
        guard let portrait = try record(id).completion?.shown?.portrait else { throw .portraitGone }
        return portrait
    }

    /// The portrait of a data request as the phone sent it. Each portrait is returned once.
    package func takePortrait(of id: PresentationID) throws(PresentationServiceError) -> ArraySlice<UInt8> {
        try book.takePortrait(of: id)
    }

    // MARK: Ending

    /// Ends all presentations, notifies their phones, writes what can still be written, removes personal
    /// data, and disconnects the listeners.
    package func close() async {
        turns.end()
        tries.abandonAll()
        // These reservations are never released, so that no lane begins another presentation by itself.
        for name in standing.laneNames { await reserveTurn(lane: name) }
        for task in standing.tasks { task.cancel() }
        book.interrupt()
        // `interrupt` comes first, so that these presentations end as `restarted` and not as cancelled by a
        // caller. `stop` fails only for a presentation that was removed meanwhile.
        for id in book.ids { _ = try? await stop(id) }
        for task in standing.tasks { await task.value }
        // Nobody can decide any more: an open decision ends as restarted, and its receipts are written now.
        for id in book.ids {
            expire(.decision, of: id)
            await tasks[.writing, id]?.value
        }
        // A cancelled task makes one last attempt to write.
        for task in tasks.all(.retrying) {
            task.cancel()
            await task.value
        }
        for lane in lanes.all { await lane.lane.waitUntilLeft() }
        book.wipe()
        logs.close()
        desk.close()
    }
}
