package import MdocTrust
package import ReaderStore
package import ReaderTokens
package import RequestPlanner
internal import Reports

/// A named request of the configuration. A button starts it, or a lane repeats it by itself.
///
/// A preset is a display request, or asks for data in the name of a brand. Presets that ask for data are for
/// the desk's page alone (scope `desk`): a clerk who presses a button has no use for element values, and a lane
/// never asks for data by itself. The daemon makes the reader token that a data request needs.
package struct Preset: Equatable, Sendable {
    /// The maximum number of presets, in a configuration and at one lane.
    package static let most = 12
    /// The maximum length of a name and of a button's text, in bytes.
    package static let longestName = 64

    /// The name by which programs start the preset. If the configuration gives no name, the name is made of
    /// the questions, joined with `+`, such as `age_over_18+portrait`.
    package let name: String
    /// The configured texts of the button, by language.
    ///
    /// - If only a name is configured, `names` is empty, and the button shows the name.
    /// - If neither is configured, `names` is `nil`, and pages use their own texts for `asks`.
    package let names: [PageTexts.Language: String]?
    /// The questions of the request, such as `age_over_18` and `portrait`.
    package let asks: [String]
    package let kind: PresentationOrder.Kind
    package let intent: RequestIntent
    package let validation: PresentationOrder.Validation
    package let retention: RetentionProfile
    /// The second request, sent in the same session if the first response answers each question with yes.
    package let then: FurtherOrder?
    /// The brand in whose name the preset asks for data; `nil` for a preset that asks for no data.
    package let brand: TokenText?
    /// The revocation policy of the preset. It is at least as strict as the policy that applies without it:
    /// the policy of the lane or, if the lane has none, the policy for the purpose of the request. `nil` to
    /// use that policy.
    package let policy: RevocationPolicy?

    /// Whether the first or the second request returns elements to the caller.
    package var asksForData: Bool { kind == .data || then != nil }

    /// Whether an order of the preset must state the holder's consent to the retention of data.
    package var needsConsent: Bool { retention.needsConsent || then?.retention.needsConsent == true }

    /// Creates a preset.
    ///
    /// - Parameters:
    ///   - name: the name; `nil` for a name made of the questions.
    ///   - names: the texts of the button.
    ///   - words: the intent as text.
    /// - Throws: the reason why the members are not possible or do not fit together, or why no name can be made.
    package init(
        name: String? = nil, names: [PageTexts.Language: String]? = nil,
        kind: PresentationOrder.Kind = .display, intent words: String,
        validation: PresentationOrder.Validation = .check, retention: RetentionProfile = .receipt,
        then: FurtherOrder? = nil, brand: TokenText? = nil, policy: RevocationPolicy? = nil
    ) throws(PresetFault) {
        let plan: RequestPlan
        do throws(RequestPlannerError) {
            intent = try RequestIntent(parsing: words)
            // This plan is only used to find errors, to list the questions, and to see whether a portrait
            // is needed. Each order makes its own plan later.
            plan = try RequestPlan(intent, keeping: retention.choice)
        } catch {
            throw PresetFault(.intent, error.explanation)
        }
        let further: RequestPlan?
        do throws(RequestPlannerError) {
            further =
                if let then { try RequestPlan(then.intent, keeping: then.retention.choice) } else { nil }
        } catch {
            throw PresetFault(.then, error.explanation)
        }
        guard kind == .data || retention.days == 0 else {
            throw PresetFault(
                .retention,
                then == nil
                    ? "must be \"none\" or \"receipt\": a preset with kind \"display\" retains no data"
                    : "must be \"none\" or \"receipt\": a display request retains no data, but the request in \"then\" may"
            )
        }
        guard (kind == .data || then != nil) == (brand != nil) else {
            throw PresetFault(
                brand == nil ? .kind : .brand,
                brand == nil
                    ? "needs brand: data is asked for in the name of a brand"
                    : "is allowed only with kind \"data\" or with \"then\", which ask for data")
        }
        // `PresentationCoordinator.prepare` refuses the orders of such a preset too: nobody could compare
        // the portrait of a data request, and the portraits of two requests would share one HTTP path.
        guard
            kind == .display || !plan.needsPortrait
                || (validation != .confirm && further?.needsPortrait != true)
        else {
            throw PresetFault(
                .intent,
                "nobody compares the portrait of a data request: leave out \"validation\": \"confirm\" and the portrait in \"then\""
            )
        }
        asks = plan.asks
        let made = asks.joined(separator: "+")
        guard name != nil || 1...Self.longestName ~= made.utf8.count else {
            throw PresetFault(
                .intent,
                "the name that is made from these questions does not have 1 to \(Self.longestName) bytes: give the preset a \"name\""
            )
        }
        self.name = name ?? made
        self.names = names ?? name.map { _ in [:] }
        self.kind = kind
        self.validation = validation
        self.retention = retention
        self.then = then
        self.brand = brand
        self.policy = policy
    }
}

extension Preset {
    /// Whether the name is made of the questions.
    package var isNamedByQuestions: Bool { name == asks.joined(separator: "+") }
}

/// The reason why a preset is refused, as text for the operator.
package struct PresetFault: Error, CustomStringConvertible {
    /// A member of a preset in the configuration.
    package enum Member: String, Sendable {
        case kind, intent, retention, then, brand
    }

    /// The member at which the fault is reported.
    package let member: Member
    package let description: String

    init(_ member: Member, _ description: String) {
        self.member = member
        self.description = description
    }
}
