internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import ReaderIdentityStore
internal import ReaderTokens

struct BrandListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the brands and their keys.",
        discussion: ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let brands = try mapping(store.brands.registry().brands, \BrandRegistryError.failure)
        if output.json {
            let json: JSONValue = [
                "file": .string(store.brands.registryPath), "brands": .array(brands.map(\.json)),
            ]
            Terminal.result(json.text)
        } else {
            let lines = brands.flatMap(\.lines)
            Terminal.result(
                lines.isEmpty
                    ? "no brand yet: readers ask without a name. countersign brand add ID --name NAME adds one"
                    : lines.joined(separator: "\n"))
        }
    }
}

extension Brand {
    var lines: [String] {
        [
            "\(identifier.text): \(Terminal.safe(name.text))", "  logo: \(logo?.text ?? "none")",
            "  requests signed by: \(identity?.text ?? "whom identity choose says")",
        ] + (keys.isEmpty ? ["  no key yet: no token of it is believed"] : keys.map { "  key \($0.line)" })
    }

    var json: JSONValue {
        [
            "id": .string(identifier.text), "name": .string(name.text), "logo": JSONValue(logo?.text),
            "identity": JSONValue(identity?.text), "keys": .array(keys.map(\.json)),
        ]
    }
}

extension BrandKey {
    fileprivate var line: String {
        identifier.text + (isRevoked ? ", revoked" : "") + (notAfter.map { ", until \($0)" } ?? "")
    }

    fileprivate var json: JSONValue {
        [
            "kid": .string(identifier.text), "revoked": .boolean(isRevoked),
            "notAfter": JSONValue(notAfter.map { "\($0)" }),
        ]
    }
}
