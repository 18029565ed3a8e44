internal import Dispatch
internal import JSON
package import Logging
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore
internal import ReaderStore

/// What the daemon does for its fleet.
package struct FleetActions: Sendable {
    /// The kiosk's own configuration file.
    let file: @Sendable () -> [UInt8]
    /// The fault of a configuration; nil where it can be used.
    let check: @Sendable ([UInt8]) -> String?
    /// Uses a configuration from now on. Whether the lanes became ready.
    let apply: @Sendable ([UInt8]) async -> Bool
    /// Takes no order any more and lets no token in.
    let stop: @Sendable () async -> Void

    package init(
        file: @escaping @Sendable () -> [UInt8], check: @escaping @Sendable ([UInt8]) -> String?,
        apply: @escaping @Sendable ([UInt8]) async -> Bool, stop: @escaping @Sendable () async -> Void
    ) {
        self.file = file
        self.check = check
        self.apply = apply
        self.stop = stop
    }
}

/// A kiosk of a fleet: enrols, obeys documents, pushes receipts, and says that it is there. Without the hub it continues as it is.
package actor FleetAgent {
    /// From a failure to the next attempt.
    static let pauses: [Duration] = [1, 2, 5, 15, 30, 60].map { .seconds($0) }

    /// How often a question that waits is looked at.
    private static let lookInterval = Duration.milliseconds(200)

    let settings: KioskSettings
    let folder: FleetFolder
    let actions: FleetActions
    let log: Logger
    private(set) var accepted: AcceptedDocuments
    private(set) var isStopped: Bool
    private(set) var receiptFault = ""
    private var refusals: [FleetLevel: (version: Int64, id: String)] = [:]
    private var client: HubClient?
    private var preparing: Task<Result<HubClient, HubError>, Never>?
    private var lastReport: KioskReport?
    /// When the hub is to be asked next; nil where nothing asks for it.
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
        await withDiscardingTaskGroup { group in
            group.addTask { await self.followState() }
            group.addTask { await self.followReceipts() }
            group.addTask { await self.followBroker() }
            group.addTask { await self.askRegularly() }
        }
        await client?.end()
    }

    // MARK: The desired state

    /// Asks the hub at once and after each notice.
    private func followState() async {
        notice(spread: 0)
        for await _ in notices {
            // Another notice may bring the question forward.
            while let time = nextQuestion, time > .now {
                guard await rest(for: min(time - .now, Self.lookInterval)) else { return }
            }
            nextQuestion = nil
            var attempt = 0
            while !Task.isCancelled {
                if await update() { break }
                guard await rest(after: attempt) else { return }
                attempt += 1
            }
        }
    }

    private func askRegularly() async {
        while await rest(for: settings.pollInterval * Double.random(in: 0.8...1.2)) { notice(spread: 0) }
    }

    /// Has the hub asked within so many seconds.
    func notice(spread: Int64) {
        let time = ContinuousClock.now + .milliseconds(Int64.random(in: 0...max(0, spread * 1000)))
        nextQuestion = min(nextQuestion ?? time, time)
        noticed.yield()
    }

    /// Whether the hub answered.
    private func update() async -> Bool {
        do throws(HubError) {
            let client = try await enrolledClient()
            let body = try await client.get("/fleet/v1/state")
            let state = try HubError.mapping { () throws(any Error) in try HubState(body) }
            if state.isStopped { await stop("the hub stops this kiosk") } else { await resume() }
            await obey(state, by: client)
            try await report(to: client)
            return true
        } catch {
            if error.isRevocation { await stop("this kiosk is revoked") }
            log.warning("the hub does not answer as it should", metadata: ["why": "\(error)"])
            return error.isRevocation
        }
    }

    private func obey(_ state: HubState, by client: HubClient) async {
        var candidate = accepted
        refusals = [:]
        for entry in state.documents.sorted(by: { $0.level.order < $1.level.order }) {
            // What a later document replaced is offered again while the later one's roll-out pauses.
            let held = accepted.documents[entry.level]
            guard held?.digest != entry.digest, (held?.document.version ?? 0) <= entry.version else {
                continue
            }
            do {
                let bytes = try await client.get("/fleet/v1/documents/\(entry.digest.hexadecimal)")
                var next = candidate
                guard try next.accept(bytes, at: settings.now()) else { continue }
                let configuration = try next.configuration(over: actions.file())
                if let fault = actions.check(configuration) {
                    throw FleetDocumentError.configurationRefused(fault)
                }
                try await applyTrust(of: next, after: candidate)
                candidate = next
            } catch let error as FleetDocumentError {
                refuse(entry, error)
            } catch {
                log.warning("a document does not come", metadata: ["why": "\(error)"])
            }
        }
        await apply(candidate)
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

    private func applyTrust(
        of next: AcceptedDocuments, after before: AcceptedDocuments
    ) async throws(FleetDocumentError) {
        guard let trust = next.trust, trust.bytes != before.trust?.bytes else { return }
        guard let key = next.keyring.keys.first(where: { $0.id == trust.signer }) else { throw .keyUnknown }
        let (store, now) = (settings.store, settings.now())
        try await blocking { () throws(FleetDocumentError) in
            _ = try FleetTrust.apply(trust.bytes, signedBy: key, in: store, at: now)
        }
    }

    /// Obeys what has been checked, or goes back where the lanes do not become ready.
    private func apply(_ candidate: AcceptedDocuments) async {
        let before = accepted
        guard candidate.highest != before.highest else { return }
        keep(candidate)
        guard let configuration = try? candidate.configuration(over: actions.file()),
            let earlier = try? before.configuration(over: actions.file()), configuration != earlier
        else { return log.notice("documents of the fleet are applied") }
        if await actions.apply(configuration) {
            return log.notice("documents of the fleet are applied")
        }
        log.error("the lanes did not become ready: back to the documents before")
        var failed = candidate
        failed.fail(backTo: before)
        for (level, document) in candidate.documents where before.documents[level]?.digest != document.digest
        {
            refusals[level] = (document.document.version, FleetDocumentError.failedBefore.id)
        }
        keep(failed)
        _ = await actions.apply(earlier)
    }

    private func keep(_ documents: AcceptedDocuments) {
        accepted = documents
        do throws(FleetFolderError) {
            try folder.keep(documents, isStopped: isStopped)
        } catch {
            log.error("the fleet's folder", metadata: ["why": "\(error.explanation)"])
        }
    }

    // MARK: Stopping

    private func stop(_ why: String) async {
        guard !isStopped else { return }
        isStopped = true
        keep(accepted)
        log.error("the kiosk stops", metadata: ["why": "\(why)"])
        await actions.stop()
    }

    private func resume() async {
        guard isStopped else { return }
        isStopped = false
        keep(accepted)
        log.notice("the kiosk takes orders again")
        if let configuration = try? accepted.configuration(over: actions.file()) {
            _ = await actions.apply(configuration)
        }
    }

    // MARK: Reports

    /// Says what is obeyed where that is not what was said last.
    private func report(to client: HubClient) async throws(HubError) {
        var entries = accepted.documents.values.map {
            KioskReport.Entry(level: $0.document.level, version: $0.document.version, result: "applied")
        }
        for (level, refusal) in refusals {
            entries.removeAll { $0.level == level }
            entries.append(KioskReport.Entry(level: level, version: refusal.version, result: refusal.id))
        }
        entries.sort { $0.level.order < $1.level.order }
        let report = KioskReport(software: settings.software, documents: entries, receipts: receiptFault)
        guard report != lastReport else { return }
        _ = try await client.post("/fleet/v1/report", report.json.utf8, type: "application/json")
        lastReport = report
    }

    func receipts(fault: String) {
        guard fault != receiptFault else { return }
        receiptFault = fault
        notice(spread: 0)
    }

    // MARK: The certificate

    /// Who asks the hub with a certificate that is not about to run out. One at a time has it renewed: a code is spent once.
    func enrolledClient() async throws(HubError) -> HubClient {
        let task = preparing ?? Task { await self.prepareClient() }
        preparing = task
        let result = await task.value
        preparing = nil
        return try result.get()
    }

    private func prepareClient() async -> Result<HubClient, HubError> {
        do throws(HubError) {
            let isNew = try await KioskEnrolment(settings, folder, log).renew()
            if let client, !isNew { return .success(client) }
            let renewed = try HubClient(settings.hubs, authority: settings.authority, as: folder)
            await client?.end()
            client = renewed
            return .success(renewed)
        } catch {
            return .failure(error)
        }
    }

    // MARK: Time

    /// False where the task is cancelled.
    func rest(for time: Duration) async -> Bool {
        do {
            try await Task.sleep(for: time)
            return true
        } catch {
            return false
        }
    }

    /// Rests after so many failures, longer each time, and not all kiosks alike.
    func rest(after attempt: Int) async -> Bool {
        let pause = Self.pauses[min(attempt, Self.pauses.count - 1)]
        return await rest(for: pause * Double.random(in: 0.5...1.5))
    }
}

/// Runs what waits for the disk on a separate thread.
func blocking<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    try await withCheckedContinuation { (answer: CheckedContinuation<Result<Value, Failure>, Never>) in
        DispatchQueue.global().async {
            do throws(Failure) {
                answer.resume(returning: .success(try body()))
            } catch {
                answer.resume(returning: .failure(error))
            }
        }
    }.get()
}

extension FleetLevel {
    var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
