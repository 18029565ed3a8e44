package import MdocTrust
package import ReaderStore
package import RequestPlanner
internal import Reports

/// A named display request of the configuration, which a button or a standing order can start.
///
/// A preset is never a data request: a person who presses a button has no use for elements, and no reader
/// token.
package struct Preset: Equatable, Sendable {
    /// The maximum number of presets of a configuration, and of one lane.
    package static let most = 12

    /// The text of the preset's button.
    package let name: String
    package let intent: RequestIntent
    package let validation: PresentationOrder.Validation
    package let retention: RetentionProfile
    /// The revocation policy that replaces the policy of the purpose, and must be at least as strict; `nil`
    /// for the policy of the purpose.
    package let policy: RevocationPolicy?

    /// Creates a preset.
    ///
    /// - Parameter words: the intent as text.
    /// - Throws: the reason why a phone cannot be asked this, or why the retention is not possible.
    package init(
        name: String, intent words: String, validation: PresentationOrder.Validation = .check,
        retention: RetentionProfile = .receipt, policy: RevocationPolicy? = nil
    ) throws(PresetFault) {
        do throws(RequestPlannerError) {
            intent = try RequestIntent(parsing: words)
            // Only the error matters: each order makes its own plan later.
            _ = try RequestPlan(intent, keeping: retention.choice)
        } catch {
            throw PresetFault(description: error.explanation)
        }
        guard retention.days == 0 else {
            throw PresetFault(
                description: "retention must be \"none\" or \"receipt\": a preset retains no data")
        }
        self.name = name
        self.validation = validation
        self.retention = retention
        self.policy = policy
    }
}

/// The reason why a preset is refused, as text for the operator.
package struct PresetFault: Error, CustomStringConvertible {
    package let description: String
}
