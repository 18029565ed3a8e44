internal import JSON

/// The report at the end of setup: the written files, the token and the next commands.
struct SetupEnding {
    let config: String
    /// The new path of the former configuration, or `nil` if there was no former configuration.
    let former: String?
    let token: SetupToken
    /// The path of the certification request of the reader identity, or `nil` if no identity was made.
    let request: String?
    let next: SetupNext

    var text: String {
        var lines = ["", "written: \(Terminal.safe(config))"]
        lines += next.answers.summary(hasTrust: next.hasTrust).map { "  \(Terminal.safe($0))" }
        if let former { lines.append("the former configuration: \(Terminal.safe(former))") }
        if let request {
            lines.append(
                "a reader identity was made: send \(Terminal.safe(request)) to your reader authority")
        }
        lines += ["", "The token of the \(token.name)'s program. It is not shown again:", "  \(token.text)"]
        lines += ["", "Next:"] + next.commands.map { "  \($0)" }
        lines += [
            "",
            "The last two commands print the addresses of pages. Open each address within 60 seconds, or run its command again.",
        ]
        if next.answers.isTrial {
            lines.append(
                "The software wallet is in the package countersign-lab. It has a new issuer at each start: after a restart, run the commands again."
            )
        }
        lines += ["", "Then a first check:", "  TOKEN=\(token.text)"] + next.order.map { "  \($0)" }
        if next.answers.role.isConfirmed { lines += ["", "Then make the decision on the clerk's page."] }
        lines += ["", "To see the result (the outcome allow means yes):", "  \(next.newest)"]
        lines += ["", "To check this computer as the daemon's user:", "  \(next.check)"]
        if next.answers.isTrial {
            lines += ["", "To leave the trial (answer no when setup asks about the software wallet):"]
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

/// The shell commands that the user runs after setup.
struct SetupNext {
    /// The message for a computer without the software wallet.
    static let missingWallet =
        "the package countersign-lab (the software wallet) is not installed: build it with Hardware/Packaging/build-lab-deb, then run apt-get install ./countersign-lab_*.deb"

    let answers: SetupAnswers
    let config: String
    let store: String
    /// The loopback port of the daemon.
    let port: Int64
    let brand: SetupBrand?
    /// Whether issuers are trusted already, or will be trusted after the commands of a trial with the
    /// software wallet.
    let hasTrust: Bool

    private var address: String { "http://127.0.0.1:\(port)" }

    /// The commands that start the software wallet of a trial and the daemon, import issuers, and open the
    /// pages, in this order.
    var commands: [String] { trial + start + trust + pages }

    private var start: [String] {
        config == SetupConfiguration.standardFile
            ? ["systemctl restart countersignd"] : ["countersignd --config \(Shell.word(config))"]
    }

    private var trial: [String] {
        guard answers.isTrial else { return [] }
        // The wallet makes a new issuer at each start. The root of an earlier start is removed first, so that
        // it cannot be imported in place of the new root. The next command waits for the new root.
        return [
            "systemctl stop trial-wallet 2>/dev/null || true; rm -f /run/trial-root.der",
            "command -v countersign-lab > /dev/null || { echo '\(Self.missingWallet)' >&2; false; }",
            "systemd-run --quiet --unit=trial-wallet countersign-lab wallet --listen \(SetupConfiguration.trialLink) --root /run/trial-root.der"
                + " && until [ -s /run/trial-root.der ]; do sleep 0.2; done && chmod a+r /run/trial-root.der",
            importing("/run/trial-root.der"),
        ]
    }

    /// The commands that import issuers. Without an issuer no document is verified.
    private var trust: [String] {
        if hasTrust { return [] }
        return answers.trust.map { [importing(Shell.word($0))] }
            ?? ["countersign trust sources", importing("FILE-OR-FOLDER")]
    }

    private func importing(_ source: String) -> String { asDaemon("trust import \(source)") }

    /// Returns a `countersign` command that runs as the daemon's user with the store of this setup.
    private func asDaemon(_ command: String) -> String {
        "\(OwnProgram.daemonPrefix.map { "\($0) " }.joined())countersign \(command) --store \(Shell.word(store))"
    }

    /// The commands that stop the software wallet and remove its root. Before these commands run, everyone
    /// who has the wallet's key is a trusted issuer.
    var leavingTrial: [String] {
        guard answers.isTrial else { return [] }
        return [
            "systemctl stop trial-wallet",
            // A root is named by the SHA-256 of its certificate.
            asDaemon("trust remove $(sha256sum < /run/trial-root.der | cut -c 1-64)"),
            "rm -f /run/trial-root.der; countersign setup",
        ]
    }

    /// The command that runs the doctor as the daemon's user. As root, the doctor would check root's store.
    var check: String { asDaemon("doctor") }

    private var pages: [String] {
        ["kiosk", "clerk"].map {
            "echo \"\(address)$(countersign page-code --page \($0) --lane \(answers.lane))\""
        }
    }

    /// The command that shows the state and the outcome of the newest presentation.
    var newest: String {
        Self.curl("'\(address)/v1/presentations?limit=1'")
    }

    /// The commands that order a first check. The daemon runs only one check for each reference. The
    /// reference contains the time, so that the commands can be repeated.
    var order: [String] {
        guard let brand else { return [request("presentations", body: orderMembers, further: reference)] }
        let token: JSONValue = ["brand": .string(brand.identifier), "instance": .string(brand.instance)]
        return [
            "READER_TOKEN=$(\(request("reader-tokens", body: token)) | jq --raw-output .token)",
            request(
                "presentations", body: orderMembers,
                further: reference + ", \"readerToken\": \"'$READER_TOKEN'\""),
        ]
    }

    /// The JSON member `reference` of an order. Around `$(date +%s)` the text ends the single quotes of the
    /// shell word and begins them again, so that the shell inserts the time.
    private var reference: String { ", \"reference\": \"first-'$(date +%s)'\"" }

    /// The JSON members of the first order.
    private var orderMembers: JSONValue {
        let role = answers.role
        var members: [(String, JSONValue)] = [
            ("kind", role == .rental ? "data" : "display"), ("lane", .string(answers.lane)),
            ("intent", .string(role.intent)),
            ("retention", .string(answers.retention.word(for: answers.days))),
        ]
        if role.isConfirmed { members.append(("validation", "confirm")) }
        return .object(members)
    }

    /// Returns the `curl` command of an API request.
    ///
    /// - Parameter further: JSON members that are added before the last brace. These members may contain
    ///   shell expansions.
    private func request(_ path: String, body: JSONValue, further: String = "") -> String {
        Self.curl("\(address)/v1/\(path)")
            + " -H 'Content-Type: application/json' -d '\(body.line.dropLast())\(further)}'"
    }

    /// Returns a `curl` command with the token in the shell variable `TOKEN`.
    private static func curl(_ address: String) -> String {
        "curl --silent --show-error --fail-with-body \(address) -H \"Authorization: Bearer $TOKEN\""
    }
}

/// Quoting for POSIX shells.
private enum Shell {
    /// Returns `text` as one word of a shell, quoted if necessary.
    static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber)
                || "/._-".contains(character)
        }
        return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }
}
