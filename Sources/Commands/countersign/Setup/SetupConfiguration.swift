internal import CommandLineInterface
internal import Glibc
internal import JSON

/// The daemon's configuration as `countersign setup` writes it.
struct SetupConfiguration {
    static let standardFile = "/etc/countersign/countersignd.json"
    static let standardStore = "/var/lib/countersign"
    /// The TCP address at which the software wallet listens during a trial (the bench link).
    static let trialLink = "tcp://127.0.0.1:7000"

    let answers: SetupAnswers
    let store: String
    /// The path of the copied logo, or `nil` without a logo.
    let logo: String?
    let token: SetupToken
    /// The loopback port that the daemon will listen on.
    let port: Int64
    /// The brand of a rental desk, or `nil` for other roles.
    let brand: SetupBrand?

    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("$schema", "/usr/share/countersign/countersignd.schema.json")
        ]
        if store != Self.standardStore { members.append(("store", .string(store))) }
        members += [
            ("socket", ["users": .array([user] + [answers.accessories.user].compactMap(\.self))]),
            ("http", ["port": .integer(port)]),
            ("tokens", .array([token.member])),
        ]
        if answers.isTrial { members.append(("acceptTestDocuments", .boolean(true))) }
        if let brand {
            // The software wallet's issuer publishes no status list. The policy `rental` refuses documents of
            // such an issuer, and the policy `age` accepts them.
            if answers.isTrial { members.append(("policies", ["rental": "age"])) }
            members.append(("readerTokens", brand.readerTokens(for: answers.role.caller)))
        }
        let presets = (answers.ages?.years ?? []).map(preset) + (brand.map { [deskPreset(of: $0)] } ?? [])
        if !presets.isEmpty { members.append(("presets", .array(presets))) }
        members.append(("lanes", .array([.object(lane)])))
        if let accessories = answers.accessories.member { members.append(("accessories", accessories)) }
        return .object(members)
    }

    /// The entry of `socket.users` with which the user who runs setup may open the pages and administer the
    /// daemon.
    private var user: JSONValue {
        let scopes = answers.role.userScopes.map(JSONValue.string)
        return ["uid": .integer(Int64(getuid())), "scopes": .array(scopes)]
    }

    /// Returns the preset of an age check, which is a button on the clerk's page.
    private func preset(over age: Int) -> JSONValue {
        // Without a name, the button shows the pages' standard text in each language.
        [
            "intent": .string(SetupRole.comparison(over: age)),
            "retention": .string(answers.retention.rawValue),
        ]
    }

    /// The preset of a rental desk, which is shown as the button on the desk's page.
    private func deskPreset(of brand: SetupBrand) -> JSONValue {
        [
            "name": .string(answers.deskButton), "kind": "data", "brand": .string(brand.identifier),
            "intent": .string(answers.intent),
            "retention": .string(answers.retention.word(for: answers.days)),
        ]
    }

    /// The entry of the lane in `lanes`.
    private var lane: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [("name", .string(answers.lane))]
        if answers.isTrial {
            members.append(("benchLink", .string(Self.trialLink)))
        } else if let reader = answers.reader {
            members.append(("reader", .string(reader)))
        }
        var page: [(String, JSONValue)] = answers.language.map { [("language", .string($0))] } ?? []
        if !notice.isEmpty { page.append(("notice", .object(notice))) }
        members.append(("brand", answers.look.member(named: answers.shop, logo: logo)))
        return members + (page.isEmpty ? [] : [("page", .object(page))])
    }

    /// The shop's own texts for the privacy notice. A text that the user did not give is left out, because
    /// the pages have standard texts in all languages.
    private var notice: [(String, JSONValue)] {
        [("purpose", answers.purpose), ("kept", answers.kept), ("contact", answers.contact)]
            .compactMap { member, text in text.map { (member, .string($0)) } }
    }
}

/// A token of the daemon's HTTP API, made by `countersignd token new`.
struct SetupToken {
    let name: String
    /// The secret token, which is shown once and not stored.
    let text: String
    private let sha256: String
    private let scopes: [String]

    init(_ name: String, scopes: [String]) throws(CommandFailure) {
        let arguments = scopes.flatMap { ["--scope", $0] } + ["--name", name, "--json"]
        let (status, output) = try OwnProgram(name: "countersignd").run(["token", "new"] + arguments)
        guard status == 0 else {
            throw .unavailable("`countersignd token new` failed with status \(status): see its error above")
        }
        do throws(JSONFault) {
            let made = try JSONText(Array(output.utf8)[...]).members()
            text = try made.required("token").string()
            sha256 = try made.required("member").members().required("sha256").string()
        } catch {
            throw .malformed("countersignd's token: \(error.explanation)")
        }
        (self.name, self.scopes) = (name, scopes)
    }

    /// The entry for the token in the configuration's list `tokens`. The entry has only the token's digest.
    var member: JSONValue {
        [
            "name": .string(name), "sha256": .string(sha256),
            "scopes": .array(scopes.map(JSONValue.string)),
        ]
    }
}

/// The brand of a rental desk, with the key that signs its reader tokens.
struct SetupBrand {
    /// The identifier (kid) of the key that signs the brand's reader tokens.
    static let kid = "setup"

    let identifier: String
    /// The path of the private key that signs the brand's reader tokens.
    let keyFile: String
    /// The identifier of this reader, as `countersign token instance` prints it.
    let instance: String

    /// Returns the configuration's member `readerTokens`, with which the daemon makes reader tokens of this
    /// brand for one caller.
    ///
    /// - Parameter caller: The name of the token with which the shop's program calls the daemon.
    func readerTokens(for caller: String) -> JSONValue {
        let name = JSONValue.string(identifier)
        return [
            "keys": .array([["brand": name, "kid": .string(Self.kid), "keyFile": .string(keyFile)]]),
            "grants": .array([
                ["caller": .string(caller), "brand": name, "instances": .array([.string(instance)])]
            ]),
        ]
    }
}
