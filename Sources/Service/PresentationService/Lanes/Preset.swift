package import MdocTrust
package import ReaderStore
package import RequestPlanner
internal import Reports

/// A named display request of the configuration. A button starts it, or a lane repeats it by itself.
///
/// A preset is never a data request: the person who presses the button has no use for element values, and has
/// no reader token, which a data request needs.
package struct Preset: Equatable, Sendable {
    /// The maximum number of presets, in a configuration and at one lane.
    package static let most = 12

    /// The text of the preset's button.
    package let name: String
    package let intent: RequestIntent
    package let validation: PresentationOrder.Validation
    package let retention: RetentionProfile
    /// A revocation policy that is at least as strict as the policy of the lane, or, if the lane has none, as
    /// the policy for the purpose of the request; `nil` to use the policy of the lane or the purpose.
    package let policy: RevocationPolicy?

    /// Creates a preset.
    ///
    /// - Parameter words: the intent as text.
    /// - Throws: the reason why the intent or the retention is not possible.
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
