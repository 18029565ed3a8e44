/// The state of an output, from its record to its end.
///
/// An output begins as `due`, or as `refused`. It changes only in these ways:
///
///     due ─▶ given ─▶ done | unknown
///     due ─▶ refused | notGiven
///
/// No output returns to an earlier state, so an accessory acts at most once.
package enum OutputState: String, CaseIterable, Sendable {
    /// The output is recorded. The accessory has not acted.
    case due
    /// The accessory may act, or has acted. This state is on the disk before the contact closes.
    case given
    /// The accessory has acted.
    case done
    /// The accessory has not acted in time, and will not.
    case notGiven
    /// The accessory may have acted. Nobody knows, because the program or the computer ended meanwhile.
    case unknown
    /// The accessory has not acted: its rule or its device refuses the output.
    case refused

    /// Whether the state is final.
    package var isSettled: Bool { self != .due && self != .given }
}

/// An output to record with the outcome of a presentation.
package struct NewOutput: Sendable {
    package let accessory: ReceiptLabel
    /// Whether the output is refused at once, for example because its rule does not accept the phone's
    /// engagement. It is recorded, so that the receipts say it, and the accessory never acts.
    package let isRefused: Bool

    package init(accessory: ReceiptLabel, isRefused: Bool = false) {
        self.accessory = accessory
        self.isRefused = isRefused
    }
}

/// An output in the store. It contains nothing about the holder.
package struct StoredOutput: Equatable, Sendable {
    /// The number of the output, which is never used again.
    package let number: Int64
    /// The id of the presentation.
    package let presentation: String
    package let accessory: ReceiptLabel
    package let state: OutputState

    package init(number: Int64, presentation: String, accessory: ReceiptLabel, state: OutputState) {
        self.number = number
        self.presentation = presentation
        self.accessory = accessory
        self.state = state
    }
}
