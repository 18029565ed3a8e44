/// What `countersign setup` asks. The raw value is the member of the file of answers.
enum SetupQuestion: String, CaseIterable {
    case fix, replace, role, trial, reader, lane, shop, logo, ground, words, brand, contact, language,
        retention
    case days, purpose, kept, trust, identity, country

    /// As it stands at the terminal.
    var text: String {
        switch self {
        case .fix: "Write the missing settings that were shown?"
        case .replace: "Replace the present configuration? It is kept under another name"
        case .role: "What is this computer for?"
        case .trial: "Use the software wallet, a program that answers as a phone does, for a trial?"
        case .reader: "Which reader?"
        case .lane: "A name for this lane, the place of one reader and its pages: letters, digits, - and _"
        case .shop: "The shop's name, as customers read it"
        case .logo: "File of the shop's logo, a PNG, or nothing"
        case .ground: "Background colour of the shop's look, such as #10243e, or nothing for the pages' own"
        case .words: "Colour of the words on it"
        case .brand: "Identifier of the brand, the business in whose name the desk asks"
        case .contact: "Whom customers ask about their data: an address"
        case .language:
            "Language of the pages: \(Self.languages.joined(separator: ", ")), or nothing for the browser's"
        case .retention: "What is kept of a check?"
        case .days: "For how many days?"
        case .purpose: "Why customers are asked, as they read it"
        case .kept: "What is kept, as customers read it"
        case .trust:
            "File or folder with the certificates (IACA) or lists (VICAL) of the authorities that issue documents, or nothing for later"
        case .identity:
            "Make a reader identity, a key that signs what is asked? Many wallets answer only readers that they know"
        case .country: "Country of the shop, two letters"
        }
    }

    /// Those of the pages.
    static let languages = ["ar", "de", "en", "es", "fr", "it", "pt", "zh"]

    /// What its member of the file of answers holds.
    var kind: String {
        switch self {
        case .fix, .replace, .trial, .identity: "true or false, default false"
        case .days: "whole 1 to 3650, default 2"
        case .role: SetupRole.allCases.map(\.rawValue).joined(separator: ", ")
        case .retention: SetupRetention.allCases.map(\.rawValue).joined(separator: ", ")
        default: "text"
        }
    }
}
