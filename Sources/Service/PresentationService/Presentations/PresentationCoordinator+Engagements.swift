internal import Accessories
internal import MdocModel
internal import ReaderService
internal import ReaderStore

/// Connecting to phones whose code was scanned: by an accessory of the lane, or on a clerk's page.
extension PresentationCoordinator {
    /// Connects to the phone whose code an accessory has read at a lane.
    ///
    /// Anybody can hold any code before the scanner. A code that is refused therefore never ends a presentation
    /// and never changes its state. The pages show for a moment what to do.
    ///
    /// - Parameters:
    ///   - text: the text of the code.
    ///   - scanner: the name of the accessory.
    /// - Returns: the state of the lane's presentation.
    /// - Throws: `laneUnknown`, `accessoryUnknown`, `engagementMalformed`, `engagementReused`, `tooManyEngagements`, `laneNotArmed` if the lane does
    ///   not wait for a phone, or `alreadyEngaged` if another code was accepted before.
    package func engage(
        atLane name: String, with text: String, from scanner: String, by caller: KnownCaller
    ) async throws(PresentationServiceError) -> PresentationState {
        try check(scanner, of: caller, at: name)
        do throws(PresentationServiceError) {
            let (engagement, code) = try parse(text, at: name, isFromAccessory: true)
            let admission = try gate.admit(code, at: name, now: .now)
            guard let record = book.latest(at: name), let lane = lanes[name] else { throw .laneNotArmed }
            guard admission == .new else { return record.state }
            guard record.isArmed else { throw .laneNotArmed }
            // Accepted before the lane is asked: the presentation may have ended when the lane has answered.
            gate.accept(code, at: name, for: record.id, now: .now)
            do throws(PresentationServiceError) {
                try await scan(engagement, at: lane.lane, otherwise: .laneNotArmed)
            } catch {
                gate.end(record.id)
                throw error
            }
            reportLane(name)
            return book[record.id]?.state ?? record.state
        } catch {
            if let hint = error.codeHint { showHint(hint, at: name) }
            throw error
        }
    }

    /// Shows on the pages of a lane why a code that an accessory has read is no use. Without a presentation that
    /// waits for a phone nothing is shown.
    ///
    /// - Returns: the state of the lane's presentation, or `nil` if there is none.
    package func report(
        _ fault: CodeFault, atLane name: String, from scanner: String, by caller: KnownCaller
    ) throws(PresentationServiceError) -> PresentationState? {
        try check(scanner, of: caller, at: name)
        showHint(fault.hint, at: name)
        return book.latest(at: name)?.state
    }

    /// Connects to the phone whose QR code a clerk scanned. A clerk scans one code after the other, so the number
    /// of engagements is not limited. Reused and malformed codes are refused as from an accessory.
    ///
    /// - Throws: `engagementMalformed`, `engagementReused`, `tooManyEngagements` after too many malformed codes,
    ///   `presentationOver`, or `alreadyEngaged` if another phone is there already.
    package func engage(_ id: PresentationID, with text: String) async throws(PresentationServiceError) {
        let record = try record(id)
        let (engagement, code) = try parse(text, at: record.lane, isFromAccessory: false)
        try gate.checkReuse(of: code, now: .now)
        guard !record.state.isOver, record.state != .awaitingDecision, let lane = lanes[record.lane] else {
            throw .presentationOver
        }
        gate.accept(code, at: record.lane, for: id, now: .now)
        do throws(PresentationServiceError) {
            try await scan(engagement, at: lane.lane, otherwise: .presentationOver)
        } catch {
            gate.end(id)
            throw error
        }
        reportLane(record.lane)
    }

    /// Parses the text of a code, and counts a malformed text at a lane.
    ///
    /// - Parameter isFromAccessory: whether a reader's engagement is refused. A clerk sees which code is scanned.
    private func parse(
        _ text: String, at lane: String, isFromAccessory: Bool
    ) throws(PresentationServiceError) -> (DeviceEngagement, EngagementDigest) {
        do throws(PresentationServiceError) {
            // A reader's engagement (ISO/IEC TS 23220-4) has the same scheme, followed by two slashes.
            if isFromAccessory, text.lowercased().hasPrefix("mdoc://") {
                throw .engagementMalformed(.notAnEngagementURI)
            }
            let engagement = try DeviceEngagement(scanned: text)
            // The bytes are compared and not the text: padding and the case of the scheme make no other code.
            return (engagement, try engagementDigests.digest(of: engagement.bytes))
        } catch {
            guard case .engagementMalformed = error else { throw error }
            let code = try engagementDigests.digest(of: Array(text.utf8)[...])
            try gate.countMalformed(code, at: lane, now: .now)
            throw error
        }
    }

    /// Passes an engagement on to a lane.
    ///
    /// - Parameter refusal: the error if the lane waits for no phone.
    private func scan(
        _ engagement: DeviceEngagement, at lane: Lane, otherwise refusal: PresentationServiceError
    ) async throws(PresentationServiceError) {
        do throws(LaneError) {
            try await lane.scan(engagement)
        } catch .alreadyEngaged {
            throw .alreadyEngaged
        } catch {
            throw refusal
        }
    }

    /// Checks that a caller serves the accessories of a lane, and that one of them is this scanner.
    private func check(
        _ scanner: String, of caller: KnownCaller, at name: String
    ) throws(PresentationServiceError) {
        guard lanes[name] != nil, caller.usesAccessories(at: name) else { throw .laneUnknown }
        guard let accessory = desk[scanner], accessory.scanner != nil, accessory.lane == name else {
            throw .accessoryUnknown
        }
    }

    /// Shows a hint about a code while the lane waits for a phone.
    private func showHint(_ hint: PresentationHint, at name: String) {
        guard let id = book.latest(at: name)?.id else { return }
        perform(book.showCodeHint(hint, of: id))
    }
}

/// A reason why an accessory passes on no code. The raw values are the words of the HTTP API.
package enum CodeFault: String, CaseIterable, Sendable {
    /// The code belongs to something else, such as an address of a web page.
    case foreignCode
    /// The code is the engagement of a reader.
    case notADeviceEngagement
    /// The scanner has changed the case of the letters, so that the code cannot be read.
    case foldedCase
    /// A part of the code is missing.
    case incompleteCode
}

extension CodeFault {
    fileprivate var hint: PresentationHint {
        switch self {
        case .foreignCode: .codeNotAnID
        case .notADeviceEngagement: .codeOfReader
        case .foldedCase, .incompleteCode: .codeUnreadable
        }
    }
}

extension PresentationServiceError {
    /// The hint for the holder of a code that is refused for this reason, or `nil` if the holder cannot help it.
    fileprivate var codeHint: PresentationHint? {
        switch self {
        // A new code is the remedy for both: the phone makes one when the ID is opened again.
        case .engagementMalformed, .engagementReused: .codeUnreadable
        default: nil
        }
    }
}

extension DeviceEngagement {
    /// Parses the text of a scanned code.
    ///
    /// - Throws: `engagementMalformed`.
    fileprivate init(scanned text: String) throws(PresentationServiceError) {
        do throws(MdocModelError) {
            try self.init(EngagementURI.deviceEngagement(in: text)[...])
        } catch {
            throw .engagementMalformed(error)
        }
    }
}
