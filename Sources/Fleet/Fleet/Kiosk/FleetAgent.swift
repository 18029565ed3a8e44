internal import Dispatch
internal import JSON
package import Logging
internal import MdocModel
internal import MdocTrust
internal import ReaderTokens

/// The kiosk's part of a fleet: enrols the kiosk, puts the chain's fleet documents in force, pushes receipts,
/// and reports the kiosk's state. Without a hub, the kiosk continues with the documents that it has.
///
/// `countersignd` creates one agent for the section `fleet` of its configuration and calls `run`, which lasts
/// until the daemon ends. `run` requests the kiosk's desired state from the hub at the start, after each
/// notice of the broker, and regularly. The hub's answer is trusted only to offer documents and to stop the
/// kiosk. Each document must be signed by a fleet key. For signed documents, these rules apply:
///
/// - A document that does not change the configuration is put in force immediately.
/// - A document that changes the configuration is put in force after a *trial*, in which the daemon's lanes
///   become ready with the new configuration. One trial runs at a time. If the lanes do not become ready,
///   they return to the former configuration and the document is never tried again.
/// - A stopped kiosk accepts no orders and makes no trials. It continues to request its desired state, to
///   send reports and to push receipts.
///
/// A stop of the kiosk takes effect without waiting for other work. Trials and the start after a stop run as
/// separate tasks (`PendingWork`), and each task checks at its end whether the kiosk was stopped in the
/// meantime.
///
/// Each part of the state is a value with its own rules:
/// - `KeptState`: the accepted documents and whether the kiosk is stopped, written to the kiosk's folder
///   (`FleetFolder`) with each change;
/// - `QuestionSchedule`: the time of the next request for the desired state;
/// - `RefusedDocuments` and `ReceiptBacklog`: the contents of the report.
///
/// Three helpers are actors: `EnrolledHub` (certificate and client), `BrokerFollower` (broker) and
/// `ReceiptPusher` (receipts). The agent changes lanes, tokens and the configuration in force only through
/// its `FleetActions`, and never moves the kiosk to another site or group.
package actor FleetAgent {
    /// The maximum time for which the agent sleeps before it reads the schedule again, because a notice of
    /// the broker may have brought the next request forward.
    private static let lookInterval = Duration.milliseconds(200)
    /// The maximum random delay of a report about a changed lane, in seconds. The delay keeps the kiosks from
    /// reporting all at the same moment, such as after a power cut.
    private static let spread: Int64 = 10
    /// The advice to an operator if the hub's latest receipt is not in the kiosk's store.
    package static let setBack =
        "Check whether the kiosk's store was restored from a backup, and see the section \"Receipts\" in Documentation/fleet.md"

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
    /// The signals that wake `followState` after a request to the hub was scheduled.
    private let notices = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The last report that the hub accepted, or `nil` if the hub has accepted none.
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

    /// Runs all tasks of the agent until the calling task is cancelled, then waits for pending work.
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

    /// Stops the kiosk again if it was stopped when the daemon ended, and restores the brands of the accepted
    /// documents. The daemon has already applied the documents' configuration.
    func start() async {
        for (level, error) in accepted.leftOut {
            log.error(
                "a stored fleet document is not used, because it is no longer for this kiosk",
                metadata: ["level": "\(level.rawValue)", "id": "\(error.id)", "why": "\(error.explanation)"])
        }
        if isStopped { await actions.setStopped(true) }
        await installer.putBrands(of: accepted)
    }

    // MARK: The desired state

    /// Calls `update()` at the start, after each call of `askHub(withinSeconds:)`, and again after a failure.
    private func followState() async {
        askHub(withinSeconds: 0)
        for await _ in notices.stream {
            // This loop sleeps in short steps, because a notice may bring the request forward, even during
            // the pause after a failure.
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

    /// Schedules a request for the desired state about every five minutes.
    private func askRegularly() async {
        // `pollPause` is random already, so the request needs no further random delay.
        while await rest(for: settings.pollPause) { askHub(withinSeconds: 0) }
    }

    /// Schedules a request for the desired state at a random time within `spread` seconds.
    package func askHub(withinSeconds spread: Int64) {
        schedule.ask(
            at: settings.instant() + .milliseconds(Int64.random(in: 0...max(0, spread * 1000))))
        notices.continuation.yield()
    }

    /// Requests the kiosk's desired state from the hub and acts on the answer. Returns `false` if the request
    /// must be repeated soon, because the hub did not answer or a document must be requested again.
    private func update() async -> Bool {
        kept.saveAgain()
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
            // A revoked kiosk gets the same refusal each time, so it asks again only at the regular interval.
            return error.isRevocation
        }
    }

    /// Downloads and accepts the offered documents, the least specific level first. Returns `false` if one of
    /// them must be requested again soon.
    private func obey(_ state: HubState, by client: HubClient) async -> Bool {
        var isComplete = true
        refused.begin()
        for entry in state.documents.sorted(by: { $0.level.order < $1.level.order }) where isMissing(entry) {
            do {
                let bytes = try await client.get("/fleet/v1/documents/\(entry.digest.hexadecimal)")
                if try await !receiveDocument(bytes) { isComplete = false }
            } catch FleetDocumentError.older(let version) {
                // The hub offers a replaced document again while the roll-out of the later document is
                // paused. The replaced document counts as refused only if no document of its level is in
                // force.
                refused.recordOutdated(entry.digest)
                if accepted.documents[entry.level] == nil { refuse(entry, .older(than: version)) }
            } catch let error as FleetDocumentError {
                refuse(entry, error)
            } catch {
                log.warning(
                    "document \(entry.level.rawValue) \(entry.version) cannot be downloaded from the hub; the kiosk tries again",
                    metadata: ["why": "\((error as? HubError)?.explanation ?? "")"])
                isComplete = false
            }
        }
        refuseUnusable()
        return isComplete
    }

    /// Whether the document must be downloaded. A document is not downloaded if it is in force or in a trial,
    /// or if it is known to be older than the document in force.
    private func isMissing(_ entry: HubState.Entry) -> Bool {
        let isTried = work.isTrying && accepted.trials[entry.digest] != nil
        return accepted.documents[entry.level]?.digest != entry.digest
            && !refused.isOutdated(entry.digest) && !isTried
    }

    /// Reports accepted documents as refused if the configuration has a fault with these documents and no
    /// fault without them. A change of the kiosk's own file can cause this.
    private func refuseUnusable() {
        let file = actions.file()
        // If the kiosk's own file already has a fault without the documents, the documents are not the cause.
        guard let configuration = try? kept.configuration(over: file), configuration != .file(file),
            actions.check(.file(file)) == nil, actions.check(configuration) != nil
        else { return }
        for (level, document) in accepted.documents where document.document.configuration != nil {
            // Only the id goes into the report, so the text of the fault is left empty.
            refused.record(
                FleetDocumentError.configurationRefused("").id, level: level,
                version: document.document.version)
        }
    }

    /// Records the refusal of an offered document for the next report, and logs the reason.
    private func refuse(_ entry: HubState.Entry, _ error: FleetDocumentError) {
        refused.record(error.id, level: entry.level, version: entry.version)
        log.error(
            "a fleet document is refused",
            metadata: [
                "level": "\(entry.level.rawValue)", "version": "\(entry.version)", "id": "\(error.id)",
                "why": "\(error.explanation)",
            ])
    }

    // MARK: Stopping

    /// Stops the kiosk. A stopped kiosk accepts no orders, and stays stopped after a restart.
    func stop(_ why: String) async {
        guard !isStopped else { return }
        kept.change { $0.isStopped = true }
        log.error("the kiosk stops accepting orders", metadata: ["why": "\(why)"])
        await actions.setStopped(true)
    }

    /// Stops the kiosk if the hub's refusal says that this kiosk is revoked.
    func stop(after error: HubError) async {
        if error.isRevocation { await stop("this kiosk is revoked") }
    }

    /// Begins to accept orders again, as a separate task, so that the agent can stop the kiosk again while
    /// the lanes become ready.
    private func beginResuming() {
        guard isStopped, !work.isResuming else { return }
        work.resumption = Task {
            await self.resume()
            self.work.resumption = nil
            self.askHub(withinSeconds: 0)
        }
    }

    /// Ends the stop: applies the accepted documents, and then lets the daemon accept orders.
    func resume() async {
        guard isStopped else { return }
        kept.change { $0.isStopped = false }
        log.notice("the kiosk accepts orders again")
        // If the kiosk was stopped during a trial, the daemon may still use the configuration of the trial.
        // The configuration of the accepted documents is therefore applied before orders are accepted.
        await applyAccepted()
        // The kiosk may have been stopped again while lanes became ready. That stop must stay in force.
        guard !isStopped else { return }
        await actions.setStopped(false)
        // If the kiosk was stopped while the agent waited for `setStopped(false)`, the daemon may have
        // received the call of `stop` first. The stop must win, so it is sent once more.
        if isStopped { await actions.setStopped(true) }
    }

    // MARK: Documents

    /// Accepts a document, or begins a trial of it. A document that changes the configuration waits for a
    /// later request to the hub while another trial runs or the kiosk is stopped.
    ///
    /// - Returns: `false` if the document must be requested again soon.
    /// - Throws: The reason why the document is refused.
    @discardableResult
    func receiveDocument(_ bytes: [UInt8]) async throws(FleetDocumentError) -> Bool {
        let document = try VerifiedFleetDocument(bytes, by: accepted.keyring)
        var next = accepted
        // This document is in force already.
        guard try next.accept(document, at: settings.now()) else { return true }
        let file = actions.file()
        let built = try next.builtConfiguration(over: file)
        // If the present configuration cannot be built, the new configuration counts as a change.
        let isChange = built.configuration != (try? kept.configuration(over: file))
        // The trust is checked before a trial, so that no lane is changed for a document whose trust is
        // refused.
        let bundle = try await installer.bundle(of: next, after: accepted)
        if let bundle { _ = try await installer.change(by: bundle, after: accepted) }
        let trial = Trial(document: document, built: built, bundle: bundle)
        guard isChange else { return await settle(trial) }
        // One trial runs at a time. The hub offers the document again when the kiosk asks after the trial.
        guard !work.isTrying else { return true }
        // A trial needs lanes, and a stopped kiosk runs no lanes.
        guard !isStopped, !work.isResuming else {
            log.notice("document \(trial.name) waits until the kiosk is started")
            return true
        }
        if let fault = actions.check(trial.configuration) { throw .configurationRefused(fault) }
        kept.change { $0.accepted.beginTrial(of: document.digest) }
        work.trial = Task { await self.prove(trial) }
        return true
    }

    /// Applies a trial's configuration, records the result, and accepts the document if the lanes became
    /// ready.
    private func prove(_ trial: Trial) async {
        let before = kept.stops
        var outcome = await actions.apply(trial.configuration)
        // If the kiosk was stopped or the daemon began to shut down during the trial, the document may not be
        // the cause of the outcome. The outcome then counts as unknown.
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
        // The daemon is shutting down. The hub offers the document again after the next start.
        guard !Task.isCancelled else { return }
        // If the document cannot be accepted now, an immediate second trial would end in the same way. So the
        // document waits up to 60 s, like a document whose trial has no result.
        if outcome == .ready, await !settle(trial) { outcome = .inUse }
        if outcome != .ready { await applyAccepted() }
        work.trial = nil
        askHub(withinSeconds: outcome == .inUse ? 60 : 0)
    }

    /// Puts the accepted documents in force, or the kiosk's own file alone if the documents lead to a fault.
    private func applyAccepted() async {
        let file = actions.file()
        let configuration = (try? kept.configuration(over: file)) ?? .file(file)
        // The outcome is not used: if the lanes do not become ready, there is no other configuration to
        // apply.
        _ = await actions.apply(actions.check(configuration) == nil ? configuration : .file(file))
    }

    /// Stores the brands and trust of the trial's document, and then accepts the document. Calls run one
    /// after another.
    ///
    /// - Returns: `false` if the document is now refused, leads to another configuration than in the trial,
    ///   or has brands or trust that cannot be stored. The previous documents and brands then stay in force.
    private func settle(_ trial: Trial) async -> Bool {
        await work.settle { await self.settleNow(trial) }.value
    }

    /// Stores the brands and trust of a document, and accepts the document. `settle` calls this function for
    /// one document at a time.
    private func settleNow(_ trial: Trial) async -> Bool {
        var brandsBefore: BrandFiles?
        do throws(FleetDocumentError) {
            var next = accepted
            try next.accept(trial, at: settings.now())
            guard try next.configuration(over: actions.file()) == trial.configuration else {
                log.notice(
                    "document \(trial.name) is not applied yet: the kiosk's configuration changed while the document was checked; the kiosk tries again"
                )
                return false
            }
            var change: FleetTrust?
            if let bundle = try await installer.bundle(of: next, after: accepted, knowing: trial.bundle) {
                change = try await installer.change(by: bundle, after: accepted)
            }
            // No accepted document contains the brands that are stored now, so they can be restored only from
            // a copy.
            if accepted.brands == nil, next.brands != nil { brandsBefore = try await installer.brandFiles() }
            // Brands and trust are stored before the document is accepted. After a crash in between, the next
            // start restores the former brands, and the hub offers the document again.
            try await installer.putBrands(inForceOf: next)
            if let change { try await installer.store(change) }
            // The document is accepted into the current content, which may differ from `next`: a trial may
            // have begun or ended during the writes above.
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

    // MARK: Reports

    /// Sends a report if it differs from the last accepted one. A report that the hub does not accept is sent
    /// again after the next request for the desired state.
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
            log.warning("the hub does not accept the report", metadata: ["why": "\(error.explanation)"])
        }
    }

    func health() async -> KioskHealth { backlog.health(beside: await actions.health()) }

    /// Schedules a report within a minute after a lane or a finding changes.
    private func watchHealth() async {
        while await rest(for: settings.healthInterval) {
            // Before the first accepted report, no report is scheduled here, because the agent sends a report
            // after its next request to the hub anyway.
            if lastReport != nil, await health().isNews(after: lastReport?.health) {
                askHub(withinSeconds: Self.spread)
            }
        }
    }

    /// Records the id of the problem with which the hub refuses receipts, and schedules a report if the id
    /// has changed. The id is empty while the hub accepts receipts.
    func receipts(fault: String) {
        if backlog.record(fault: fault) { askHub(withinSeconds: 0) }
    }

    /// Records the number of waiting receipts, and schedules a report if the number has risen above
    /// `ReceiptBacklog.mostWaiting` or fallen below it again.
    func receipts(waiting: Int64) {
        let isNews = backlog.record(waiting: waiting)
        actions.setWaiting(waiting)
        guard isNews else { return }
        if backlog.isTooLong {
            log.error(
                "more than \(ReceiptBacklog.mostWaiting) receipts wait for the hub: check why the hub does not receive them"
            )
        }
        askHub(withinSeconds: Self.spread)
    }

    // MARK: State that others read

    var accepted: AcceptedDocuments { kept.accepted }
    var isStopped: Bool { kept.isStopped }
    /// The number of times that the kiosk was stopped since the daemon started.
    var stops: Int { kept.stops }
    var isTrying: Bool { work.isTrying }
    var isResuming: Bool { work.isResuming }
    var receiptFault: String { backlog.fault }
    var receiptsWaiting: Int64? { backlog.waiting }

    /// Waits for the end of the current trial, for tests.
    func finishTrial() async { await work.trial?.value }
}

/// A verified document that is to be accepted, with its configuration and trust bundle. With this value, the
/// agent verifies the document, builds the configuration and parses the bundle only once.
struct Trial: Sendable {
    let document: VerifiedFleetDocument
    /// The configuration with this document in place of the former document of its level.
    let built: AcceptedDocuments.BuiltConfiguration
    /// The trust bundle that is in force together with the document, or `nil` if the document does not change
    /// the bundle in force.
    let bundle: FleetTrust.Bundle?

    var configuration: AcceptedDocuments.Configuration { built.configuration }

    /// The level and version of the document, for messages.
    var name: String { "\(document.document.level.rawValue) \(document.document.version)" }
}

/// The agent's tasks that may take longer than the request to the hub that started them. While they run, the
/// agent continues to request the desired state, so that a stop of the kiosk need not wait until lanes are
/// ready.
private struct PendingWork {
    /// The current trial.
    var trial: Task<Void, Never>?
    /// The task that lets a stopped kiosk accept orders again.
    var resumption: Task<Void, Never>?
    /// The latest task that stores a document's brands and trust.
    private var settling: Task<Bool, Never>?

    var isTrying: Bool { trial != nil }
    var isResuming: Bool { resumption != nil }

    /// Runs `body` after the previous `settle` task has ended, so that two documents are never stored at the
    /// same time.
    mutating func settle(_ body: @escaping @Sendable () async -> Bool) -> Task<Bool, Never> {
        let before = settling
        let task = Task {
            _ = await before?.value
            return await body()
        }
        settling = task
        return task
    }

    /// Cancels the trial and the task that ends a stop, and waits for the end of both.
    func end() async {
        for task in [trial, resumption] {
            task?.cancel()
            await task?.value
        }
    }
}

/// Runs a function that may wait for the disk, and returns its result. The function runs on a dispatch queue,
/// because a thread of Swift's cooperative pool must not block.
func blocking<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let count = WorkCount.current
    return try await withCheckedContinuation {
        (answer: CheckedContinuation<Result<Value, Failure>, Never>) in
        DispatchQueue.global().async {
            // A dispatch queue does not inherit task-local values, so the value is set again.
            WorkCount.$current.withValue(count) {
                answer.resume(returning: Result { () throws(Failure) in try body() })
            }
        }
    }.get()
}

extension FleetLevel {
    /// The position of the level, from 0 for the chain to 3 for the kiosk.
    var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
