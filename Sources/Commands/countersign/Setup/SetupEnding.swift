internal import JSON

/// What was written, what is shown once, and what comes next.
struct SetupEnding {
    let config: String
    /// Where the former configuration is; nil where there was none.
    let former: String?
    let token: SetupToken
    /// The file with the request for the reader identity's certificate.
    let request: String?
    let next: SetupNext

    var text: String {
        var lines = ["", "written: \(Terminal.safe(config))"]
        if let former { lines.append("the former one: \(Terminal.safe(former))") }
        if let request {
            lines.append(
                "a reader identity was made: send \(Terminal.safe(request)) to your reader authority")
        }
        lines += ["", "The token of the \(token.name)'s program. It is not shown again:", "  \(token.text)"]
        lines += ["", "Next:"] + next.commands.map { "  \($0)" }
        lines +=
            ["", "Then a first check, with the token in the variable TOKEN:"] + next.order.map { "  \($0)" }
        return lines.joined(separator: "\n")
    }

    var json: JSONValue {
        [
            "config": .string(config), "former": JSONValue(former),
            "tokens": .array([["name": .string(token.name), "token": .string(token.text)]]),
            "request": JSONValue(request), "next": .array(next.commands.map(JSONValue.string)),
            "order": .array(next.order.map(JSONValue.string)),
        ]
    }
}
