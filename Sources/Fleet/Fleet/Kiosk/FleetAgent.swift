internal import Dispatch
internal import JSON
package import Logging
internal import MdocModel
internal import MdocTrust
internal import ReaderTokens

/// A kiosk of a fleet: enrols, obeys documents, pushes receipts, and says that it is there. Without the hub it continues as it is.
///
/// `run` asks the hub at the start, after each notice of the broker, and regularly. The hub names documents, and may stop the kiosk; it
/// is believed in nothing else. A document counts by its signature:
///
/// - One that leaves the configuration as it is is obeyed at once.
/// - One that changes the configuration is obeyed once the daemon's lanes are ready with it (a trial), one at a time. The lanes go back
///   to the former configuration if they do not become ready.
/// - A stopped kiosk takes no orders and tries no lanes. It goes on asking, reporting and pushing receipts.
///
/// A stop waits for nothing: trials and the start after a stop run as tasks of their own (`PendingWork`), and look afterwards whether
/// the kiosk was stopped meanwhile.
///
/// Each part of the state is a value with its own rules: `KeptState` (obeyed documents and stop, written to the folder with each
/// change), `QuestionSchedule` (when the hub is asked next), `RefusedDocuments` and `ReceiptBacklog` (for the report). The hub's
/// certificate (`EnrolledHub`), the broker (`BrokerFollower`) and receipts (`ReceiptPusher`) are actors of their own. The agent never
/// touches lanes, tokens or the configuration in force but by its `FleetActions`.
package actor FleetAgent {
    /// How often a question that waits is looked at.
    private static let lookInterval = Duration.milliseconds(200)
    /// Over how many seconds kiosks spread what they say of lanes: a cut of power meets many of them.
    private static let spread: Int64 = 10
    /// What to look for if the hub has other receipts than the kiosk.
    package static let setBack =
        "See whether the kiosk's store was restored from a backup, and Receipts in fleet.md"

    private let settings: KioskSettings
    private let folder: FleetFolder
    private let actions: FleetActions
    private let log: Logger
    private let hub: EnrolledHub
    private let installer: DocumentInstaller
    private var kept: KeptState
    private var work = PendingWork()
    private var refused = RefusedDocuments()
    private var backlog = ReceiptBacklog()
    private var schedule = QuestionSchedule()
    /// Wakes the agent where something asks for a question.
    private let notices = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The report that the hub has of this kiosk; nil until it has one.
    private(set) var lastReport: KioskReport?

    package init(
        _ settings: KioskSettings, in folder: FleetFolder,
        from state: (accepted: AcceptedDocuments, isStopped: Bool), by actions: FleetActions, log: Logger
    ) {
        self.settings = settings
        self.folder = folder
        self.actions = actions
        self.log = log
        hub = EnrolledHub(settings, as: folder, log: log)
        installer = DocumentInstaller(settings, clockSkew: actions.clockSkew, log: log)
        kept = KeptState(
            KeptState.Content(accepted: state.accepted, isStopped: state.isStopped), in: folder, log: log)
    }

    /// Runs until it is cancelled.
    package func run() async {
        await start()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.followState() }
            group.addTask { [settings, hub, log] in
                await ReceiptPusher(settings, to: hub, for: self, log: log).run()
            }
            group.addTask { [settings, folder, hub, log] in
                await BrokerFollower(settings, in: folder, askingAt: hub, for: self, log: log).run()
            }
            group.addTask { await self.askRegularly() }
            group.addTask { await self.watchHealth() }
        }
        await work.end()
        await hub.end()
    }

    /// Puts in force what the kiosk obeyed when it ended.
    func start() async {
        for (level, error) in accepted.leftOut {
            log.error(
                "a stored document of the fleet is left out",
                metadata: ["level": "\(level.rawValue)", "id": "\(error.id)", "why": "\(error.explanation)"])
        }
        if isStopped { await actions.setStopped(true) }
        await installer.putBrands(of: accepted)
    }

    // MARK: The desired state

    /// Asks the hub at once, after each notice, and again where it did not answer as it should.
    private func followState() async {
        notice(spread: 0)
        for await _ in notices.stream {
            // A notice may bring the question forward, also one that follows a failure.
            while let wait = schedule.wait(at: settings.instant()) {
                guard wait == .zero else {
                    guard await rest(for: min(wait, Self.lookInterval)) else { return }
                    continue
                }
                schedule.begin()
                let isComplete = await update()
                schedule.end(
                    isComplete: isComplete, at: settings.instant(),
                    pausing: { settings.pause(after: $0) })
            }
        }
    }

    private func askRegularly() async {
        while await rest(for: settings.pollPause) { notice(spread: 0) }
    }

    /// Has the hub asked within so many seconds.
    package func notice(spread: Int64) {
        schedule.ask(
            at: settings.instant() + .milliseconds(Int64.random(in: 0...max(0, spread * 1000))))
        notices.continuation.yield()
    }

    /// Whether the hub answered, and all that it names was had.
    private func update() async -> Bool {
        kept.keepAgain()
        do throws(HubError) {
            let client = try await hub.enrolledClient()
            let state = try await client.state()
            if state.isStopped { await stop("the hub stops this kiosk") } else { beginResuming() }
            let isComplete = await obey(state, by: client)
            await report(to: client)
            return isComplete
        } catch {
            await stop(after: error)
            log.warning("the kiosk cannot ask its hub", metadata: ["why": "\(error.explanation)"])
            return error.isRevocation
        }
    }

    /// Takes what the hub names, the least specific first. False if something of it is to be asked for again soon.
    private func obey(_ state: HubState, by client: HubClient) async -> Bool {
        var isComplete = true
        refused.begin()
        for entry in state.documents.sorted(by: { $0.level.order < $1.level.order }) where isFurther(entry) {
            do {
                let bytes = try await client.get("/fleet/v1/documents/\(entry.digest.hexadecimal)")
                if try await !take(bytes) { isComplete = false }
            } catch FleetDocumentError.older(let version) {
                // What a later document replaced is offered again while the later one's roll-out pauses.
                refused.recordOutdated(entry.digest)
                if accepted.documents[entry.level] == nil { refuse(entry, .older(than: version)) }
            } catch let error as FleetDocumentError {
                refuse(entry, error)
            } catch {
                log.warning(
                    "document \(entry.level.rawValue) \(entry.version) cannot be fetched from the hub: it is asked for again",
                    metadata: ["why": "\((error as? HubError)?.explanation ?? "")"])
                isComplete = false
            }
        }
        refuseUnusable()
        return isComplete
    }

    /// Whether it is neither obeyed, nor older, nor what the lanes are tried with.
    private func isFurther(_ entry: HubState.Entry) -> Bool {
        let isTried = work.isTrying && accepted.trials[entry.digest] != nil
        return accepted.documents[entry.level]?.digest != entry.digest
            && !refused.isOutdated(entry.digest) && !isTried
    }

    /// Reports what is obeyed and leads to a configuration with a fault since the kiosk's own file has changed.
    private func refuseUnusable() {
        let file = actions.file()
        guard let configuration = try? kept.configuration(over: file), configuration != .file(file),
            actions.check(.file(file)) == nil, actions.check(configuration) != nil
        else { return }
        for (level, document) in accepted.documents where document.document.configuration != nil {
            refused.record(
                FleetDocumentError.configurationRefused("").id, level: level,
                version: document.document.version)
        }
    }

    private func refuse(_ entry: HubState.Entry, _ error: FleetDocumentError) {
        refused.record(error.id, level: entry.level, version: entry.version)
        log.error(
            "a document of the fleet is refused",
            metadata: [
                "level": "\(entry.level.rawValue)", "version": "\(entry.version)", "id": "\(error.id)",
                "why": "\(error.explanation)",
            ])
    }

    // MARK: Stopping

    func stop(_ why: String) async {
        guard !isStopped else { return }
        kept.change { $0.isStopped = true }
        log.error("the kiosk stops", metadata: ["why": "\(why)"])
        await actions.setStopped(true)
    }

    /// Stops where the hub said that this kiosk is revoked.
    func stop(after error: HubError) async {
        if error.isRevocation { await stop("this kiosk is revoked") }
    }

    /// Takes orders again once lanes follow. The hub is asked meanwhile: another stop waits for no lane.
    private func beginResuming() {
        guard isStopped, !work.isResuming else { return }
        work.resumption = Task {
            await self.resume()
            self.work.resumption = nil
            self.notice(spread: 0)
        }
    }

    func resume() async {
        guard isStopped else { return }
        kept.change { $0.isStopped = false }
        log.notice("the kiosk takes orders again")
        // What was proven takes the place of what a stop interrupted, before orders are taken.
        await applyAccepted()
        // A stop may have come while lanes were waited for: it is not undone.
        guard !isStopped else { return }
        await actions.setStopped(false)
        if isStopped { await actions.setStopped(true) }
    }

    // MARK: Documents

    /// Obeys a document, or begins to try the lanes with it. One that changes the configuration is left for another question while the
    /// lanes are tried with another document, or the kiosk is stopped. Throws why it is refused.
    ///
    /// - Returns: false if it is to be asked for again soon.
    @discardableResult
    func take(_ bytes: [UInt8]) async throws(FleetDocumentError) -> Bool {
        let document = try VerifiedFleetDocument(bytes, by: accepted.keyring)
        var next = accepted
        guard try next.accept(document, at: settings.now()) else { return true }
        let file = actions.file()
        let built = try next.builtConfiguration(over: file)
        let isChange = built.configuration != (try? kept.configuration(over: file))
        let bundle = try await installer.bundle(of: next, after: accepted)
        if let bundle { _ = try await installer.change(by: bundle, after: accepted) }
        let trial = Trial(document: document, built: built, bundle: bundle)
        guard isChange else { return await settle(trial) }
        guard !work.isTrying else { return true }
        // A stopped kiosk has no lanes to try.
        guard !isStopped, !work.isResuming else {
            log.notice("document \(trial.name) waits until the kiosk is started")
            return true
        }
        if let fault = actions.check(trial.configuration) { throw .configurationRefused(fault) }
        kept.change { $0.accepted.beginTrial(of: document.digest) }
        work.trial = Task { await self.prove(trial) }
        return true
    }

    private func prove(_ trial: Trial) async {
        let before = kept.stops
        var outcome = await actions.apply(trial.configuration)
        // One that was stopped or ends meanwhile has learned nothing.
        if isStopped || kept.stops != before || Task.isCancelled { outcome = .inUse }
        if outcome == .notReady {
            log.error(
                "document \(trial.name) is not used: the lanes did not become ready with it. See GET /v1/lanes, then sign another version"
            )
        }
        kept.change {
            $0.accepted.endTrial()
            if outcome == .notReady { $0.accepted.fail(trial.document.digest) }
        }
        guard !Task.isCancelled else { return }
        // It would be refused again at once.
        if outcome == .ready, await !settle(trial) { outcome = .inUse }
        if outcome != .ready { await applyAccepted() }
        work.trial = nil
        notice(spread: outcome == .inUse ? 60 : 0)
    }

    /// Has the daemon use what is obeyed, or the kiosk's own file alone where that leads to a fault.
    private func applyAccepted() async {
        let file = actions.file()
        let configuration = (try? kept.configuration(over: file)) ?? .file(file)
        _ = await actions.apply(actions.check(configuration) == nil ? configuration : .file(file))
    }

    /// Puts brands and trust of a document in the store and obeys it, one document after the other. False if that cannot be done now:
    /// it is refused by now, leads to another configuration than the one that was looked at, or its brands cannot be kept. The documents
    /// before stay in force then, with their brands.
    private func settle(_ trial: Trial) async -> Bool {
        await work.settle { await self.settleNow(trial) }.value
    }

    private func settleNow(_ trial: Trial) async -> Bool {
        var brandsBefore: BrandFiles?
        do throws(FleetDocumentError) {
            var next = accepted
            try next.accept(trial, at: settings.now())
            guard try next.configuration(over: actions.file()) == trial.configuration else {
                log.notice("document \(trial.name) waits: another changed meanwhile what it leads to")
                return false
            }
            var change: FleetTrust?
            if let bundle = try await installer.bundle(of: next, after: accepted, knowing: trial.bundle) {
                change = try await installer.change(by: bundle, after: accepted)
            }
            // Nothing but a copy brings back what no document says.
            if accepted.brands == nil, next.brands != nil { brandsBefore = try await installer.brandFiles() }
            try await installer.putBrands(inForceOf: next)
            if let change { try await installer.store(change) }
            // A trial may have begun or ended meanwhile: that stays.
            try kept.change { content throws(FleetDocumentError) in
                try content.accepted.accept(trial, at: settings.now())
            }
        } catch {
            log.error("document \(trial.name) is not applied", metadata: ["why": "\(error.explanation)"])
            await installer.putBrands(of: accepted, orElse: brandsBefore)
            return false
        }
        log.notice("document \(trial.name) is applied")
        return true
    }

    // MARK: What the kiosk says of itself

    /// Says what is obeyed, and how the kiosk is, where that is not what was said last. What the hub does not take is said again with
    /// the next question.
    private func report(to client: HubClient) async {
        let report = KioskReport(
            software: settings.software, documents: refused.entries(beside: accepted),
            receipts: backlog.fault,
            health: await health())
        guard report != lastReport else { return }
        do throws(HubError) {
            _ = try await client.post("/fleet/v1/report", report.json.utf8, type: "application/json")
            lastReport = report
        } catch {
            await stop(after: error)
            log.warning("the hub does not take the report", metadata: ["why": "\(error.explanation)"])
        }
    }

    func health() async -> KioskHealth { backlog.health(beside: await actions.health()) }

    /// Reports within a minute that a lane is not ready, or is ready again.
    private func watchHealth() async {
        while await rest(for: settings.healthInterval) {
            if lastReport != nil, await health().isNews(after: lastReport?.health) {
                notice(spread: Self.spread)
            }
        }
    }

    /// Says why the hub takes no receipts, with a report where that is another reason than before; empty if they arrive.
    func receipts(fault: String) {
        if backlog.record(fault: fault) { notice(spread: 0) }
    }

    /// Says how many receipts wait, with a report where they become too many.
    func receipts(waiting: Int64) {
        let isNews = backlog.record(waiting: waiting)
        actions.setWaiting(waiting)
        guard isNews else { return }
        if backlog.isTooLong {
            log.error(
                "more than \(ReceiptBacklog.mostWaiting) receipts wait for the hub: see why they do not arrive"
            )
        }
        notice(spread: Self.spread)
    }

    // MARK: State that others read

    /// What the kiosk obeys.
    var accepted: AcceptedDocuments { kept.accepted }
    var isStopped: Bool { kept.isStopped }
    /// The number of times that the kiosk was stopped since its start.
    var stops: Int { kept.stops }
    var isTrying: Bool { work.isTrying }
    var isResuming: Bool { work.isResuming }
    var receiptFault: String { backlog.fault }
    var receiptsWaiting: Int64? { backlog.waiting }

    /// Waits for the lanes that are tried with a document.
    func finishTrial() async { await work.trial?.value }
}

/// A document on its way to being obeyed, with what it leads to: verified once, built once, and its bundle opened once.
struct Trial: Sendable {
    let document: VerifiedFleetDocument
    /// The configuration that the document leads to beside those of the other levels.
    let built: AcceptedDocuments.BuiltConfiguration
    /// The bundle that counts with it; nil if the kiosk's trust stays as it is.
    let bundle: FleetTrust.Bundle?

    var configuration: AcceptedDocuments.Configuration { built.configuration }

    /// Level and version of the document.
    var name: String { "\(document.document.level.rawValue) \(document.document.version)" }
}

/// The tasks of an agent that outlast the question that began them. The hub is asked meanwhile: a stop waits for no lane.
private struct PendingWork {
    /// Tries the lanes with a further document.
    var trial: Task<Void, Never>?
    /// Takes orders again after a stop.
    var resumption: Task<Void, Never>?
    /// Puts a document in the store, the last of several.
    private var settling: Task<Bool, Never>?

    var isTrying: Bool { trial != nil }
    var isResuming: Bool { resumption != nil }

    /// Does something once what was begun before is done.
    mutating func settle(_ body: @escaping @Sendable () async -> Bool) -> Task<Bool, Never> {
        let before = settling
        let task = Task {
            _ = await before?.value
            return await body()
        }
        settling = task
        return task
    }

    func end() async {
        for task in [trial, resumption] {
            task?.cancel()
            await task?.value
        }
    }
}

/// Runs what waits for the disk on a separate thread.
func blocking<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let count = WorkCount.current
    return try await withCheckedContinuation {
        (answer: CheckedContinuation<Result<Value, Failure>, Never>) in
        DispatchQueue.global().async {
            // A queue does not inherit what a task has bound.
            WorkCount.$current.withValue(count) {
                answer.resume(returning: Result { () throws(Failure) in try body() })
            }
        }
    }.get()
}

extension FleetLevel {
    var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
