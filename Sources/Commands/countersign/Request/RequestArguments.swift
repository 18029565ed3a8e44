internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import MdocModel
internal import MdocVerification
internal import RequestPlanner

/// The options that define the request: an intent in words, or elements by name.
struct RequestArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "What you want to know, in words. The request asks for the least data that answers it.",
            discussion: """
                [purpose:] what, what … [; from document or document …] [; else fallback]
                purpose: age (the default), rental, identity, elements
                what: age over N, name, licence number, document number, categories B C1, classes C, expiry, \
                issue date, issuer, portrait, portrait for a human to compare, birth date, nationality, \
                address, NS/ID
                document: mdl (the default), photoid, pid, av, mnc, or a document type
                fallback if the document does not have the age: age in years (the default), birth date, nothing
                """,
            valueName: "intent"))
    var intent: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Ask whether the holder is at least this old, 0 to 99. Repeatable; a request may have two ages.",
            valueName: "years"))
    var ageOver: [Int] = []

    @Flag(name: .long, help: "Ask for the portrait. Use it only if a person compares it with the holder.")
    var portrait = false

    @Option(
        name: .long,
        help: ArgumentHelp("Ask for this element. Repeatable.", valueName: "namespace/element"))
    var element: [ElementArgument] = []

    @Option(name: .long, help: ArgumentHelp("The type of the requested document.", valueName: "type"))
    var docType: String?

    @Option(
        name: .long,
        help: """
            What you will retain of the answer, as the wallet shows it to the holder: nothing; receipt (no \
            personal data); age+id-number (the answers about age and the document's number); or consented \
            (everything but the portrait, with the holder's consent).
            """)
    var keep = KeepArgument.nothing

    func validate() throws {
        guard intent == nil || (ageOver.isEmpty && !portrait && element.isEmpty && docType == nil) else {
            throw ValidationError(
                "Give either an intent, or --age-over, --portrait, --element and --doc-type.")
        }
        guard intent != nil || !ageOver.isEmpty || portrait || !element.isEmpty else {
            throw ValidationError(
                "Say what to ask for: an intent (before --trust), --age-over, --portrait or --element.")
        }
        guard ageOver.allSatisfy((0...99).contains) else {
            throw ValidationError("--age-over needs an age from 0 to 99.")
        }
    }

    /// Plans the smallest request that answers the question in the options.
    ///
    /// - Parameter savingPortrait: Whether the portrait will be saved. If so, the portrait is added to
    ///   elements that are given by name. An intent is never changed.
    /// - Throws: Status 64 (usage) if the request cannot be planned or breaks a rule of its purpose.
    func plan(savingPortrait: Bool) throws(CommandFailure) -> RequestPlan {
        let plan = try mapping(
            RequestPlan(wanted(savingPortrait: savingPortrait), keeping: keep.choice),
            \RequestPlannerError.failure)
        guard !savingPortrait || plan.needsPortrait else {
            throw .usage("--save-portrait: the intent does not ask for the portrait; add it to the intent")
        }
        return plan
    }

    /// Returns the given intent, or an intent made of the elements that are given by name.
    private func wanted(savingPortrait: Bool) throws(RequestPlannerError) -> RequestIntent {
        if let intent { return try RequestIntent(parsing: intent) }
        var claims = Set(ageOver).sorted().map { Claim.ageOver($0) }
        // `isCompared` promises that a person compares the portrait with the holder. The planner refuses a
        // portrait without this promise.
        if portrait || savingPortrait { claims.append(.portrait(isCompared: true)) }
        for name in element.map(\.name) where !claims.contains(.element(name)) {
            claims.append(.element(name))
        }
        let document = docType ?? DocumentFamily.drivingLicence.word
        guard let family = DocumentFamily(document) else { throw .notUnderstood(document) }
        // A request by element names gets the purpose `elements`, because Countersign cannot know for which
        // check the elements are needed.
        return RequestIntent(element.isEmpty ? .age : .elements, claims, from: [family])
    }
}

/// The argument of `--keep`: the name of a retention choice.
enum KeepArgument: String, ExpressibleByArgument, CaseIterable {
    case nothing, receipt
    case ageAndIDNumber = "age+id-number"
    case consented

    var choice: RetentionChoice {
        switch self {
        case .nothing: .none
        case .receipt: .receipt
        case .ageAndIDNumber: .ageAndIDNumber
        case .consented: .consented
        }
    }
}

/// The argument of `--element`: `namespace/element`.
struct ElementArgument: ExpressibleByArgument {
    let name: ElementName

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        name = ElementName(nameSpace: String(parts[0]), identifier: String(parts[1]))
    }
}
