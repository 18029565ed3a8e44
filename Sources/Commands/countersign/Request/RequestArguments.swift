internal import ArgumentParser
internal import MdocModel

/// What `request` asks for.
struct RequestArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Is the holder at least this old? 0 to 99; at most two ages in one request.", valueName: "years"))
    var ageOver: [Int] = []

    @Flag(name: .long, help: "Ask for the portrait: only where somebody compares it.")
    var portrait = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Ask for this element, not to be kept. Repeatable.", valueName: "namespace/element"))
    var element: [ElementArgument] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Ask for this element, and tell the holder that it will be kept. Repeatable.",
            valueName: "namespace/element"))
    var retain: [ElementArgument] = []

    @Option(name: .long, help: ArgumentHelp("The document asked for.", valueName: "type"))
    var docType = "org.iso.18013.5.1.mDL"

    func validate() throws {
        guard !ageOver.isEmpty || portrait || !element.isEmpty || !retain.isEmpty else {
            throw ValidationError("Ask for something: --age-over, --portrait, --element or --retain.")
        }
        guard ageOver.allSatisfy((0...99).contains) else {
            throw ValidationError("--age-over takes 0 to 99.")
        }
        guard Set(ageOver).count <= 2 else {
            throw ValidationError("A request may ask about two ages at most (ISO/IEC 18013-5 7.2.5).")
        }
    }

    /// Each age once.
    var questions: [AgeQuestion] {
        Set(ageOver).sorted().map { AgeQuestion(docType: docType, years: $0) }
    }

    /// What is asked for, the portrait also where it is to be saved.
    func question(savingPortrait: Bool) -> RequestedElements {
        RequestedElements(
            docType: docType, ages: Set(ageOver).sorted(), portrait: portrait || savingPortrait,
            elements: element,
            retained: retain)
    }
}

/// The elements asked for of one document.
struct RequestedElements {
    var docType: String
    var ages: [Int]
    var portrait: Bool
    var elements: [ElementArgument] = []
    var retained: [ElementArgument] = []

    /// The request. What is asked for twice is kept only where that was said.
    var items: ItemsRequest {
        var request = ItemsRequest(docType: docType, nameSpaces: [])
        for kept in retained { request.add(kept.identifier, in: kept.nameSpace, retain: true) }
        for years in ages { request.add("age_over_\(years < 10 ? "0" : "")\(years)", in: mainNameSpace) }
        if portrait { request.add("portrait", in: mainNameSpace) }
        for asked in elements { request.add(asked.identifier, in: asked.nameSpace) }
        return request
    }

    /// The namespace in which a document has its ages and portrait; documents not known name it as themselves.
    private var mainNameSpace: String {
        switch docType {
        case "org.iso.18013.5.1.mDL": "org.iso.18013.5.1"
        case "org.iso.23220.photoid.1", "org.iso.23220.photoID.1": "org.iso.23220.1"
        default: docType
        }
    }
}

extension ItemsRequest {
    fileprivate mutating func add(_ identifier: String, in nameSpace: String, retain: Bool = false) {
        let element = Element(identifier: identifier, intentToRetain: retain)
        guard let index = nameSpaces.firstIndex(where: { $0.name == nameSpace }) else {
            nameSpaces.append(NameSpace(name: nameSpace, elements: [element]))
            return
        }
        guard !nameSpaces[index].elements.contains(where: { $0.identifier == identifier }) else { return }
        nameSpaces[index].elements.append(element)
    }
}

/// `namespace/element`.
struct ElementArgument: ExpressibleByArgument {
    let nameSpace: String
    let identifier: String

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        nameSpace = String(parts[0])
        identifier = String(parts[1])
    }
}
