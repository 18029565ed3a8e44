internal import ErrorMapping
internal import FoundationEssentials
package import JSON

/// The rules that choose the identity for a request (Q172), in the format of the file `choice.json`:
/// `{"rules": [{"wallet": …, "brand": …, "docType": …, "identity": …}]}`. A condition that is absent fits
/// every request, and the first rule that fits decides.
package struct IdentityRules: Equatable, Sendable {
    /// A rule: up to three conditions, and the identity that signs if all of them fit.
    package struct Rule: Hashable, Sendable {
        package var wallet: String?
        package var brand: String?
        package var docType: String?
        package var identity: IdentityName

        package init(
            wallet: String? = nil, brand: String? = nil, docType: String? = nil, identity: IdentityName
        ) {
            self.wallet = wallet
            self.brand = brand
            self.docType = docType
            self.identity = identity
        }

        fileprivate var conditions: [String?] { [wallet, brand, docType] }
    }

    package private(set) var rules: [Rule]

    package init(_ rules: [Rule] = []) {
        self.rules = rules
    }

    /// Inserts a rule, or replaces the rule with the same conditions. Rules with more conditions come first.
    package mutating func set(_ rule: Rule) {
        rules.removeAll { $0.conditions == rule.conditions }
        let count = rule.conditions.count { $0 != nil }
        let place = rules.firstIndex { $0.conditions.count { $0 != nil } < count } ?? rules.endIndex
        rules.insert(rule, at: place)
    }

    /// Removes the rule with exactly these conditions.
    ///
    /// - Returns: whether there was such a rule.
    package mutating func remove(wallet: String?, brand: String?, docType: String?) -> Bool {
        let count = rules.count
        rules.removeAll { $0.conditions == [wallet, brand, docType] }
        return rules.count < count
    }
}

extension IdentityRules {
    private static let mostRules = 1000

    /// Parses the rules. An unknown member is refused, because a rule whose only condition is misspelt would
    /// fit every request.
    package init(json: [UInt8]) throws(IdentityStoreError) {
        do throws(RulesFault) {
            try self.init(read: json[...])
        } catch {
            throw .rulesMalformed(line: error.offset.map { JSONItem.line(of: $0, in: json[...]) }, error)
        }
    }

    private init(read json: ArraySlice<UInt8>) throws(RulesFault) {
        let items = try mapping(
            JSONItem.parse(json, limits: (bytes: PrivateFile.largest, depth: 4)).members("rules")
                .required("rules").array(), RulesFault.form)
        guard items.count <= Self.mostRules else { throw .tooMany(limit: Self.mostRules) }
        rules = []
        for item in items { rules.append(try Rule(item)) }
    }

    /// Returns the rules as the contents of `choice.json`.
    package func json() throws(IdentityStoreError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try [UInt8](encoder.encode(self)) + "\n".utf8
        } catch {
            throw .rulesMalformed(line: nil, .notWritten)
        }
    }
}

extension IdentityRules.Rule {
    /// Reads a rule. A condition that is absent fits every request.
    fileprivate init(_ item: JSONItem) throws(RulesFault) {
        let members = try mapping(item.members("wallet", "brand", "docType", "identity"), RulesFault.form)
        let text = try mapping(members.required("identity").string(), RulesFault.form)
        guard let identity = IdentityName(text) else { throw .identityNameMalformed(at: item.offset) }
        self = try mapping(
            Self(
                wallet: members["wallet"]?.string(), brand: members["brand"]?.string(),
                docType: members["docType"]?.string(), identity: identity), RulesFault.form)
    }
}

extension IdentityRules: Encodable {}

extension IdentityRules.Rule: Encodable {
    private enum Member: String, CodingKey { case wallet, brand, docType, identity }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encodeIfPresent(wallet, forKey: .wallet)
        try members.encodeIfPresent(brand, forKey: .brand)
        try members.encodeIfPresent(docType, forKey: .docType)
        try members.encode(identity.text, forKey: .identity)
    }
}

/// The reason why the file of rules cannot be read or written.
package enum RulesFault: Error, Equatable, Sendable {
    case form(JSONError)
    case identityNameMalformed(at: Int)
    case tooMany(limit: Int)
    case notWritten

    /// The position of the fault in the file, in bytes; `nil` if the fault has no single position.
    var offset: Int? {
        switch self {
        case .form(let error): error.offset
        case .identityNameMalformed(let offset): offset
        case .tooMany, .notWritten: nil
        }
    }
}

extension IdentityFolder {
    /// Returns the rules of this folder; `nil` if the file `choice.json` does not exist.
    package func rules() throws(IdentityStoreError) -> IdentityRules? {
        do throws(IdentityStoreError) {
            // The rules are no secret. `PrivateFile.read` refuses a file that another user may change.
            return try IdentityRules(json: PrivateFile.read(choicePath))
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return nil
        }
    }

    /// Changes the rules under the folder's lock, and returns the changed rules.
    package func changeRules(
        _ change: (inout IdentityRules) throws(IdentityStoreError) -> Void
    ) throws(IdentityStoreError) -> IdentityRules {
        try changing { () throws(IdentityStoreError) in
            var rules = try rules() ?? IdentityRules()
            try change(&rules)
            try PrivateFile.replace(choicePath, with: rules.json()[...])
            return rules
        }
    }
}

extension RulesFault {
    var explanation: String {
        switch self {
        case .form(let error): error.explanation
        case .identityNameMalformed: "the value of \"identity\" is not a valid identity name"
        case .tooMany(let limit): "there are more than \(limit) rules"
        case .notWritten: "the rules cannot be written"
        }
    }
}
