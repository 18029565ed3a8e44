internal import MdocModel
internal import MdocVerification
internal import ReaderStore
internal import Reports
internal import RequestPlanner
internal import Synchronization
internal import TestCredentials

/// The part of a mutant that no edit changes: the holder's documents, what is asked, and how the answer is judged.
struct ReissueScenario: Hashable {
    let profiles: [ReissueProfile]
    let intent: Int
    let isStrict: Bool
    let isCompared: Bool
    let binding: ReissueEdit.Binding

    static let intents = [
        "age over 18", "age over 21; else birth date",
        "age over 21, portrait for a human to compare; else birth date",
        "age over 21, in date; else birth date", "age over 65; else nothing", "rental: categories B",
        "rental: categories A B, name, age over 21, portrait for a human to compare", "rental: classes C",
        "identity: name, document number, expiry",
        "identity: name, birth date, portrait for a human to compare",
        "elements: org.iso.18013.5.1/height, org.iso.18013.5.1/nationality",
        "elements: org.iso.18013.5.1/expiry_date",
        "elements: org.iso.18013.5.1/age_over_18, org.iso.18013.5.1.aamva/DHS_compliance",
    ]

    private static let plans = intents.map { text in
        guard let intent = try? RequestIntent(parsing: text),
            let plan = try? RequestPlan(intent, keeping: .none)
        else {
            fatalError("the reissue target has an intent that is refused: \(text)")
        }
        return plan
    }

    private static let requests = plans.map { $0.drafts(for: [.extendedRequest]).flatMap(\.documents) }

    init(_ script: inout ReissueScript) {
        let (profile, choice, form) = (script.byte(), script.byte(), script.byte())
        let all = ReissueProfile.allCases
        let second = profile >= 192 ? [all[Int(profile >> 3) % all.count]] : []
        profiles = [all[Int(profile) % all.count]] + second
        intent = Int(choice) % Self.intents.count
        isStrict = form & 1 == 1
        isCompared = form & 6 != 6
        binding = form & 8 == 8 ? .mac : .signature
    }

    private init(_ scenario: ReissueScenario, only profiles: [ReissueProfile]) {
        self.profiles = profiles
        intent = scenario.intent
        isStrict = scenario.isStrict
        isCompared = scenario.isCompared
        binding = scenario.binding
    }

    var requests: [ItemsRequest] { Self.requests[intent] }

    var day: FullDate { ReissueWorld.standard.now.dayInUTC }

    var questions: [Question] { Self.plans[intent].expectation(on: day).questions }

    func response(_ steps: [ReissueStep]) -> ReissuedResponse {
        do {
            let documents = try profiles.enumerated().map { index, profile in
                let edits = steps.filter { $0.document % profiles.count == index }.map(\.edit)
                return try ReissuedDocument(profile, binding: binding, edits: edits) {
                    identifier, nameSpace in
                    requests.contains { $0.asks(for: identifier, in: nameSpace) }
                }
            }
            let edits = steps.compactMap { if case .response(let edit) = $0.edit { edit } else { nil } }
            return try ReissuedResponse(documents, edits: edits)
        } catch {
            fatalError("the fuzzer's issuer cannot sign: \(error)")
        }
    }

    /// The report on a response; nil if it is malformed.
    func report(on response: [UInt8]) -> TransactionReport? {
        let world = ReissueWorld.standard
        let context = VerificationContext(
            transcript: world.session.transcript,
            comparison: isCompared ? .requested(requests) : .notCompared,
            readerKey: world.session.readerKey, trust: world.trust, now: world.now,
            policy: VerificationPolicy(rules: isStrict ? .strict : .interoperable))
        guard let response = try? UnverifiedResponse(response[...]) else { return nil }
        return TransactionReport(
            response.verify(in: context), expecting: Self.plans[intent].expectation(on: day),
            requestCompared: isCompared)
    }
}

/// The best that an honest phone obtains: by all its documents, or by any of them alone.
struct HonestAnswer {
    private(set) var isYes: [Bool]
    private(set) var isAllowed: Bool

    private static let known = Mutex<[ReissueScenario: HonestAnswer]>([:])

    static func of(_ scenario: ReissueScenario) -> HonestAnswer {
        if let answer = known.withLock({ $0[scenario] }) { return answer }
        let answer = HonestAnswer(scenario)
        known.withLock { $0[scenario] = answer }
        return answer
    }

    private init(_ scenario: ReissueScenario) {
        isYes = scenario.questions.map { _ in false }
        isAllowed = false
        let alone = scenario.profiles.count > 1 ? scenario.profiles.map { [$0] } : []
        for profiles in [scenario.profiles] + alone { include(scenario.only(profiles)) }
    }

    private mutating func include(_ scenario: ReissueScenario) {
        guard let report = scenario.report(on: scenario.response([]).bytes) else {
            fatalError("an honest response is malformed")
        }
        let isRevoked = scenario.profiles.contains(.revoked)
        // Strict rules refuse a response without the portrait that was asked for.
        let isRefused = isRevoked || scenario.isStrict && scenario.profiles.contains(.bare)
        demand(isRefused || report.verdict == .verified, "an honest response is refused")
        demand(!isRevoked || report.verdict == .rejected, "a revoked document is verified")
        for (index, question) in scenario.questions.enumerated() {
            isYes[index] = isYes[index] || report.answer(to: question) == .yes
        }
        isAllowed = isAllowed || report.isAllowed
    }
}

extension ReissueScenario {
    fileprivate func only(_ profiles: [ReissueProfile]) -> ReissueScenario {
        ReissueScenario(self, only: profiles)
    }
}

extension TransactionReport {
    /// Whether a till gets `allow`, where nobody has to decide.
    var isAllowed: Bool { Conclusion.Evidence(self, asksPerson: false).conclusion?.outcome == .allow }
}
