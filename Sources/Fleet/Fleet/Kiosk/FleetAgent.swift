internal import Dispatch
internal import ErrorMapping
internal import JSON
package import Logging
internal import MdocModel
internal import MdocTrust
internal import ReaderIdentityStore
internal import ReaderStore

/// What the daemon does for its fleet.
package struct FleetActions: Sendable {
    /// The kiosk's own configuration file.
    let file: @Sendable () -> [UInt8]
    /// The fault of a configuration; nil if it can be used.
    let check: @Sendable (AcceptedDocuments.Configuration) -> String?
    /// Uses a configuration from now on, as far as the kiosk is not stopped.
    let apply: @Sendable (AcceptedDocuments.Configuration) async -> FleetOutcome
    /// Takes no order any more and no token, whatever is applied, until it is called with false. Waits for no `apply`.
    let setStopped: @Sendable (Bool) async -> Void
    /// The seconds by which a trust list may be from the future, as the configuration in force says.
    let clockSkew: @Sendable () async -> Int64
    /// How the kiosk is.
    let health: @Sendable () async -> KioskHealth
    /// How many receipts wait for the hub, for the daemon's figures.
    let setWaiting: @Sendable (Int64) -> Void

    package init(
        file: @escaping @Sendable () -> [UInt8],
        check: @escaping @Sendable (AcceptedDocuments.Configuration) -> String?,
        apply: @escaping @Sendable (AcceptedDocuments.Configuration) async -> FleetOutcome,
        setStopped: @escaping @Sendable (Bool) async -> Void,
        clockSkew: @escaping @Sendable () async -> Int64 = { 60 },
        health: @escaping @Sendable () async -> KioskHealth = { KioskHealth() },
        setWaiting: @escaping @Sendable (Int64) -> Void = { _ in }
    ) {
        self.file = file
        self.check = check
        self.apply = apply
        self.setStopped = setStopped
        self.clockSkew = clockSkew
        self.health = health
        self.setWaiting = setWaiting
    }
}

/// What came of a configuration.
package enum FleetOutcome: Sendable {
    case ready
    /// The lanes did not become ready.
    case notReady
    /// A lane was in use for too long: nobody knows yet.
    case inUse
}

/// A kiosk of a fleet: enrols, obeys documents, pushes receipts, and says that it is there. Without the hub it continues as it is.
package actor FleetAgent {
    /// How often a question that waits is looked at.
    private static let lookInterval = Duration.milliseconds(200)
    /// From one question to the next at least, whatever the broker says.
    private static let questionInterval = Duration.seconds(1)

    let settings: KioskSettings
    let folder: FleetFolder
    let actions: FleetActions
    let log: Logger
    /// What is obeyed. Whoever changes it calls `keep`.
    var accepted: AcceptedDocuments
    private(set) var isStopped: Bool
    /// How often it was stopped.
    private(set) var stops = 0
    /// Whether the folder has both.
    private var isKept = true
    /// Tries the lanes with a further document. The hub is asked meanwhile: a stop waits for no lane.
    var applying: Task<Void, Never>?
    /// Takes orders again after a stop.
    private(set) var resuming: Task<Void, Never>?
    /// Puts a document in the store, the last of several.
    var settling: Task<Bool, Never>?
    /// Documents that were fetched and are older than what was seen.
    private var outdated: Set<[UInt8]> = []
    /// The id of what the hub says of receipts; empty if they arrive.
    var receiptFault = ""
    /// How many receipts the hub does not have; nil if that is not known.
    var receiptsWaiting: Int64?
    var brokerRemark = BrokerRemark()
    /// Topics of the connection to the broker of which something malformed came.
    var ignoredTopics: Set<String> = []
    private(set) var refusals: [FleetLevel: (version: Int64, id: String)] = [:]
    var client: HubClient?
    /// Before this no further renewal is tried.
    var nextRenewal = ContinuousClock.now
    var preparing: Task<Result<HubClient, HubError>, Never>?
    /// What the hub knows of this kiosk.
    var lastReport: KioskReport?
    /// When the hub is to be asked next; nil if nothing asks for it.
    private var nextQuestion: ContinuousClock.Instant?
    private let notices: AsyncStream<Void>
    private let noticed: AsyncStream<Void>.Continuation

    package init(
        _ settings: KioskSettings, _ folder: FleetFolder,
        _ state: (accepted: AcceptedDocuments, isStopped: Bool), _ actions: FleetActions, _ log: Logger
    ) {
        self.settings = settings
        self.folder = folder
        self.actions = actions
        self.log = log
        (accepted, isStopped) = state
        (notices, noticed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Runs until it is cancelled.
    package func run() async {
        for (level, error) in accepted.leftOut {
            log.error(
                "a stored document of the fleet is left out",
                metadata: ["level": "\(level.rawValue)", "id": "\(error.id)", "why": "\(error.explanation)"])
        }
        if isStopped { await actions.setStopped(true) }
        await putBrands(of: accepted)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.followState() }
            group.addTask { await self.followReceipts() }
            group.addTask { await self.followBroker() }
            group.addTask { await self.askRegularly() }
            group.addTask { await self.watchHealth() }
        }
        for task in [applying, resuming] {
            task?.cancel()
            await task?.value
        }
        await client?.end()
    }

    // MARK: The desired state

    /// Asks the hub at once, after each notice, and again where it did not answer as it should.
    private func followState() async {
        notice(spread: 0)
        var failures = 0
        for await _ in notices {
            // A notice may bring the question forward, also one that follows a failure.
            while let time = nextQuestion, time > .now {
                guard await rest(for: min(time - .now, Self.lookInterval)) else { return }
            }
            guard nextQuestion != nil else { continue }
            nextQuestion = nil
            if await update() {
                failures = 0
            } else {
                ask(at: .now + pause(after: failures))
                failures += 1
            }
            guard await rest(for: Self.questionInterval) else { return }
        }
    }

    private func askRegularly() async {
        while await restUntilPoll() { notice(spread: 0) }
    }

    /// Has the hub asked within so many seconds.
    package func notice(spread: Int64) {
        ask(at: .now + .milliseconds(Int64.random(in: 0...max(0, spread * 1000))))
    }

    private func ask(at time: ContinuousClock.Instant) {
        nextQuestion = min(nextQuestion ?? time, time)
        noticed.yield()
    }

    /// What the hub wants of this kiosk, and its latest receipt there.
    func state(by client: HubClient) async throws(HubError) -> HubState {
        let body = try await client.get("/fleet/v1/state")
        return try mapping(HubState(body)) { (_: JSONFault) in HubError.malformed }
    }

    /// Whether the hub answered, and all that it names was had.
    private func update() async -> Bool {
        if !isKept { keep() }
        do throws(HubError) {
            let client = try await enrolledClient()
            let state = try await state(by: client)
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
        refusals = [:]
        for entry in state.documents.sorted(by: { $0.level.order < $1.level.order }) where isFurther(entry) {
            do {
                let bytes = try await client.get("/fleet/v1/documents/\(entry.digest.hexadecimal)")
                if try await !take(bytes) { isComplete = false }
            } catch FleetDocumentError.older(let version) {
                // What a later document replaced is offered again while the later one's roll-out pauses.
                outdated.insert(entry.digest)
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
        let isTried = applying != nil && accepted.trials[entry.digest] != nil
        return accepted.documents[entry.level]?.digest != entry.digest && !outdated.contains(entry.digest)
            && !isTried
    }

    /// Reports what is obeyed and leads to a configuration with a fault since the kiosk's own file has changed.
    private func refuseUnusable() {
        let file = actions.file()
        guard let configuration = try? accepted.configuration(over: file), configuration != .file(file),
            actions.check(.file(file)) == nil, actions.check(configuration) != nil
        else { return }
        for (level, document) in accepted.documents where document.document.configuration != nil {
            refusals[level] = (
                document.document.version, FleetDocumentError.configurationRefused("").id
            )
        }
    }

    private func refuse(_ entry: HubState.Entry, _ error: FleetDocumentError) {
        refusals[entry.level] = (entry.version, error.id)
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
        isStopped = true
        stops += 1
        keep()
        log.error("the kiosk stops", metadata: ["why": "\(why)"])
        await actions.setStopped(true)
    }

    /// Stops where the hub said that this kiosk is revoked.
    func stop(after error: HubError) async {
        if error.isRevocation { await stop("this kiosk is revoked") }
    }

    /// Takes orders again once lanes follow. The hub is asked meanwhile: another stop waits for no lane.
    private func beginResuming() {
        guard isStopped, resuming == nil else { return }
        resuming = Task {
            await self.resume()
            self.resuming = nil
            self.notice(spread: 0)
        }
    }

    func resume() async {
        guard isStopped else { return }
        isStopped = false
        keep()
        log.notice("the kiosk takes orders again")
        // What was proven takes the place of what a stop interrupted, before orders are taken.
        await applyAccepted()
        // A stop may have come while lanes were waited for: it is not undone.
        guard !isStopped else { return }
        await actions.setStopped(false)
        if isStopped { await actions.setStopped(true) }
    }

    /// Has the folder what is obeyed, and whether the kiosk is stopped. What cannot be written is tried again with each question.
    func keep() {
        do throws(FleetFolderError) {
            try folder.keep(accepted, isStopped: isStopped)
            isKept = true
        } catch {
            if isKept {
                log.error(
                    "the folder fleet in the store cannot be written: the kiosk may forget what it obeys at its next start",
                    metadata: ["why": "\(error.explanation)"])
            }
            isKept = false
        }
    }

    // MARK: Time

    /// False if the task is cancelled.
    func rest(for time: Duration) async -> Bool {
        do {
            try await Task.sleep(for: time)
            return true
        } catch {
            return false
        }
    }

    /// Rests after so many failures.
    func rest(after attempt: Int) async -> Bool { await rest(for: pause(after: attempt)) }

    /// Longer with each failure, and not for all kiosks alike.
    private func pause(after attempt: Int) -> Duration {
        settings.pauses[min(attempt, settings.pauses.count - 1)] * Double.random(in: 0.5...1.5)
    }

    /// Rests as long as from one regular question to the next.
    func restUntilPoll() async -> Bool {
        await rest(for: settings.pollInterval * Double.random(in: 0.8...1.2))
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
