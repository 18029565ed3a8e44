package import JSON
package import MdocTrust
package import ReaderStore
package import RequestPlanner
internal import ErrorMapping

/// The order of a till or a kiosk, with its form in JSON.
package struct PresentationOrder: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// An answer that is shown: no element value leaves the daemon but a portrait and a name, to the display.
        case display
        /// The elements themselves.
        case data
    }

    /// What a person does about a verified answer.
    package enum Validation: String, CaseIterable, Sendable {
        /// Nothing: the answer is final.
        case check
        /// Nothing, while one phone after the other is checked.
        case checkMultiple
        /// A person compares and decides.
        case confirm
    }

    package let kind: Kind
    package let intent: RequestIntent
    /// Any lane where there is only one.
    let lane: String?
    /// Makes the order idempotent: the same reference again is the same presentation.
    let reference: OrderReference?
    let validation: Validation
    package let retention: RetentionProfile
    /// Whether the holder's consent to what is retained was recorded.
    package let consent: HolderConsent
    let then: FurtherOrder?
    /// Replaces the policy of its purpose, where it accepts no more than that.
    package let policy: RevocationPolicy?
    let identity: String?
    let wallet: String?
    let webhook: String?
    let readerToken: String?

    private static let members: Set = [
        "kind", "intent", "lane", "reference", "validation", "retention", "consent", "readerToken",
        "identity", "wallet", "webhook", "holder", "then", "policy",
    ]
    static let longestIntent = 4096

    package init(_ body: JSONText) throws(PresentationServiceError) {
        let words: String
        let further: JSONText?
        do throws(JSONFault) {
            let members = try body.members(Self.members)
            kind = try members.required("kind").word()
            words = try members.required("intent").string(upTo: Self.longestIntent)
            lane = try members["lane"]?.string(upTo: 64)
            reference = try Self.reference(members)
            further = members["then"]
            validation = try members["validation"]?.word() ?? .check
            retention = try members["retention"].map(RetentionProfile.init) ?? .none
            consent = try members["consent"]?.word() ?? .notGiven
            identity = try members["identity"]?.string(upTo: 64)
            wallet = try members["wallet"]?.string(upTo: 64)
            policy = try members["policy"].map(RevocationPolicy.init)
            webhook = try members["webhook"]?.string(upTo: 1024)
            readerToken = try members["readerToken"]?.string(upTo: 1 << 13)
        } catch {
            throw .orderMalformed(error, permitted: Self.members)
        }
        intent = try RequestIntent(ordered: words)
        then = try further.map { text throws(PresentationServiceError) in try FurtherOrder(text) }
        try checkRetention(of: kind, retention)
        if let then { try checkRetention(of: .data, then.retention) }
    }

    /// What a preset asks at a lane.
    package init(_ preset: Preset, lane: String, reference: OrderReference?) {
        kind = .display
        intent = preset.intent
        self.lane = lane
        self.reference = reference
        validation = preset.validation
        retention = preset.retention
        consent = .notGiven
        then = nil
        policy = preset.policy
        identity = nil
        wallet = nil
        webhook = nil
        readerToken = nil
    }

    /// The order of a presentation that asks again, for everything. Neither the reference nor the holder's consent is
    /// taken over.
    ///
    /// - Throws: `consentNotRepeated` if the order keeps data only with a consent, which is given for one presentation.
    init(again order: PresentationOrder, lane: String) throws(PresentationServiceError) {
        let retentions = [order.retention, order.then?.retention].compactMap(\.self)
        guard !retentions.contains(where: \.needsConsent) else { throw .consentNotRepeated }
        kind = order.kind
        intent = order.intent
        self.lane = lane
        reference = nil
        validation = order.validation
        retention = order.retention
        consent = .notGiven
        then = order.then
        policy = order.policy
        identity = order.identity
        wallet = order.wallet
        webhook = order.webhook
        readerToken = order.readerToken
    }

    /// What a profile would never keep is not ordered.
    private func checkRetention(of kind: Kind, _ retention: RetentionProfile) throws(PresentationServiceError)
    {
        guard retention.days > 0 else { return }
        guard kind == .data else {
            throw .displayRetainsNoData
        }
        guard consent == .given || !retention.needsConsent else {
            throw .consentMissing
        }
    }

    package static func reference(_ members: JSONTextMembers) throws(JSONFault) -> OrderReference? {
        let holder = try members["holder"]?.integer(in: 1...99)
        if holder == nil, members["reference"] == nil { return nil }
        return OrderReference(
            name: try members.required("reference").string(upTo: 128), holder: Int(holder ?? 1))
    }

    /// Whether elements are asked for, at first or then.
    var asksForData: Bool { kind == .data || then != nil }
}

extension RetentionProfile {
    init(_ text: JSONText) throws(JSONFault) {
        guard let profile = RetentionProfile(try text.string(upTo: 32)) else {
            throw text.wrong("must be \"none\", \"receipt\", \"age+id-number\", \"consented\" or \"days(N)\"")
        }
        self = profile
    }
}

/// The caller's own name for a presentation: the same again is the same presentation.
package struct OrderReference: Hashable, Sendable {
    let name: String
    /// Which of the persons that belong to one name: the drivers of one contract.
    let holder: Int
}

/// What an order asks for next, in the same session: elements, once everything before was verified and answered yes.
struct FurtherOrder: Equatable, Sendable {
    let intent: RequestIntent
    let retention: RetentionProfile

    init(_ text: JSONText) throws(PresentationServiceError) {
        let words: String
        do throws(JSONFault) {
            let members = try text.members(["intent", "retention"])
            words = try members.required("intent").string(upTo: PresentationOrder.longestIntent)
            retention = try members["retention"].map(RetentionProfile.init) ?? .none
        } catch {
            throw .orderMalformed(error, permitted: [])
        }
        intent = try RequestIntent(ordered: words, in: .further)
    }
}

extension RequestIntent {
    /// The intent that an order has in words.
    init(
        ordered words: String, in part: PresentationServiceError.OrderPart = .first
    ) throws(PresentationServiceError) {
        self = try mapping(RequestIntent(parsing: words)) { (error: RequestPlannerError) in
            PresentationServiceError.intentRefused(error, in: part)
        }
    }
}

extension RequestPlan {
    /// The smallest request that answers an ordered intent.
    init(
        ordered intent: RequestIntent, keeping retention: RetentionProfile,
        in part: PresentationServiceError.OrderPart = .first
    ) throws(PresentationServiceError) {
        self = try mapping(RequestPlan(intent, keeping: retention.choice)) { (error: RequestPlannerError) in
            PresentationServiceError.intentRefused(error, in: part)
        }
    }
}
