internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import PCSCTransport
internal import ReaderTokens

/// What was answered about the lane, the shop and its trust.
struct SetupAnswers {
    let role: SetupRole
    let isTrial: Bool
    /// Nil for any reader.
    let reader: String?
    let lane: String
    let look: SetupLook
    /// Nil if nobody asks for data.
    let brand: String?
    let contact: String
    /// Nil for the browser's.
    let language: String?
    let retention: SetupRetention
    /// For how many days data is kept, if any is.
    let days: Int
    let purpose: String
    let kept: String
    /// Nil for later.
    let trust: String?
    /// Nil for no reader identity.
    let country: String?

    init(
        _ dialog: SetupDialog, _ readers: [ReaderDescription], within limits: SetupLimits
    ) throws(CommandFailure) {
        let roles = SetupRole.allCases.map { (word: $0.rawValue, meaning: $0.words) }
        let role = SetupRole(rawValue: try dialog.choice(of: .role, among: roles)) ?? .kiosk
        self.role = role
        isTrial = try dialog.agrees(to: .trial)
        reader = try isTrial ? nil : Self.reader(dialog, readers, upTo: limits.longest("lanes", "reader"))
        let longestLane = try limits.longest("lanes", "name")
        lane = try dialog.text(of: .lane, standard: role.lane) { AnswerFault.lane($0, upTo: longestLane) }
        look = try SetupLook(dialog, upTo: limits.longest("lanes", "brand", "name"))
        brand =
            try role == .rental
            ? dialog.text(of: .brand, standard: Self.identifier(of: look.shop), AnswerFault.brand) : nil
        func notice(_ member: String) throws(CommandFailure) -> Int {
            try limits.longest("lanes", "page", "notice", member)
        }
        let (contacts, purposes, keeping) = (try notice("contact"), try notice("purpose"), try notice("kept"))
        contact = try dialog.text(of: .contact, standard: "The staff of this shop") {
            AnswerFault.length($0, upTo: contacts)
        }
        language = try dialog.optionalText(of: .language, AnswerFault.language)?.lowercased()
        let retentions = role.retentions.map { (word: $0.rawValue, meaning: $0.words) }
        let retention =
            SetupRetention(rawValue: try dialog.choice(of: .retention, among: retentions)) ?? .nothing
        let days = try retention == .days ? dialog.number(of: .days, standard: 2, in: 1...3650) : 0
        (self.retention, self.days) = (retention, days)
        purpose = try dialog.text(of: .purpose, standard: role.purpose) {
            AnswerFault.length($0, upTo: purposes)
        }
        kept = try dialog.text(of: .kept, standard: retention.kept(for: days)) {
            AnswerFault.length($0, upTo: keeping)
        }
        trust = try dialog.optionalText(of: .trust, AnswerFault.path)
        country =
            try dialog.agrees(to: .identity)
            ? dialog.text(of: .country, standard: "US", AnswerFault.country).uppercased() : nil
    }

    /// The answers in words, to be shown once more.
    func summary(hasTrust: Bool) -> [String] {
        let shown = look.colours.map { ", \($0.words.text) on \($0.ground.text)" } ?? ""
        return [
            "for: \(role.words)",
            isTrial ? "reader: the software wallet, for a trial" : "reader: \(reader ?? "any that is found")",
            "lane: \(lane)", "shop: \(look.shop)\(look.logo == nil ? "" : ", with its logo")\(shown)",
            "pages: \(language ?? "in the browser's language")", "contact: \(contact)",
            "kept: \(retention.word(for: days))",
            "issuers: \(hasTrust ? isTrial ? "the software wallet's" : "imported" : "none yet")",
        ]
    }

    /// The answers as a file of answers has them, for the next run to offer. Words that follow from others are left out.
    /// - Parameter logo: where the logo was copied to.
    func json(logo: String?) -> JSONValue {
        let texts: [(SetupQuestion, String?)] = [
            (.role, role.rawValue), (.reader, reader), (.lane, lane), (.shop, look.shop), (.logo, logo),
            (.ground, look.colours?.ground.text), (.words, look.colours?.words.text), (.brand, brand),
            (.contact, contact), (.language, language), (.retention, retention.rawValue),
            (.purpose, purpose == role.purpose ? nil : purpose),
            (.kept, kept == retention.kept(for: days) ? nil : kept), (.trust, trust), (.country, country),
        ]
        var members = texts.compactMap { question, text in
            text.map { (question.rawValue, JSONValue.string($0)) }
        }
        members += [(SetupQuestion.trial.rawValue, .boolean(isTrial))]
        members += [(SetupQuestion.identity.rawValue, .boolean(country != nil))]
        if retention == .days { members.append((SetupQuestion.days.rawValue, .integer(Int64(days)))) }
        return .object(members)
    }

    /// A file may name a reader that is not there yet; at the terminal one is chosen if there are several.
    private static func reader(
        _ dialog: SetupDialog, _ readers: [ReaderDescription], upTo limit: Int
    ) throws(CommandFailure) -> String? {
        guard dialog.isAtTerminal else {
            return try dialog.optionalText(of: .reader) { AnswerFault.length($0, upTo: limit) }
        }
        guard readers.count > 1 else { return nil }
        return try dialog.choice(of: .reader, among: readers.map { (word: $0.name, meaning: "") })
    }

    /// The shop's name as an identifier: small letters and digits with - between them.
    private static func identifier(of shop: String) -> String {
        let words = shop.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        return words.isEmpty ? "shop" : words.joined(separator: "-")
    }
}

/// What a computer is for.
enum SetupRole: String, CaseIterable {
    case kiosk, till, rental

    var words: String {
        switch self {
        case .kiosk: "a clerk starts each check with a button and compares the portrait"
        case .till: "a till's program orders age checks"
        case .rental: "a desk takes data of driving licences"
        }
    }

    /// What its program may do with its token.
    var scopes: [String] { self == .rental ? ["app", "readerTokens", "admin"] : ["app"] }

    /// What its program's token is called.
    var caller: String { self == .rental ? "desk" : "till" }

    var lane: String { self == .rental ? "desk-1" : "counter-1" }

    var purpose: String {
        self == .rental ? "To check your driving licence for this rental." : "To check your age."
    }

    var intent: String {
        switch self {
        case .kiosk: Self.comparison(over: 21)
        case .till: "age over 21"
        case .rental: "rental: name, licence number"
        }
    }

    /// The ages that have a button on the clerk's page.
    var presetAges: [Int] { self == .kiosk ? [18, 21] : [] }

    static func comparison(over age: Int) -> String {
        "age over \(age) with portrait for a human to compare"
    }

    /// A person decides where a portrait is to be compared.
    var isConfirmed: Bool { self == .kiosk }

    var retentions: [SetupRetention] {
        self == .rental ? [.days, .receipt, .nothing] : [.nothing, .receipt]
    }
}

/// What is kept of a check: an order says it, and the customer's page.
enum SetupRetention: String, CaseIterable {
    case nothing = "none"
    case receipt, days

    var words: String {
        switch self {
        case .nothing: "no data and no receipt; for a day, that there was a check and its answer"
        case .receipt: "a receipt of each check, without data about the person"
        case .days: "a receipt, and what was asked but for the portrait, sealed and for some days"
        }
    }

    func kept(for days: Int) -> String {
        switch self {
        case .nothing: "No data about you. For a day, that there was a check and its answer."
        case .receipt: "A receipt of the check, without data about you."
        case .days: "What you agree to share, for \(days) \(days == 1 ? "day" : "days")."
        }
    }

    /// The word of an order.
    func word(for days: Int) -> String { self == .days ? "days(\(days))" : rawValue }
}

/// The shop's own look on the pages of its lane.
struct SetupLook {
    let shop: String
    /// Nil without a logo.
    let logo: SetupLogo?
    let colours: BrandColours?

    /// - Parameter limit: the most bytes of the shop's name.
    init(_ dialog: SetupDialog, upTo limit: Int) throws(CommandFailure) {
        shop = try dialog.text(of: .shop, standard: "The shop") { AnswerFault.length($0, upTo: limit) }
        let path = try dialog.text(of: .logo, standard: "") { SetupLogo.fault(of: $0) }
        logo = try path.isEmpty ? nil : SetupLogo(path)
        colours = try Self.colours(dialog)
    }

    private static func colours(_ dialog: SetupDialog) throws(CommandFailure) -> BrandColours? {
        let text = try dialog.text(of: .ground, standard: "") { PageColour($0) == nil ? notColour : nil }
        guard let ground = PageColour(text) else { return nil }
        let readable = ["#ffffff", "#000000"].max { contrast($0, on: ground) < contrast($1, on: ground) }
        let answer = try dialog.text(of: .words, standard: readable ?? "#ffffff") {
            Self.fault(of: $0, on: ground)
        }
        guard let words = PageColour(answer) else { return nil }
        return try? BrandColours(ground: ground, words: words)
    }

    private static let notColour = "must be a colour such as #7a1f3d"

    private static func contrast(_ text: String, on ground: PageColour) -> Int {
        PageColour(text)?.contrast(with: ground) ?? 0
    }

    private static func fault(of text: String, on ground: PageColour) -> String? {
        guard let words = PageColour(text) else { return notColour }
        do throws(ContrastFault) {
            _ = try BrandColours(ground: ground, words: words)
            return nil
        } catch {
            return error.description
        }
    }

    /// The member `brand` of the lane.
    /// - Parameter logo: the file that the daemon reads.
    func member(logo: String?) -> JSONValue {
        var members: [(String, JSONValue)] = [("name", .string(shop))]
        if let logo { members.append(("logo", .string(logo))) }
        if let colours {
            members.append(
                ("colours", ["ground": .string(colours.ground.text), "words": .string(colours.words.text)]))
        }
        return .object(members)
    }
}

/// The shop's logo, which is copied to where the daemon reads it.
struct SetupLogo {
    let png: [UInt8]

    init(_ path: String) throws(CommandFailure) {
        png = try BrandLogo(file: path).png
    }

    static func fault(of path: String) -> String? {
        do throws(CommandFailure) {
            _ = try SetupLogo(path)
            return nil
        } catch {
            return error.message
        }
    }

    /// A file beside the configuration, named for its bytes: another logo never takes its place.
    func path(beside config: String) -> String {
        let folder = config.prefix(
            upTo: config.lastIndex(of: "/").map(config.index(after:)) ?? config.startIndex)
        return "\(folder)logo-\(Digest(.sha256, of: png[...]).bytes.hexadecimal.prefix(8)).png"
    }
}
