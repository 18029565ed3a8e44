internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import MdocModel
internal import MdocVerification
internal import RequestPlanner

/// What `request` asks for: an intent in words, or elements by name.
struct RequestArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "What you want to know, in words. The request asks for the least data that answers it.",
            discussion: """
                [purpose:] what, what … [; from document or document …] [; else fallback]
                purpose: age, which is meant where none is said, rental, identity, elements
                what: age over N, name, licence number, document number, categories B C1, classes C, expiry, issue \
                date, issuer, portrait, portrait for a human to compare, birth date, nationality, address, NS/ID
                document: mdl, which is meant where none is said, photoid, pid, av, mnc, or a type
                fallback, where a document has no such age: nothing, age in years, which is meant where none is \
                said, birth date
                """,
            valueName: "intent"))
    var intent: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Is the holder at least this old? 0 to 99; at most two ages in one request.", valueName: "years"))
    var ageOver: [Int] = []

    @Flag(name: .long, help: "Ask for the portrait: only where somebody compares it.")
    var portrait = false

    @Option(
        name: .long,
        help: ArgumentHelp("Ask for this element. Repeatable.", valueName: "namespace/element"))
    var element: [ElementArgument] = []

    @Option(name: .long, help: ArgumentHelp("The document asked for.", valueName: "type"))
    var docType: String?

    @Option(
        name: .long,
        help: """
            What will be kept of the answer; the holder is informed of it: nothing; a receipt without personal data; the \
            answers about age and the document's number; or all but the portrait, with the holder's consent.
            """)
    var keep = KeepArgument.nothing

    func validate() throws {
        guard intent == nil || (ageOver.isEmpty && !portrait && element.isEmpty && docType == nil) else {
            throw ValidationError(
                "Give either an intent, or --age-over, --portrait, --element and --doc-type.")
        }
        guard intent != nil || !ageOver.isEmpty || portrait || !element.isEmpty else {
            throw ValidationError(
                "Ask for something: an intent (before --trust), --age-over, --portrait or --element.")
        }
        guard ageOver.allSatisfy((0...99).contains) else {
            throw ValidationError("--age-over takes 0 to 99.")
        }
    }

    /// The least that answers, or why it is not asked. A portrait that is to be saved is asked for too, but never
    /// added to an intent.
    func plan(savingPortrait: Bool) throws(CommandFailure) -> RequestPlan {
        let plan = try mapping(
            RequestPlan(wanted(savingPortrait: savingPortrait), keeping: keep.choice),
            \RequestPlannerError.failure)
        guard !savingPortrait || plan.needsPortrait else {
            throw .usage("--save-portrait: the intent asks for no portrait")
        }
        return plan
    }

    /// The given intent, or an intent made of the elements that are named one by one.
    private func wanted(savingPortrait: Bool) throws(RequestPlannerError) -> RequestIntent {
        if let intent { return try RequestIntent(parsing: intent) }
        var claims = Set(ageOver).sorted().map { Claim.ageOver($0) }
        if portrait || savingPortrait { claims.append(.portrait(isCompared: true)) }
        for name in element.map(\.name) where !claims.contains(.element(name)) {
            claims.append(.element(name))
        }
        let document = docType ?? DocumentFamily.drivingLicence.word
        guard let family = DocumentFamily(document) else { throw .notUnderstood(document) }
        return RequestIntent(element.isEmpty ? .age : .elements, claims, from: [family])
    }
}

/// A retention choice by the name that it has here.
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

/// `namespace/element`.
struct ElementArgument: ExpressibleByArgument {
    let name: ElementName

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        name = ElementName(nameSpace: String(parts[0]), identifier: String(parts[1]))
    }
}
