package import MdocTrust
package import ReaderStore
package import RequestPlanner
internal import Reports

/// A display request that the configuration names, so that a button, or a lane by itself, can start it.
///
/// It is never a data request: whoever presses a button has no use for elements, and no reader token to ask for them.
package struct Preset: Equatable, Sendable {
    /// How many a configuration, or a lane, has at most.
    package static let most = 12

    /// What its button says.
    package let name: String
    package let intent: RequestIntent
    package let validation: PresentationOrder.Validation
    package let retention: RetentionProfile
    /// Replaces the policy of its purpose, where it accepts no more than that.
    package let policy: RevocationPolicy?

    /// - Throws: why no phone can be asked this.
    package init(
        name: String, intent words: String, validation: PresentationOrder.Validation = .check,
        retention: RetentionProfile = .receipt, policy: RevocationPolicy? = nil
    ) throws(PresetFault) {
        do throws(RequestPlannerError) {
            intent = try RequestIntent(parsing: words)
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

/// Why a preset is refused, in plain words.
package struct PresetFault: Error, CustomStringConvertible {
    package let description: String
}
