package import CBOR

/// The rule by which a hub of version 1 decides whether it knows a receipt, kept as it was: the members of a
/// statement, which of them must be there, and the words of those that changed since.
package enum EarlierHub {
    private static let required: Set = [
        "time", "lane", "kind", "purpose", "questions", "verdict", "reasons", "documents", "policy",
        "software",
        "retention", "method",
    ]
    private static let optional: Set = [
        "test", "trustSnapshot", "trustAge", "decision", "outcome", "repeats",
    ]

    /// Whether such a hub knows a statement. Its answer to any other is `receiptBroken`.
    package static func knows(_ statement: CBORItem) -> Bool {
        guard let map = try? statement.map() else { return false }
        let names = map.compactMap { try? $0.key.text() }
        guard names.count == map.count, required.isSubset(of: names),
            required.union(optional).isSuperset(of: names), let method = map["method"], let kind = map["kind"]
        else { return false }
        // The members are in the order of RFC 8949 4.2.1.
        let keys = map.map { Array($0.key.encoded) }
        return keys == keys.sorted { $0.lexicographicallyPrecedes($1) } && method.isText("machine-validation")
            && (kind.isText("display") || kind.isText("data"))
    }
}
