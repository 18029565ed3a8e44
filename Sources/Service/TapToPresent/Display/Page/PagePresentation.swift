internal import DaemonClient
internal import Foundation
internal import JSON
internal import ReaderStore
internal import Reports
internal import Transport

/// A presentation of the private daemon, as returned by the daemon's API.
struct PagePresentation: Decodable, Equatable {
    let id: String
    let state: String
    let hint: String?
    /// The outcome, or `nil` while the presentation is undecided.
    let outcome: String?
    let reasons: [String]
}

extension PagePresentation {
    /// The maximum time in which the daemon must end a presentation after the request to end it.
    private static let endTime = Duration.seconds(10)

    /// Orders a presentation, polls it until it has an outcome, and ends it when `time` is over. Blocks its
    /// thread.
    ///
    /// - Parameter seen: A function that is called with each changed state of the presentation.
    static func outcome(
        of order: PageOrder, at daemon: PrivateDaemon, during time: DisplayTime,
        seen: (PagePresentation) -> Void
    ) throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome {
        var current = try call("POST", "/v1/presentations", body: order.body, at: daemon)
        seen(current)
        let path = "/v1/presentations/\(current.id)"
        var end: ContinuousClock.Instant?
        while current.outcome == nil {
            if let end, end <= .now { throw .unavailable(.pageLost) }
            if time.isOver, end == nil {
                end = .now + Self.endTime
                // A request that fails is not repeated. A presentation without an outcome at `end` counts as
                // lost.
                _ = try? daemon.socket.call("DELETE", path)
            }
            Thread.sleep(forTimeInterval: 0.1)
            let next = try call("GET", path, at: daemon)
            if next != current { seen(next) }
            current = next
        }
        return try current.concluded()
    }

    /// Calls the daemon's API and returns the presentation in the answer. Throws `pageRefused` if the daemon
    /// refuses, and `pageLost` if it does not answer.
    private static func call(
        _ method: String, _ path: String, body: JSONValue? = nil, at daemon: PrivateDaemon
    ) throws(MobileDocumentReaderError) -> PagePresentation {
        do throws(DaemonClientError) {
            let reply = try daemon.socket.call(method, path, body: body)
            guard let seen = try? JSONDecoder().decode(Self.self, from: Data(reply.body)) else {
                throw .notAnAnswer(path: daemon.socket.path)
            }
            return seen
        } catch {
            // A daemon that is ending may refuse any request. A refusal therefore counts only if the daemon
            // is still running.
            if case .refused = error, daemon.isRunning { throw .unsupported(.pageRefused) }
            throw .unavailable(.pageLost)
        }
    }

    /// The reasons for rejecting the person and not the document. A reason that is in neither `ofRejection`
    /// nor `ofDismissal` concerns the document, such as the id of a failed check. The type is optional,
    /// because an id that is not an `OutcomeReason` becomes `nil` before the comparison.
    private static let ofRejection: [OutcomeReason?] = [.answerNo, .decisionRejected]
    /// The reasons for an outcome that is neither yes nor no.
    private static let ofDismissal: [OutcomeReason?] = [.answerUnknown, .decisionDismissed, .decisionOverdue]

    /// Returns the result for the app. If this process read the document itself, the result would be the
    /// same.
    private func concluded() throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome {
        let outcomeReasons = reasons.map(OutcomeReason.init(rawValue:))
        switch outcome.flatMap(Outcome.init(rawValue:)) {
        case .allow: return .approved
        case .deny where outcomeReasons.allSatisfy(Self.ofRejection.contains): return .rejected
        case .unclear where outcomeReasons.allSatisfy(Self.ofDismissal.contains): return .dismissed
        // Any other reason concerns the document. If this process reads a document itself and a check fails,
        // the request throws `invalidResponse` as well.
        case .deny, .unclear: throw .invalidResponse(.ended(ids: reasons))
        case .declined: throw .cancelled(.holderDeclined)
        case .cancelled: throw .cancelled(.ended(ids: reasons))
        case .failed, nil: throw failure
        }
    }

    /// The error for a failed presentation, derived from `reasons`.
    private var failure: MobileDocumentReaderError {
        if let fault = reasons.lazy.compactMap({ ReaderFaultID(rawValue: $0) }).first {
            return .init(ReaderFault(fault))
        }
        return switch reasons.first.flatMap({ TransactionError.ID(rawValue: $0) }) {
        case .engagementOverdue: .cancelled(.engagementOverdue)
        case .consentOverdue: .cancelled(.consentOverdue)
        case .readerUnavailable, .radioUnavailable: .serviceUnavailable(.ended(ids: reasons))
        default: .invalidResponse(.ended(ids: reasons))
        }
    }
}

extension MobileDocumentReader.Event {
    /// Returns the events for the changes between two successive states of a presentation.
    static func changes(from old: PagePresentation?, to new: PagePresentation) -> [Self] {
        var events: [Self] = []
        if new.state != old?.state, let event = Self(state: new.state) { events.append(event) }
        if new.hint != old?.hint, let hint = new.hint.flatMap(MobileDocumentReader.Hint.init(word:)) {
            events.append(.hint(hint))
        }
        return events
    }

    /// Creates the event for a state of the daemon's API, or `nil` for a state without an event.
    private init?(state: String) {
        switch state {
        case "armed": self = .armed
        case "engaged": self = .engaged
        case "awaitingConsent": self = .awaitingConsent
        case "receiving": self = .receiving
        case "awaitingDecision": self = .presenting
        default: return nil
        }
    }
}

extension MobileDocumentReader.Hint {
    /// Creates the hint for a word of the daemon's API, or `nil` for a word that this library does not know.
    fileprivate init?(word: String) {
        switch word {
        case "phoneLocked": self = .phoneLocked
        case "notAnID": self = .notAnID
        case "tapAgain": self = .tapAgain
        case "confirmThenTapAgain": self = .confirmThenTapAgain
        case "offerQR": self = .offerQR
        case "mayLift": self = .mayLift
        case "connecting": self = .connecting
        case "checkBluetooth": self = .checkBluetooth
        case "hold": self = .hold
        default: return nil
        }
    }
}
