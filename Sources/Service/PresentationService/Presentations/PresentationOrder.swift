package import JSON
package import MdocTrust
package import ReaderStore
internal import ReaderTokens
package import RequestPlanner
internal import ErrorMapping

/// The order for one presentation: what to ask, who decides and what to keep. A till sends an order as JSON.
/// A preset makes an order without a till.
///
/// The initialiser checks everything that does not depend on a lane, on trust or on the store.
/// `PresentationCoordinator.prepare` checks the rest.
package struct PresentationOrder: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// Only answers leave the daemon, except for a portrait and a name that the clerk's page shows.
        case display
        /// The caller receives the elements.
        case data
    }

    /// The way in which a person takes part in the outcome after a verified response.
    package enum Validation: String, CaseIterable, Sendable {
        /// The answer is final, unless a display request asks for a portrait. A person then decides as for
        /// `confirm`.
        case check
        /// The outcome follows the rule of `check`. The value is for an operator who checks one phone after
        /// the other.
        case checkMultiple
        /// A person compares the holder with the portrait and decides.
        case confirm
    }

    package let kind: Kind
    package let intent: RequestIntent
    /// The name of the lane; `nil` stands for the daemon's only lane.
    let lane: String?
    /// The reference that makes the order idempotent: a second order with the same reference returns the same
    /// presentation.
    let reference: OrderReference?
    let validation: Validation
    package let retention: RetentionProfile
    /// Whether the holder consented to the retention of data.
    package let consent: HolderConsent
    /// The second request, sent in the same session if the first response answers each question with yes.
    let then: FurtherOrder?
    /// The revocation policy of the order. It is at least as strict as the policy that applies without it:
    /// the policy of the lane or, if the lane has none, the policy for the purpose of the request. `nil` to
    /// use that policy.
    package let policy: RevocationPolicy?
    /// The name of the reader identity that signs the request; `nil` if rules or the reader token choose it.
    let identity: String?
    /// The name of the wallet, which the rules for reader identities may require; `nil` if the name is
    /// unknown.
    let wallet: String?
    /// The URL to which the finished presentation is sent.
    let webhook: String?
    /// The token of the brand in whose name the request is made. A till's order for data needs a token.
    let readerToken: String?
    /// The brand for which the daemon makes the reader token itself. Only the order of a preset that asks for
    /// data has this brand; otherwise `nil`.
    let presetBrand: TokenText?
    /// Whether the order was made by a preset, not by a program.
    let isOfPreset: Bool
    /// The reference of the earlier order that this order repeats, if a preset that asks for data made both
    /// orders. Data is retained under this reference.
    private(set) var repeatedReference: OrderReference?

    private static let members: Set = [
        "kind", "intent", "lane", "reference", "validation", "retention", "consent", "readerToken",
        "identity", "wallet", "webhook", "holder", "then", "policy",
    ]
    static let longestIntent = 4096

    /// Parses the order of an HTTP request.
    ///
    /// - Throws: `orderMalformed`, `intentRefused`, `displayRetainsNoData` or `consentMissing`.
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
            presetBrand = nil
            isOfPreset = false
        } catch {
            throw .orderMalformed(error, permitted: Self.members)
        }
        intent = try RequestIntent(ordered: words)
        then = try further.map { text throws(PresentationServiceError) in try FurtherOrder(text) }
        try checkRetention(of: kind, retention)
        if let then { try checkRetention(of: .data, then.retention) }
    }

    /// Creates the order of a preset at a lane.
    ///
    /// - Throws: `consentMissing` if the preset retains data with the holder's consent, and `consent` does not
    ///   state it.
    package init(
        _ preset: Preset, lane: String, reference: OrderReference?, consent: HolderConsent = .notGiven
    ) throws(PresentationServiceError) {
        guard consent == .given || !preset.needsConsent else { throw .consentMissing }
        kind = preset.kind
        intent = preset.intent
        self.lane = lane
        self.reference = reference
        validation = preset.validation
        retention = preset.retention
        self.consent = consent
        then = preset.then
        policy = preset.policy
        identity = nil
        wallet = nil
        webhook = nil
        readerToken = nil
        presetBrand = preset.brand
        isOfPreset = true
    }

    /// Creates a copy of an order, with which the whole order is repeated. The reference and the holder's
    /// consent are not copied. If a preset that asks for data made the order, the copy keeps the reference as
    /// `repeatedReference`, so that the desk finds the retained data of all attempts under one reference.
    ///
    /// - Parameter consent: whether the holder consented again.
    /// - Throws: `consentNotRepeated` if the order retains data with the holder's consent, which is valid for
    ///   one presentation, and the holder did not consent again.
    init(
        again order: PresentationOrder, lane: String, consent: HolderConsent = .notGiven
    ) throws(PresentationServiceError) {
        let retentions = [order.retention, order.then?.retention].compactMap(\.self)
        guard consent == .given || !retentions.contains(where: \.needsConsent) else {
            throw .consentNotRepeated
        }
        kind = order.kind
        intent = order.intent
        self.lane = lane
        reference = nil
        validation = order.validation
        retention = order.retention
        self.consent = consent
        then = order.then
        policy = order.policy
        identity = order.identity
        wallet = order.wallet
        webhook = order.webhook
        readerToken = order.readerToken
        presetBrand = order.presetBrand
        isOfPreset = order.isOfPreset
        repeatedReference = presetBrand == nil ? nil : order.reference ?? order.repeatedReference
    }

    /// Whether the order has the request, the retention, the brand and the policy of a preset.
    func isOrder(of preset: Preset) -> Bool {
        kind == preset.kind && intent == preset.intent && validation == preset.validation
            && retention == preset.retention && then == preset.then && presetBrand == preset.brand
            && policy == preset.policy
    }

    /// Refuses an order that retains data of a display request, and an order without the consent that its
    /// retention profile needs.
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

    /// Parses the members `reference` and `holder`.
    package static func reference(_ members: JSONTextMembers) throws(JSONFault) -> OrderReference? {
        let holder = try members["holder"]?.integer(in: 1...99)
        // `holder` without `reference` is refused below, since it numbers the persons under a reference.
        if holder == nil, members["reference"] == nil { return nil }
        return OrderReference(
            name: try members.required("reference").string(upTo: 128), holder: Int(holder ?? 1))
    }

    /// Whether the first or the second request returns elements to the caller.
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

/// The caller's own name for a presentation, by which a repeated order is recognised.
package struct OrderReference: Hashable, Sendable {
    let name: String
    /// The number of the person under this name, from 1 to 99. For example, it distinguishes the drivers of
    /// one contract.
    let holder: Int
}

/// The second request of an order. It asks for elements in the same session, after the first response was
/// verified and answered each question with yes.
package struct FurtherOrder: Equatable, Sendable {
    package let intent: RequestIntent
    package let retention: RetentionProfile

    package init(_ intent: RequestIntent, retention: RetentionProfile) {
        self.intent = intent
        self.retention = retention
    }

    /// Parses the member `then` of an order.
    init(_ text: JSONText) throws(PresentationServiceError) {
        let words: String
        do throws(JSONFault) {
            let members = try text.members(["intent", "retention"])
            words = try members.required("intent").string(upTo: PresentationOrder.longestIntent)
            retention = try members["retention"].map(RetentionProfile.init) ?? .none
        } catch {
            // The permitted members are not listed, because the list would contain the members of the whole
            // order instead of the members of `then`.
            throw .orderMalformed(error, permitted: [])
        }
        intent = try RequestIntent(ordered: words, in: .further)
    }
}

extension RequestIntent {
    /// Parses the intent of an order.
    init(
        ordered words: String, in part: PresentationServiceError.OrderPart = .first
    ) throws(PresentationServiceError) {
        self = try mapping(RequestIntent(parsing: words)) { (error: RequestPlannerError) in
            PresentationServiceError.intentRefused(error, in: part)
        }
    }
}

extension RequestPlan {
    /// Plans the smallest request that answers the intent of an order.
    init(
        ordered intent: RequestIntent, keeping retention: RetentionProfile,
        in part: PresentationServiceError.OrderPart = .first
    ) throws(PresentationServiceError) {
        self = try mapping(RequestPlan(intent, keeping: retention.choice)) { (error: RequestPlannerError) in
            PresentationServiceError.intentRefused(error, in: part)
        }
    }
}
