internal import CommandLineInterface
internal import JSON
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
