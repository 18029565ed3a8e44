internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import PCSCTransport
internal import ReaderTokens

/// The answers about the lane, the shop and the trusted issuers, from the terminal or from a file of answers.
struct SetupAnswers {
    let role: SetupRole
    /// Whether the lane uses the software wallet instead of a PC/SC reader.
    let isTrial: Bool
    /// The name of the PC/SC reader, or `nil` for any reader.
    let reader: String?
    /// The name of the lane.
    let lane: String
    let look: SetupLook
    /// The identifier of the brand, or `nil` if the role makes no data requests.
    let brand: String?
    /// The contact for questions about data, as customers read it; `nil` for the pages' own text.
    let contact: String?
    /// The language of the pages, or `nil` for the browser's language.
    let language: String?
    /// The ages that have a button on the clerk's page, or `nil` if the role has no such buttons.
    let ages: SetupAges?
    let retention: SetupRetention
    /// The number of days that data is retained, or 0 if no data is retained.
    let days: Int
    /// The purpose of the checks, as customers read it; `nil` for the pages' own text.
    let purpose: String?
    /// The text about retained data, as customers read it; `nil` for the pages' own text.
    let kept: String?
    /// The path of the issuers' certificates, or `nil` to import them later.
    var trust: String?
    /// The country in the reader identity's subject, or `nil` for no identity.
    let country: String?
    /// The scanners and contacts of the lane.
    let accessories: SetupAccessories

    /// Asks the questions in the order in which `SetupQuestion` lists them.
    ///
    /// - Parameters:
    ///   - readers: The contactless readers that pcscd lists.
    ///   - devices: The plugged-in devices that could be accessories.
    ///   - limits: The daemon's limits for texts. An answer that exceeds its limit is not accepted.
    init(
        _ dialog: SetupDialog, _ readers: [ReaderDescription], _ devices: SetupDevices,
        within limits: SetupLimits
    ) throws(CommandFailure) {
        let roles = SetupRole.allCases.map { (word: $0.rawValue, meaning: $0.words) }
        // `choice` returns one of the words, so the fallback `kiosk` is never used.
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
        // The three limits are read before the closures that use them, because the closures cannot throw.
        let (contactLimit, purposeLimit, keptLimit) = (
            try notice("contact"), try notice("purpose"), try notice("kept")
        )
        contact = try dialog.optionalText(of: .contact) { AnswerFault.length($0, upTo: contactLimit) }
        language = try dialog.optionalText(of: .language, AnswerFault.language)?.lowercased()
        ages =
            try role == .kiosk ? dialog.ages(of: .ages, standard: SetupAges.standard(for: language)) : nil
        let retentions = role.retentions.map { (word: $0.rawValue, meaning: $0.words) }
        // `choice` returns one of the words, so the fallback `nothing` is never used.
        let retention =
            SetupRetention(rawValue: try dialog.choice(of: .retention, among: retentions)) ?? .nothing
        let days = try retention == .days ? dialog.number(of: .days, standard: 2, in: 1...3650) : 0
        (self.retention, self.days) = (retention, days)
        purpose = try dialog.optionalText(of: .purpose) { AnswerFault.length($0, upTo: purposeLimit) }
        kept = try dialog.optionalText(of: .kept) { AnswerFault.length($0, upTo: keptLimit) }
        trust = try dialog.optionalText(of: .trust, AnswerFault.path)
        country =
            try dialog.agrees(to: .identity)
            ? dialog.text(of: .country, standard: "US", AnswerFault.country).uppercased() : nil
        accessories = try SetupAccessories(dialog, devices, lane: lane)
    }

    /// Returns the lines that repeat the answers at the end of setup.
    func summary(hasTrust: Bool) -> [String] {
        let shown = look.colours.map { ", \($0.words.text) on \($0.ground.text)" } ?? ""
        var lines = [
            "for: \(role.words)",
            isTrial
                ? "reader: none, the software wallet is used for a trial"
                : "reader: \(reader ?? "any reader")",
            "lane: \(lane)",
            "shop: \(shop)\(look.logo == nil ? "" : ", with its logo")\(shown)",
            "pages: \(language ?? "in the browser's language")",
        ]
        if let ages { lines.append("ages of the buttons: \(ages.text)") }
        return lines + [
            "contact: \(contact ?? "the staff of the shop, in the customer's language")",
            "kept: \(retention.word(for: days))",
            "issuers: \(hasTrust ? isTrial ? "the software wallet's" : "imported" : "none yet")",
        ] + [accessories.summary].compactMap(\.self)
    }

    /// The name of the shop. If the user gave no name, this is a default name in the language of the pages.
    var shop: String {
        look.shop == SetupLook.unnamed ? language.flatMap { Self.unnamed[$0] } ?? look.shop : look.shop
    }

    /// The default names of a shop in the languages of the pages, except English.
    private static let unnamed = [
        "ar": "المتجر", "de": "Der Laden", "es": "La tienda", "fr": "Le magasin", "it": "Il negozio",
        "pt": "A loja", "zh": "本店",
    ]

    /// The intent (the request in words) of the first check that setup suggests, and of a rental desk's preset.
    /// At a kiosk, the first check asks the highest age of the buttons.
    var intent: String {
        switch role {
        case .kiosk: SetupRole.comparison(over: ages?.highest ?? 21)
        case .till: "age over 21"
        case .rental: "rental: name, licence number, categories B"
        }
    }

    /// The text of the button on the desk's page, in the language of the pages. Setup provides this text
    /// because the page has no standard text for a data request.
    var deskButton: String { language.flatMap { Self.deskButtons[$0] } ?? "Rental" }

    private static let deskButtons = [
        "ar": "تأجير", "de": "Vermietung", "es": "Alquiler", "fr": "Location", "it": "Noleggio",
        "pt": "Aluguer", "zh": "租赁",
    ]

    /// Returns the contents of a file with these answers. The next run offers these answers as defaults.
    ///
    /// - Parameter logo: The path of the copied logo.
    func json(logo: String?) -> JSONValue {
        let texts: [(SetupQuestion, String?)] = [
            (.role, role.rawValue), (.reader, reader), (.lane, lane), (.shop, look.shop), (.logo, logo),
            (.ground, look.colours?.ground.text), (.words, look.colours?.words.text), (.brand, brand),
            (.contact, contact), (.language, language), (.retention, retention.rawValue),
            (.purpose, purpose), (.kept, kept), (.trust, trust), (.country, country),
        ]
        var members = texts.compactMap { question, text in
            text.map { (question.rawValue, JSONValue.string($0)) }
        }
        members += [(SetupQuestion.trial.rawValue, .boolean(isTrial))]
        members += [(SetupQuestion.identity.rawValue, .boolean(country != nil))]
        if retention == .days { members.append((SetupQuestion.days.rawValue, .integer(Int64(days)))) }
        if let ages { members.append((SetupQuestion.ages.rawValue, ages.json)) }
        if let list = accessories.member { members.append((SetupQuestion.accessories.rawValue, list)) }
        return .object(members)
    }

    /// Returns the chosen reader. A file of answers may name a reader that is not plugged in yet. At the
    /// terminal the user chooses a reader if there are several.
    private static func reader(
        _ dialog: SetupDialog, _ readers: [ReaderDescription], upTo limit: Int
    ) throws(CommandFailure) -> String? {
        guard dialog.isAtTerminal else {
            return try dialog.optionalText(of: .reader) { AnswerFault.length($0, upTo: limit) }
        }
        guard readers.count > 1 else { return nil }
        return try dialog.choice(of: .reader, among: readers.map { (word: $0.name, meaning: "") })
    }

    /// Returns the shop's name as an identifier of lower-case ASCII letters and digits, with `-` between
    /// words.
    private static func identifier(of shop: String) -> String {
        let words = shop.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        return words.isEmpty ? "shop" : words.joined(separator: "-")
    }
}

/// The purpose for which a shop uses the computer.
enum SetupRole: String, CaseIterable {
    case kiosk, till, rental

    /// The explanation that the user reads beside the choice.
    var words: String {
        switch self {
        case .kiosk: "a clerk starts each check with a button and compares the portrait"
        case .till: "the program of a till orders age checks"
        case .rental: "a rental desk requests data of driving licences, on its page or with its program"
        }
    }

    /// The scopes of the token with which the shop's program calls the daemon. A rental desk needs `desk` to
    /// start its preset, `readerTokens` for data requests of its own, and `admin` to read receipts.
    var scopes: [String] { self == .rental ? ["app", "desk", "readerTokens", "admin"] : ["app"] }

    /// The scopes of the user who runs setup: the scopes of this role's pages, and `admin`.
    var userScopes: [String] { ["screen", "clerk"] + (self == .rental ? ["desk"] : []) + ["admin"] }

    /// The pages whose addresses setup prints: the page that the customer sees, and the page of the employee
    /// who starts a check.
    var pages: [SetupStep.Purpose] { [.kiosk, self == .rental ? .desk : .clerk] }

    /// The name of the token with which the shop's program calls the daemon.
    var caller: String { self == .rental ? "desk" : "till" }

    /// The default name of the lane.
    var lane: String { self == .rental ? "desk-1" : "counter-1" }

    /// Returns the intent of an age check with a portrait, which the clerk compares with the customer.
    static func comparison(over age: Int) -> String {
        "age over \(age) with portrait for a human to compare"
    }

    /// Whether a person confirms each check: only in the role in which a portrait has to be compared.
    var isConfirmed: Bool { self == .kiosk }

    /// The retention choices of this role. The first is the default.
    var retentions: [SetupRetention] {
        self == .rental ? [.days, .receipt, .nothing] : [.nothing, .receipt]
    }
}

/// The data that is retained after a check.
enum SetupRetention: String, CaseIterable {
    case nothing = "none"
    case receipt, days

    /// The explanation that the user reads beside the choice.
    var words: String {
        switch self {
        case .nothing:
            "neither data nor a receipt. The daemon only remembers for one day that a check was made, and its outcome"
        case .receipt: "a receipt of each check, without personal data"
        case .days: "a receipt; and for some days the requested data except the portrait, encrypted"
        }
    }

    /// Returns the value of the member `retention` in an order, such as `days(2)`.
    func word(for days: Int) -> String { self == .days ? "days(\(days))" : rawValue }
}

/// The shop's name, logo and colours on the pages of its lane.
struct SetupLook {
    /// The default of the shop's name.
    static let unnamed = "The shop"

    /// The name of the shop.
    let shop: String
    let logo: SetupLogo?
    /// The colours, or `nil` for the standard colours of the pages.
    let colours: BrandColours?

    /// Asks for the name, the logo and the colours.
    ///
    /// - Parameter limit: The largest length of the shop's name, in bytes.
    init(_ dialog: SetupDialog, upTo limit: Int) throws(CommandFailure) {
        shop = try dialog.text(of: .shop, standard: Self.unnamed) { AnswerFault.length($0, upTo: limit) }
        let path = try dialog.text(of: .logo, standard: "") { SetupLogo.fault(of: $0) }
        logo = try path.isEmpty ? nil : SetupLogo(path)
        colours = try Self.colours(dialog)
    }

    /// Asks for the colours. Returns `nil` if the user gives no background colour.
    private static func colours(_ dialog: SetupDialog) throws(CommandFailure) -> BrandColours? {
        let text = try dialog.text(of: .ground, standard: "") { PageColour($0) == nil ? notColour : nil }
        guard let ground = PageColour(text) else { return nil }
        // The default text colour (`words`) is white or black, whichever has more contrast with the
        // background.
        let readable = ["#ffffff", "#000000"].max { contrast($0, on: ground) < contrast($1, on: ground) }
        let answer = try dialog.text(of: .words, standard: readable ?? "#ffffff") {
            Self.fault(of: $0, on: ground)
        }
        guard let words = PageColour(answer) else { return nil }
        // `fault(of:on:)` has accepted both colours, so this does not fail.
        return try? BrandColours(ground: ground, words: words)
    }

    private static let notColour = "must be a colour such as #7a1f3d"

    private static func contrast(_ text: String, on ground: PageColour) -> Int {
        PageColour(text)?.contrast(with: ground) ?? 0
    }

    /// Returns the reason why the colour cannot be used for text on the background `ground`, or `nil` if it
    /// can.
    private static func fault(of text: String, on ground: PageColour) -> String? {
        guard let words = PageColour(text) else { return notColour }
        do throws(ContrastFault) {
            _ = try BrandColours(ground: ground, words: words)
            return nil
        } catch {
            return error.description
        }
    }

    /// Returns the member `brand` of the lane in the daemon's configuration.
    ///
    /// - Parameters:
    ///   - name: The name of the shop in the language of the pages.
    ///   - logo: The path of the logo for the daemon.
    func member(named name: String, logo: String?) -> JSONValue {
        var members: [(String, JSONValue)] = [("name", .string(name))]
        if let logo { members.append(("logo", .string(logo))) }
        if let colours {
            members.append(
                ("colours", ["ground": .string(colours.ground.text), "words": .string(colours.words.text)]))
        }
        return .object(members)
    }
}

/// The shop's logo. Setup copies the file to a place that the daemon can read.
struct SetupLogo {
    let png: [UInt8]

    init(_ path: String) throws(CommandFailure) {
        png = try BrandLogo(file: path).png
    }

    /// Returns the reason why the file cannot be used as a logo, or `nil` if it can.
    static func fault(of path: String) -> String? {
        do throws(CommandFailure) {
            _ = try SetupLogo(path)
            return nil
        } catch {
            return error.message
        }
    }

    /// Returns the path of the copy, in the folder of the configuration. The name contains a digest of the
    /// logo, so a new logo does not overwrite the logo that a former configuration uses.
    func path(beside config: String) -> String {
        let folder = config.prefix(
            upTo: config.lastIndex(of: "/").map(config.index(after:)) ?? config.startIndex)
        return "\(folder)logo-\(Digest(.sha256, of: png[...]).bytes.hexadecimal.prefix(8)).png"
    }
}
