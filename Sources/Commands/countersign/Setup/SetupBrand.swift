internal import JSON

/// The brand in whose name a rental desk asks, with its key and the reader that it is for.
struct SetupBrand {
    static let kid = "setup"

    let identifier: String
    let keyFile: String
    /// `countersign token instance`: this reader.
    let instance: String

    /// The daemon makes reader tokens of this brand for this caller.
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
