internal import JSON
internal import Logging
internal import MdocModel
internal import PortraitDecoding
internal import ReaderService
internal import Reports
internal import ReaderStore
internal import RequestPlanner
internal import Transport

/// The functions that run one presentation, from the wait for a phone to the written receipts. If the order
/// demands a receipt for a request, the receipt is written whatever the outcome is. A data request's elements
/// are retained only if the holder was informed about the retention.
extension PresentationCoordinator {
    /// Runs a presentation at its lane to its end. The receipts are then written, or held for a person's
    /// decision.
    func run(_ id: PresentationID, _ plan: PresentationPlan, at lane: Lane) async {
        let running: (events: AsyncStream<PresentationEvent>, presentation: Task<Presentation, Never>)
        do throws(LaneError) {
            running = try await lane.present(plan)
        } catch {
            // The lane refuses a presentation only while its reader serves another one.
            guard await isAsked(id, failure: .readerUnavailable(.readerInUse)) else { return }
            return await end(id, with: .unavailable(.readerInUse))
        }
        // An earlier call of `cancel` may have found nothing to cancel at the lane.
        if book[id]?.state == .cancelled { await lane.cancel() }
        for await event in running.events {
            // From the holder's decision on, the phone has a session, and its code is used up.
            if event.hasSession { gate.establish(id, now: .now) }
            perform(book.apply(event, to: id, at: now))
        }
        let presentation = await running.presentation.value
        gate.end(id)
        logNotes(of: presentation, id)
        await end(id, with: presentation)
    }

    /// Logs the remarks on the phone's messages (`notes`) after the phone has left, when no further message
    /// can come.
    private func logNotes(of presentation: Presentation, _ id: PresentationID) {
        let lane = book[id]?.lane ?? ""
        Task { [log] in
            await presentation.waitUntilLeft()
            for note in presentation.notes {
                log.warning(
                    "\(note.explanation)",
                    metadata: [
                        "presentation": "\(id)", "lane": "\(lane)", "note": "\(note.id.rawValue)",
                    ])
            }
        }
    }

    /// Ends a presentation after its transaction: reports on the response to each request. If the second
    /// request was sent, `presentation` is the result of the second request, and its member `earlier`
    /// contains the result of the first.
    private func end(_ id: PresentationID, with presentation: Presentation) async {
        guard let record = book[id] else { return }
        // A lane with a standing order may have waited without a phone coming. Such a presentation has no
        // outcome.
        guard await isAsked(id, failure: presentation.failure) else { return }
        guard let first = presentation.earlier.first, let further = record.further else {
            return await end(id, with: report(presentation, asking: record.plan))
        }
        await end(
            id, with: report(first, asking: record.plan), then: report(presentation, asking: further.plan))
    }

    /// The report on the response to one request. If no reader could be used, the report contains this as its
    /// error.
    private func report(_ presentation: Presentation, asking plan: RequestPlan) -> TransactionReport {
        do throws(ReaderFault) {
            return try TransactionReport(presentation, asking: plan, on: WallClock.localDay(at: now))
        } catch {
            return .unavailable(error)
        }
    }

    /// Ends a presentation with its reports: decodes portraits, stores the result in `book`, and writes what
    /// the order wants to keep.
    private func end(
        _ id: PresentationID, with report: TransactionReport, then further: TransactionReport? = nil
    ) async {
        guard let record = book[id] else { return }
        var (report, further) = (report, further)
        let pictures = await report.decodePortraits(by: portraits)
        let furtherPictures = await further?.decodePortraits(by: portraits) ?? []
        for case .failure(let error) in pictures + furtherPictures {
            log.notice(
                "a portrait cannot be shown",
                metadata: ["presentation": "\(record.id)", "lane": "\(record.lane)", "reason": "\(error)"])
        }
        let shown = shown(of: &report, with: pictures, for: record)
        guard let completion = book.end(id, with: report, then: further, shown: shown, at: now) else {
            return
        }
        // Only the last report of a session has durations, and they cover both requests.
        metrics.addDurations(of: (further ?? report).phases, at: record.lane)
        let kept = await keep(record, endedBy: completion, report: report, then: further)
        perform(book.complete(id, kept))
    }

    /// The name and portrait for a clerk to compare, or `nil` if nothing is shown.
    ///
    /// A portrait that cannot be shown is left out. The answers that need it become unknown, because nobody
    /// could compare it. The outcome is then `unclear` at best.
    private func shown(
        of report: inout TransactionReport, with pictures: [Result<ShownPortrait, PortraitDecoderError>],
        for record: PresentationRecord
    ) -> ShownPerson? {
        guard report.isAccepted, record.order.kind == .display else { return nil }
        let name = ShownPerson.Name(report)
        guard pictures.count == 1, case .success(let picture)? = pictures.first else {
            // With several portraits nobody knows which one is the holder's. A single portrait that could not
            // be decoded was refused by `decodePortraits` already.
            if pictures.count > 1 { report.refusePortraits(for: .notDecodable) }
            return ShownPerson(portrait: nil, name: name)
        }
        return ShownPerson(portrait: Portrait(picture), name: name)
    }

    // MARK: Receipts and retained data

    /// Writes a new presentation before its request is sent to the phone, with the receipts that become valid
    /// if the daemon ends before the presentation.
    ///
    /// - Throws: `recordsUnavailable` if the store refuses the presentation or its receipts.
    func writeBegun(_ record: PresentationRecord) async throws(PresentationServiceError) {
        guard let archive else { return }
        // `receipts` is `nil` if a name or the version is not valid in a receipt, so that no receipt could be
        // written.
        guard let receipts = WaitingReceipts(interrupting: record) else {
            throw .recordsUnavailable(.receiptMalformed)
        }
        try await archive.insert(record, receipts)
    }

    /// Writes what the order of an ended presentation wants to keep: a receipt of any outcome, and data only
    /// after `allow`. If a person has to decide, both wait for the decision, its deadline or the end of the
    /// daemon.
    private func keep(
        _ record: PresentationRecord, endedBy completion: PresentationRecord.Completion,
        report: TransactionReport, then further: TransactionReport?
    ) async -> PresentationBook.Kept {
        var kept = PresentationBook.Kept()
        guard let archive else { return kept }
        let order = record.order
        // The state of the presentation is the state after its last request. After a second request, the
        // first request has the state of its own report.
        let first = EndedRequest(
            kind: order.kind, plan: record.plan, retention: order.retention,
            state: further == nil ? completion.state : PresentationState(report), report: report,
            ended: completion.ended, isCancelled: record.state == .cancelled)
        if first.isRetained { kept.retaining.first = first }
        var receipts = WaitingReceipts(first: archive.statement(first, of: record))
        if let then = record.further, let further {
            let second = EndedRequest(
                kind: .data, plan: then.plan, retention: then.order.retention, state: completion.state,
                report: further, ended: completion.ended, isCancelled: record.state == .cancelled)
            if second.isRetained { kept.retaining.further = second }
            receipts.further = archive.statement(second, of: record)
        }
        // Without a conclusion a person has to decide. The held receipts already have the reason `restarted`,
        // because the next start of the daemon writes them if the daemon ends before the decision.
        guard let conclusion = completion.evidence.conclusion else {
            guard !receipts.isEmpty else { return kept }
            kept.receipt = .waiting(receipts)
            await archive.hold(receipts, of: record.id)
            return kept
        }
        if conclusion.outcome == .allow {
            (kept.retainedUntil, kept.furtherRetainedUntil) = await archive.retain(kept.retaining, of: record)
        }
        // No decision follows: the data was retained above, or is dropped here.
        kept.retaining = WaitingRetention()
        let written = await end(
            record.ended(completion, kept), receipts.ended(conclusion, decision: nil), in: archive)
        // Without this test, `ended` would report `failed` for an order that wants no receipt. The receipt of
        // the second request needs no test: it is only an id, and `nil` does not report a failure.
        kept.receipt = order.retention == .none ? .none : .ended(written.first)
        kept.furtherReceipt = written.further
        return kept
    }

    /// Writes an ended presentation with its receipts and the outputs of its lane, and announces the outputs. If
    /// the store refuses them, `retry` repeats the write until the store accepts it.
    private func end(
        _ record: PresentationRecord, _ receipts: WaitingReceipts, in archive: RecordArchive
    ) async -> WrittenReceipts {
        let (outcome, outputs) = (ContinuousClock.now, outputs(for: record))
        if let written = await archive.end(record, receipts, outputs: outputs) {
            announce(written.outputs, of: record, code: written.code, since: outcome)
            return written.receipts
        }
        // No receipt has an id until the store accepts one of the later attempts.
        retry(record, receipts, outputs, in: archive)
        return WrittenReceipts()
    }

    // MARK: Actions of the book

    /// Carries out the actions that `book` has returned, in their order.
    func perform(_ actions: [PresentationBook.Action]) {
        for action in actions {
            switch action {
            case .notify(let name, let record):
                notify(name, of: record)
                reportLane(record.lane)
            case .write(let receipts, let retaining, let id): write(receipts, retaining: retaining, of: id)
            case .wait(let time, let expiry, let id): expire(expiry, of: id, after: time)
            case .close(let id, let lane):
                logs.close(id, lane: lane)
                reportLane(lane)
            case .finish(let record): finish(record)
            }
        }
    }

    /// Counts an outcome, logs it and sends its webhook. If the lane has a standing order, the lane pauses,
    /// so that the result stays on the page.
    private func finish(_ record: PresentationRecord) {
        guard let conclusion = record.conclusion else { return }
        rest(lane: record.lane)
        reportIdle(after: record)
        metrics.countEnd(lane: record.lane, kind: record.order.kind, conclusion)
        log.info(
            "presentation over",
            metadata: [
                "presentation": "\(record.id)", "lane": "\(record.lane)",
                "outcome": "\(conclusion.outcome.rawValue)",
                "reasons": "\(conclusion.reasons.map(\.id).joined(separator: " "))",
            ])
        // While the store refuses the ended presentation, a restart would change the outcome to `failed`. The
        // webhook is therefore sent by `retry`, after the store has accepted the presentation.
        if tasks[.retrying, record.id] == nil { sendWebhook(of: record) }
    }

    /// Sends a finished presentation to the webhook of its order, if the order names one.
    private func sendWebhook(of record: PresentationRecord) {
        guard let webhook = record.order.webhook else { return }
        webhooks?.send(record.json(for: []).utf8, of: record.id, by: record.owner, to: webhook)
    }

    /// Starts the task that retains data and writes the receipts after a decision, or after the time for a
    /// decision is over.
    private func write(
        _ receipts: WaitingReceipts, retaining: WaitingRetention, of id: PresentationID
    ) {
        start(.writing, of: id) { [archive] coordinator in
            var written = WrittenReceipts()
            if let archive, let record = coordinator.book[id] {
                let (first, further) = await archive.retain(retaining, of: record)
                coordinator.book.retained(until: first, further: further, of: id)
            }
            // This record does not contain the numbers of its receipts yet: the store numbers the receipts in
            // the transaction that writes the record.
            if let archive, let record = coordinator.book[id]?.decided(written) {
                written = await coordinator.end(record, receipts, in: archive)
            }
            coordinator.perform(coordinator.book.wrote(written, of: id))
        }
    }

    /// The longest pause between two attempts to write a refused receipt.
    private static let longestPause = Duration.seconds(30)

    /// Repeats the refused write of an ended presentation until the store accepts it. When the daemon ends,
    /// one last attempt is made. The outputs of such a presentation are never given: whoever stands before the
    /// door was told long ago what came of it.
    private func retry(
        _ record: PresentationRecord, _ receipts: WaitingReceipts, _ outputs: [NewOutput],
        in archive: RecordArchive
    ) {
        start(.retrying, of: record.id) { coordinator in
            var pause = Duration.seconds(1)
            repeat {
                // A cancelled wait ends immediately, so that one last attempt follows.
                try? await Task.sleep(for: pause, clock: .continuous)
                pause = min(pause * 2, Self.longestPause)
                // `delayed` adds the reason that the receipts were written late.
                if let written = await archive.end(record, receipts.delayed, outputs: outputs) {
                    coordinator.settle(
                        written.outputs.filter { $0.state == .due }.map(\.number), as: .notGiven)
                    coordinator.perform(coordinator.book.wroteDelayed(written.receipts, of: record.id))
                    // The presentation may have been removed from memory meanwhile, to make room for others.
                    coordinator.sendWebhook(of: coordinator.book[record.id] ?? record)
                    break
                }
            } while !Task.isCancelled
        }
    }

    /// Starts a task that calls `expire` of `book` after `time`.
    private func expire(_ expiry: PresentationBook.Expiry, of id: PresentationID, after time: Duration) {
        Task { [weak self] in
            try? await Task.sleep(for: time, clock: .continuous)
            await self?.expire(expiry, of: id)
        }
    }

    /// Lets `book` act when a deadline of a presentation has passed.
    func expire(_ expiry: PresentationBook.Expiry, of id: PresentationID) {
        perform(book.expire(expiry, of: id))
    }
}
