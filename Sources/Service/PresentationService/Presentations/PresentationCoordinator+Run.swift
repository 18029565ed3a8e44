internal import JSON
internal import Logging
internal import MdocModel
internal import PortraitDecoding
internal import ReaderService
internal import Reports
internal import ReaderStore
internal import RequestPlanner
internal import Transport

/// One presentation, from its begin at a lane to its receipts: a receipt for each that needs one, however it ends, and the data of a
/// data request whose holder was informed about it.
extension PresentationCoordinator {
    /// Follows a presentation to its end.
    func run(_ id: PresentationID, _ plan: PresentationPlan, at lane: Lane) async {
        let running: (events: AsyncStream<PresentationEvent>, presentation: Task<Presentation, Never>)
        do throws(LaneError) {
            running = try await lane.present(plan)
        } catch {
            guard await isAsked(id, failure: .readerUnavailable(.readerInUse)) else { return }
            return await end(id, with: .unavailable(.readerInUse))
        }
        // It may have been cancelled while it was begun.
        if book[id]?.state == .cancelled { await lane.cancel() }
        for await event in running.events { perform(book.note(event, of: id)) }
        let presentation = await running.presentation.value
        logNotes(of: presentation, id)
        await end(id, with: presentation)
    }

    /// Logs what is remarkable in the phone's messages, once no more of them can come.
    private func logNotes(of presentation: Presentation, _ id: PresentationID) {
        let lane = book[id]?.lane ?? ""
        Task { [log] in
            await presentation.left()
            for note in presentation.notes {
                log.warning(
                    "\(note.explanation)",
                    metadata: [
                        "presentation": "\(id)", "lane": "\(lane)", "note": "\(note.id.rawValue)",
                    ])
            }
        }
    }

    private func end(_ id: PresentationID, with presentation: Presentation) async {
        guard let record = book[id] else { return }
        guard await isAsked(id, failure: presentation.failure) else { return }
        guard let first = presentation.earlier.first, let further = record.further else {
            return await end(id, with: report(presentation, asking: record.plan))
        }
        await end(
            id, with: report(first, asking: record.plan), then: report(presentation, asking: further.plan))
    }

    private func report(_ presentation: Presentation, asking plan: RequestPlan) -> TransactionReport {
        do throws(ReaderFault) {
            return try TransactionReport(presentation, asking: plan, on: WallClock.localDay(at: now))
        } catch {
            return .unavailable(error)
        }
    }

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
        metrics.took((further ?? report).phases, at: record.lane)
        let kept = await keep(record, endedBy: completion, report: report, then: further)
        perform(book.complete(id, kept))
    }

    /// The person for a clerk to compare. A portrait that cannot be shown is left out and answers nothing, in a data request too: nobody
    /// could compare it, so that the outcome is at best `unclear`.
    private func shown(
        of report: inout TransactionReport, with pictures: [Result<ShownPortrait, PortraitDecoderError>],
        for record: PresentationRecord
    ) -> ShownPerson? {
        guard report.isAccepted, record.order.kind == .display else { return nil }
        let name = ShownPerson.Name(report)
        guard pictures.count == 1, case .success(let picture)? = pictures.first else {
            // Of several portraits none is known to be the holder's.
            if pictures.count > 1 { report.refusePortraits(for: .notDecodable) }
            return ShownPerson(portrait: nil, name: name)
        }
        return ShownPerson(portrait: Portrait(picture), name: name)
    }

    // MARK: What is kept

    /// Keeps a presentation that begins. Refuses one that cannot be kept, or whose receipts cannot be written, before the
    /// phone is asked.
    func keepBegun(_ record: PresentationRecord) async throws(PresentationServiceError) {
        guard let archive else { return }
        guard let receipts = WaitingReceipts(interrupting: record) else {
            throw .recordsUnavailable(.receiptMalformed)
        }
        try await archive.insert(record, receipts)
    }

    /// Keeps what the order of an ended presentation specifies: a receipt of any outcome, data of `allow` alone. If a
    /// person has to decide, both wait for the decision, until its time is over or the daemon ends.
    private func keep(
        _ record: PresentationRecord, endedBy completion: PresentationRecord.Completion,
        report: TransactionReport, then further: TransactionReport?
    ) async -> PresentationBook.Kept {
        var kept = PresentationBook.Kept()
        guard let archive else { return kept }
        let order = record.order
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
        guard let conclusion = completion.evidence.conclusion else {
            guard !receipts.isEmpty else { return kept }
            kept.receipt = .waiting(receipts)
            await archive.hold(receipts, of: record.id)
            return kept
        }
        if conclusion.outcome == .allow {
            (kept.retainedUntil, kept.furtherRetainedUntil) = await archive.retain(kept.retaining, of: record)
        }
        kept.retaining = WaitingRetention()
        let written = await end(
            record.ended(completion, kept), receipts.ended(conclusion, decision: nil), in: archive)
        kept.receipt = order.retention == .none ? .none : .ended(written.first)
        kept.furtherReceipt = written.further
        return kept
    }

    /// Stores how a presentation ended, now or as soon as the store accepts it.
    private func end(
        _ record: PresentationRecord, _ receipts: WaitingReceipts, in archive: RecordArchive
    ) async -> WrittenReceipts {
        if let written = await archive.end(record, receipts) { return written }
        retry(record, receipts, in: archive)
        return WrittenReceipts()
    }

    // MARK: Actions of the book

    func perform(_ actions: [PresentationBook.Action]) {
        for action in actions {
            switch action {
            case .notify(let name, let record): notify(name, of: record)
            case .write(let receipts, let retaining, let id): write(receipts, retaining: retaining, of: id)
            case .wait(let time, let expiry, let id): expire(expiry, of: id, after: time)
            case .close(let id, let lane): logs.close(id, lane: lane)
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
        if tasks[.retrying, record.id] == nil { sendWebhook(of: record) }
    }

    private func sendWebhook(of record: PresentationRecord) {
        guard let webhook = record.order.webhook else { return }
        webhooks?.send(record.json(for: []).utf8, of: record.id, by: record.owner, to: webhook)
    }

    private func write(
        _ receipts: WaitingReceipts, retaining: WaitingRetention, of id: PresentationID
    ) {
        start(.writing, of: id) { [archive] coordinator in
            var written = WrittenReceipts()
            if let archive, let record = coordinator.book[id] {
                let (first, further) = await archive.retain(retaining, of: record)
                coordinator.book.retained(until: first, further: further, of: id)
            }
            if let archive, let record = coordinator.book[id]?.decided(written) {
                written = await coordinator.end(record, receipts, in: archive)
            }
            coordinator.perform(coordinator.book.wrote(written, of: id))
        }
    }

    /// The longest pause before a receipt is tried again.
    private static let longestPause = Duration.seconds(30)

    /// Tries to write down how a presentation ended, which the store did not take, until it does, and once more when the
    /// daemon ends.
    private func retry(
        _ record: PresentationRecord, _ receipts: WaitingReceipts, in archive: RecordArchive
    ) {
        start(.retrying, of: record.id) { coordinator in
            var pause = Duration.seconds(1)
            repeat {
                try? await Task.sleep(for: pause, clock: .continuous)
                pause = min(pause * 2, Self.longestPause)
                if let written = await archive.end(record, receipts.delayed) {
                    coordinator.perform(coordinator.book.wroteDelayed(written, of: record.id))
                    coordinator.sendWebhook(of: coordinator.book[record.id] ?? record)
                    break
                }
            } while !Task.isCancelled
        }
    }

    private func expire(_ expiry: PresentationBook.Expiry, of id: PresentationID, after time: Duration) {
        Task { [weak self] in
            try? await Task.sleep(for: time, clock: .continuous)
            await self?.expire(expiry, of: id)
        }
    }

    func expire(_ expiry: PresentationBook.Expiry, of id: PresentationID) {
        perform(book.expire(expiry, of: id))
    }
}
