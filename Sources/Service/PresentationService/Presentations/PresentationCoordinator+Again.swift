package import ReaderStore

/// Repeating the order of a presentation.
extension PresentationCoordinator {
    /// Repeats the order of a presentation: after a failure, an outcome that is neither yes nor no, a missing
    /// element, or a mistake of the person who decided. Holder and clerk decide again, and the earlier
    /// receipts do not change.
    ///
    /// The new presentation belongs to the owner of the earlier presentation. If the lane began the earlier
    /// presentation by itself (a standing order), the new one belongs to the caller.
    ///
    /// - Parameter consent: the holder's new consent to the retention of data, as the caller states it.
    /// - Throws: `presetUnknown` if a preset made the order and the lane no longer has this preset.
    package func askAgain(
        _ id: PresentationID, by caller: KnownCaller, consent: HolderConsent = .notGiven
    ) async throws(PresentationServiceError) -> PresentationRecord {
        let record = try recordToAskAgain(id, for: caller)
        let isStanding = record.owner == Self.owner(ofStanding: record.lane)
        let owner = isStanding ? caller.name : record.owner
        try book.checkAskingAgain(id, for: owner)
        if let lane = lanes[record.lane] {
            try lane.checkPreset(of: record.order)
        } else if record.order.isOfPreset {
            throw .presetUnknown
        }
        let order = try PresentationOrder(again: record.order, lane: record.lane, consent: consent)
        // The new order has no reference, so that `open` cannot find an earlier presentation for it.
        let repeated = RepeatedPresentation(id: id, receipt: record.completion?.receipt.id)
        guard case .created(let new) = try await open(order, by: caller, for: owner, repeating: repeated)
        else { throw .presentationUnknown }
        return new
    }

    /// The presentation whose order the caller wants to repeat. The caller's clerk page must show this
    /// presentation, or must have shown it until somebody else repeated the order. A caller with the scope
    /// `desk` must have started the presentation.
    private func recordToAskAgain(
        _ id: PresentationID, for caller: KnownCaller
    ) throws(PresentationServiceError) -> PresentationRecord {
        let record = try record(id)
        // The page already shows a newer presentation. The record is returned nevertheless, so that
        // `checkAskingAgain` throws `askedAgain`, a clearer error than `presentationUnknown`.
        if record.isAskedAgain, caller.scopes.contains(.clerk), caller.covers(lane: record.lane) {
            return record
        }
        return try presentation(id, for: caller, by: [.clerk, .desk]).record
    }
}
