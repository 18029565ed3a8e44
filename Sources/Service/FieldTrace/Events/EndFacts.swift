internal import MdocSession
package import ReaderService
package import Reports

/// How a presentation ended: how far it came, and what to try next.
package struct EndFacts: Equatable, Sendable, Codable {
    package struct Phase: Equatable, Sendable, Codable {
        package let name: TraceWord<PhaseTime.Name>
        package let milliseconds: Double
    }

    package let milestone: TraceWord<Milestone>
    package let verdict: TraceWord<TransactionReport.Verdict>
    /// The id of what went wrong, as in reports.
    package let error: TraceWord<ErrorID>?
    package let cause: FaultFacts?
    /// The status with which the phone ended the session.
    package let sessionStatus: UInt64?
    /// Of the request that went out last.
    package let request: RequestFacts?
    package let phases: [Phase]
    package let next: TraceWord<NextStep>
}

/// The id of an error in reports. One that is not listed there cannot be made.
package struct ErrorID: RawRepresentable, CaseIterable, Equatable, Sendable {
    package let rawValue: String

    package static let allCases = TransactionError.knownIDs.compactMap { ErrorID(rawValue: $0) }

    package init?(rawValue: String) {
        guard TransactionError.knownIDs.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    init(_ id: TransactionError.ID) {
        rawValue = id.rawValue
    }

    /// Nil for an error of another way to present than nearby.
    init?(_ cause: TransactionError.Cause) {
        switch cause {
        case .transaction, .response: rawValue = cause.id
        case .channel, .unopened: return nil
        }
    }
}

/// What was sent, without what was asked.
package struct RequestFacts: Equatable, Sendable, Codable {
    package let isExtended: Bool
    package let readerAuthentication: TraceWord<SessionRequest.ReaderAuthentication>
    /// In bytes.
    package let size: Int

    init(_ request: SessionRequest) {
        isExtended = request.isExtended
        readerAuthentication = TraceWord(request.readerAuthentication)
        size = request.bytes.count
    }
}

/// How far a presentation came, in this order.
package enum Milestone: String, CaseIterable, Sendable, Comparable {
    case nothing
    /// A phone is waited for.
    case armed
    /// A phone, or another card, had power.
    case phoneSeen
    /// It let its wallet be selected.
    case walletSelected
    case engaged
    /// A link over Bluetooth is started.
    case connected
    case requestSent
    case answerBegun
    case answerComplete
    case judged

    package static func < (one: Milestone, other: Milestone) -> Bool { one.order < other.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
