internal import Logging
internal import MdocModel
internal import PortraitDecoding
internal import ReaderService
internal import Reports
internal import RequestPlanner
internal import Transport

/// One presentation at its lane, from its begin to what came of it.
extension PresentationCoordinator {
    /// Follows a presentation to its end.
    func run(_ id: PresentationID, _ plan: PresentationPlan, at lane: Lane) async {
        defer { running[id] = nil }
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
        let kept = await keep(record, completion, report, then: further)
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
}
