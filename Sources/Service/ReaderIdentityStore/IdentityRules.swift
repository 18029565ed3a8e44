internal import FoundationEssentials

/// The file that says which identity is used where (Q172): `{"rules": [{"wallet": …, "brand": …, "docType": …,
/// "identity": …}]}`. A condition that is left out fits everything; the first rule that fits decides.
package struct IdentityRules: Equatable, Sendable {
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

    /// Sets a rule in place of the one with the same conditions; the rules with more conditions stand before those with fewer.
    package mutating func set(_ rule: Rule) {
        rules.removeAll { $0.conditions == rule.conditions }
        let count = rule.conditions.count { $0 != nil }
        let place = rules.firstIndex { $0.conditions.count { $0 != nil } < count } ?? rules.endIndex
        rules.insert(rule, at: place)
    }

    /// Removes the rule with the conditions of `rule`; whether there was one.
    package mutating func remove(wallet: String?, brand: String?, docType: String?) -> Bool {
        let count = rules.count
        rules.removeAll { $0.conditions == [wallet, brand, docType] }
        return rules.count < count
    }
}

extension IdentityRules {
    /// The most rules that are read.
    static let mostRules = 1000

    /// The rules of a JSON text. A member that is not known is refused: a misspelt condition would fit everything.
    package init(json: [UInt8]) throws(IdentityStoreError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(json))
        } catch let DecodingError.dataCorrupted(context) {
            throw .rulesMisshapen(context.debugDescription)
        } catch let DecodingError.keyNotFound(key, _) {
            throw .rulesMisshapen("\"\(key.stringValue)\" is missing")
        } catch let DecodingError.typeMismatch(_, context) {
            throw .rulesMisshapen(context.debugDescription)
        } catch {
            throw .rulesMisshapen("a value is missing")
        }
    }

    package func json() throws(IdentityStoreError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try [UInt8](encoder.encode(self)) + "\n".utf8
        } catch {
            throw .rulesMisshapen("it cannot be written")
        }
    }
}

extension IdentityRules: Codable {
    private enum Member: String, CodingKey, CaseIterable { case rules }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(beyond: Member.allCases.map(\.rawValue))
        rules = try decoder.container(keyedBy: Member.self).decode([Rule].self, forKey: .rules)
        guard rules.count <= Self.mostRules else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "more than \(Self.mostRules) rules"))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(rules, forKey: .rules)
    }
}

extension IdentityRules.Rule: Codable {
    private enum Member: String, CodingKey, CaseIterable { case wallet, brand, docType, identity }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(beyond: Member.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: Member.self)
        wallet = try members.decodeIfPresent(String.self, forKey: .wallet)
        brand = try members.decodeIfPresent(String.self, forKey: .brand)
        docType = try members.decodeIfPresent(String.self, forKey: .docType)
        let text = try members.decode(String.self, forKey: .identity)
        guard let name = IdentityName(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .identity, in: members, debugDescription: "\"identity\" is no name of one")
        }
        identity = name
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encodeIfPresent(wallet, forKey: .wallet)
        try members.encodeIfPresent(brand, forKey: .brand)
        try members.encodeIfPresent(docType, forKey: .docType)
        try members.encode(identity.text, forKey: .identity)
    }
}

extension Decoder {
    fileprivate func refuseMembers(beyond known: [String]) throws {
        for key in try container(keyedBy: AnyMember.self).allKeys where !known.contains(key.stringValue) {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "\"\(key.stringValue)\" is no member of it"))
        }
    }
}

/// Any member of a JSON object.
private struct AnyMember: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension IdentityFolder {
    /// The rules of this folder; nil where there is no file of them.
    package func rules() throws(IdentityStoreError) -> IdentityRules? {
        do throws(IdentityStoreError) {
            return try IdentityRules(json: PrivateFile.read(choicePath))
        } catch .fileRefused(_, errno: PrivateFile.absent) {
            return nil
        }
    }

    /// Changes the rules of this folder, and gives them as they are then.
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
