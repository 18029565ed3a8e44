internal import ArgumentParser
internal import JSON

extension ParsableCommand {
    /// The names of its long options, without the hyphens: those of its help, and those that every command has.
    static var longOptions: [String] {
        let ofAll = ["help", "help-hidden", "generate-completion-script", "experimental-dump-help"]
        let help = try? JSONItem.parse(Array(_dumpHelp().utf8)[...], limits: (bytes: 1 << 20, depth: 16))
        let arguments = help?.member("command")?.member("arguments")?.items ?? []
        let names = arguments.flatMap { $0.member("names")?.items ?? [] }
        return ofAll
            + names.filter { $0.member("kind")?.text == "long" }.compactMap { $0.member("name")?.text }
    }
}

extension JSONItem {
    fileprivate func member(_ name: String) -> JSONItem? {
        guard case .object(let members) = value else { return nil }
        return members.first { $0.name == name }?.item
    }

    fileprivate var items: [JSONItem] { if case .array(let items) = value { items } else { [] } }

    fileprivate var text: String? { if case .string(let text) = value { text } else { nil } }
}
