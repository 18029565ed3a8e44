internal import JSON
internal import ReaderIdentityStore

extension IdentityRules.Rule {
    /// Where the rule fits.
    func conditionText(isOnly: Bool) -> String {
        let parts = [("wallet", wallet), ("brand", brand), ("document", docType)].compactMap { name, value in
            value.map { "\(name) \(Terminal.safe($0, limit: 80))" }
        }
        guard parts.isEmpty else { return parts.joined(separator: ", ") }
        return isOnly ? "everywhere" : "everywhere else"
    }

    var json: JSONValue {
        [
            "wallet": JSONValue(wallet), "brand": JSONValue(brand), "docType": JSONValue(docType),
            "identity": .string(identity.text),
        ]
    }
}
