internal import ReaderIdentityStore

extension IdentityRules.Rule {
    /// Where the rule fits.
    var conditionText: String {
        let parts = [("wallet", wallet), ("brand", brand), ("document", docType)].compactMap { name, value in
            value.map { "\(name) \(Terminal.safe($0, limit: 80))" }
        }
        return parts.isEmpty ? "everywhere else" : parts.joined(separator: ", ")
    }

    var json: JSONValue {
        [
            "wallet": JSONValue(wallet), "brand": JSONValue(brand), "docType": JSONValue(docType),
            "identity": .string(identity.text),
        ]
    }
}
