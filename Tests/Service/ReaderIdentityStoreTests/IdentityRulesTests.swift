import Testing

@testable import ReaderIdentityStore

@Suite("Which identity asks where")
struct IdentityRulesTests {
    private func rules(_ json: String) throws(IdentityStoreError) -> IdentityRules {
        try IdentityRules(json: Array(json.utf8))
    }

    private func name(_ text: String) throws -> IdentityName { try #require(IdentityName(text)) }

    @Test("Q172 Rules are read as they stand, and written so that they read the same")
    func form() throws {
        let rules = try rules(
            #"{"rules": [{"wallet": "W", "docType": "D", "identity": "a"}, {"identity": "b"}]}"#)
        let expected: [IdentityRules.Rule] = [
            .init(wallet: "W", docType: "D", identity: try name("a")), .init(identity: try name("b")),
        ]
        #expect(rules.rules == expected)
        #expect(try IdentityRules(json: rules.json()) == rules)
    }

    @Test(
        "A file that is off its form is refused: a misspelt condition would fit everything",
        arguments: [
            "", "[]", "{}", #"{"rules": {}}"#, #"{"rules": [{}]}"#, #"{"rules": [{"identity": "../a"}]}"#,
            #"{"rules": [{"identity": "a", "doctype": "D"}]}"#, #"{"rules": [], "more": 1}"#,
            #"{"rules": [{"identity": "a", "wallet": 1}]}"#, #"{"rules": [{"identity": "a"}]"#,
            #"{"rules": [{"identity": "a", "wallet": "W", "wallet": "X"}]}"#,
        ])
    func malformed(_ json: String) throws {
        do throws(IdentityStoreError) {
            _ = try rules(json)
            Issue.record("read")
        } catch {
            guard case .rulesMalformed = error else { throw error }
        }
    }

    @Test("Q172 A rule takes the place of the one with its conditions; the more conditions, the earlier")
    func order() throws {
        var rules = IdentityRules()
        rules.set(.init(identity: try name("all")))
        rules.set(.init(brand: "B", identity: try name("brand")))
        rules.set(.init(wallet: "W", brand: "B", identity: try name("both")))
        rules.set(.init(wallet: "W", identity: try name("wallet")))
        #expect(rules.rules.map(\.identity.text) == ["both", "brand", "wallet", "all"])
        rules.set(.init(brand: "B", identity: try name("new")))
        #expect(rules.rules.map(\.identity.text) == ["both", "wallet", "new", "all"])
        let removed = [1, 2].map { _ in rules.remove(wallet: nil, brand: "B", docType: nil) }
        #expect(removed == [true, false])
        #expect(rules.rules.map(\.identity.text) == ["both", "wallet", "all"])
    }
}
