internal import JSON

/// What was written, what is shown once, and what comes next.
struct SetupEnding {
    let config: String
    /// Where the former configuration is; nil if there was none.
    let former: String?
    let token: SetupToken
    /// The file with the request for the reader identity's certificate.
    let request: String?
    let next: SetupNext

    var text: String {
        var lines = ["", "written: \(Terminal.safe(config))"]
        lines += next.answers.summary(hasTrust: next.hasTrust).map { "  \(Terminal.safe($0))" }
        if let former { lines.append("the former one: \(Terminal.safe(former))") }
        if let request {
            lines.append(
                "a reader identity was made: send \(Terminal.safe(request)) to your reader authority")
        }
        lines += ["", "The token of the \(token.name)'s program. It is not shown again:", "  \(token.text)"]
        lines += ["", "Next:"] + next.commands.map { "  \($0)" }
        lines += [
            "", "The last two lines print addresses. Open each within 60 seconds, or run its line again.",
        ]
        if next.answers.isTrial {
            lines.append(
                "The software wallet is in the package countersign-lab. It has a new issuer at each start: after a restart, run the lines again."
            )
        }
        lines += ["", "Then a first check:", "  TOKEN=\(token.text)"] + next.order.map { "  \($0)" }
        if next.answers.role.isConfirmed { lines += ["", "Decide on the clerk's page."] }
        lines += ["", "How it ended; outcome allow means yes:", "  \(next.newest)"]
        lines += ["", "To check this computer as the daemon sees it:", "  \(next.check)"]
        if next.answers.isTrial {
            lines += ["", "To leave the trial; answer no to the software wallet then:"]
            lines += next.leavingTrial.map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    var json: JSONValue {
        [
            "config": .string(config), "former": JSONValue(former),
            "tokens": .array([["name": .string(token.name), "token": .string(token.text)]]),
            "request": JSONValue(request), "next": .array(next.commands.map(JSONValue.string)),
            "order": .array(next.order.map(JSONValue.string)),
            "leaveTrial": .array(next.leavingTrial.map(JSONValue.string)),
        ]
    }
}
