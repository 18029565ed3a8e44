internal import JSON

/// The report at the end of setup: the written files, the token and the next commands.
struct SetupEnding {
    let config: String
    /// The new path of the former configuration, or `nil` if there was no former configuration.
    let former: String?
    let token: SetupToken
    /// The path of the certification request of the reader identity, or `nil` if no identity was made.
    let request: String?
    /// Whether the store trusts an issuer, imported by this run or earlier.
    let hasIssuer: Bool
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
        lines += ["", "Next:"] + next.steps.map { "  \($0.command)" }
        lines += [
            "",
            "The last two commands print the addresses of pages. Open each address within 60 seconds, or run its command again.",
        ]
        if next.answers.isTrial {
            lines.append(
                "The software wallet is in the package countersign-lab. It keeps its issuer in \(SetupNext.trialIssuer): after a restart of this computer, run the first three commands again."
            )
        }
        lines += ["", "Then order a first check:", "  TOKEN=\(token.text)"] + next.order.map { "  \($0)" }
        if next.answers.role.isConfirmed {
            lines += ["", "Then decide on the clerk's page whether this check passes."]
        }
        if next.brand != nil {
            lines += ["", "Or type a booking number on the desk's page, and press its button."]
        }
        lines += ["", "To see the result (the outcome \"allow\" means yes):", "  \(next.newest)"]
        if next.answers.accessories.member != nil {
            lines += ["", "To see the states of scanners and outputs:", "  countersign status"]
        }
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
            "request": JSONValue(request), "hasIssuer": .boolean(hasIssuer),
            "next": .array(next.steps.map { .string($0.command) }),
            "purposes": .array(next.steps.map { .string($0.purpose.rawValue) }),
            "incomplete": .array(next.incomplete.map { .integer(Int64($0)) }),
            "order": .array(next.order.map(JSONValue.string)),
            "leaveTrial": .array(next.leavingTrial.map(JSONValue.string)),
        ]
    }
}

/// A shell command that the user runs after setup, with its purpose.
struct SetupStep {
    /// The purpose of a command. The setup page has a text for each purpose.
    enum Purpose: String {
        case stopWallet, findWallet, startWallet, trustWallet, start, sources, trust, kiosk, clerk, desk
    }

    let purpose: Purpose
    let command: String
}

/// The shell commands that the user runs after setup.
struct SetupNext {
    /// The message for a computer without the software wallet.
    static let missingWallet =
        "the package countersign-lab (the software wallet) is not installed: build it with Hardware/Packaging/build-lab-deb, then run apt-get install ./countersign-lab_*.deb"

    /// The message for a software wallet that did not write its root. It has no apostrophe, because a command
    /// contains it in single quotes.
    private static let failedWallet =
        "the software wallet did not start within 20 s: read journalctl --unit trial-wallet; if another program uses \(SetupConfiguration.trialLink), end that program; then repeat these steps from the first"

    /// The folder in which the software wallet of a trial keeps its issuer.
    static let trialIssuer = "/var/lib/trial-wallet"

    /// The word in a command that the user replaces with the path of the issuers to import.
    private static let placeholder = "FILE-OR-FOLDER"

    let answers: SetupAnswers
    let config: String
    let store: String
    /// The loopback port of the daemon.
    let port: Int64
    let brand: SetupBrand?
    /// Whether this run imported issuers, or the commands of a trial will import the software wallet's
    /// issuer.
    let hasTrust: Bool

    private var address: String { "http://127.0.0.1:\(port)" }

    /// The commands in their order. They start the software wallet in a trial, start the daemon, import
    /// issuers and open the pages.
    var steps: [SetupStep] { trial + [start] + trust + pages }

    /// The indices of the commands in which the user must replace `placeholder`.
    var incomplete: [Int] { steps.indices.filter { steps[$0].command.contains(Self.placeholder) } }

    private var start: SetupStep {
        SetupStep(
            purpose: .start,
            command: config == SetupConfiguration.standardFile
                ? "systemctl restart countersignd" : "countersignd --config \(Shell.word(config))")
    }

    private var trial: [SetupStep] {
        guard answers.isTrial else { return [] }
        // The first command removes the root file of an earlier start. Otherwise the loop that starts the
        // wallet would find the old file and would not wait.
        let stop = "systemctl stop trial-wallet 2>/dev/null || true; rm -f /run/trial-root.der"
        let find = "command -v countersign-lab > /dev/null || { echo '\(Self.missingWallet)' >&2; false; }"
        let start =
            // Without --collect, the unit of a wallet that failed would remain, and its name would be in use.
            "systemd-run --quiet --collect --unit=trial-wallet countersign-lab wallet --listen \(SetupConfiguration.trialLink) --issuer \(Self.trialIssuer) --root /run/trial-root.der"
            // The wallet writes its root after it has opened its port, so never while another program uses
            // the port.
            + " && timeout 20 sh -c 'until [ -s /run/trial-root.der ]; do sleep 0.2; done'"
            + " && chmod a+r /run/trial-root.der || { echo '\(Self.failedWallet)' >&2; false; }"
        return [
            SetupStep(purpose: .stopWallet, command: stop), SetupStep(purpose: .findWallet, command: find),
            SetupStep(purpose: .startWallet, command: start),
            SetupStep(purpose: .trustWallet, command: importing("/run/trial-root.der")),
        ]
    }

    /// The commands that import issuers. Without a trusted issuer the daemon verifies no document.
    private var trust: [SetupStep] {
        if hasTrust { return [] }
        let source = answers.trust.map(Shell.word) ?? Self.placeholder
        let sources = SetupStep(purpose: .sources, command: "countersign trust sources")
        return (answers.trust == nil ? [sources] : [])
            + [SetupStep(purpose: .trust, command: importing(source))]
    }

    private func importing(_ source: String) -> String { asDaemon("trust import \(source)") }

    /// Returns a `countersign` command that runs as the daemon's user with the store of this setup.
    private func asDaemon(_ command: String) -> String {
        "\(OwnProgram.daemonPrefix.map { "\($0) " }.joined())countersign \(command) --store \(Shell.word(store))"
    }

    /// The commands that stop the software wallet and remove its root. Until these commands run, anybody with
    /// the key of the wallet's issuer can make documents that the daemon trusts.
    var leavingTrial: [String] {
        guard answers.isTrial else { return [] }
        return [
            "systemctl stop trial-wallet",
            // The store identifies a root by the SHA-256 digest of its certificate.
            asDaemon("trust remove $(sha256sum < \(Self.trialIssuer)/root.der | cut -c 1-64)"),
            "rm -rf \(Self.trialIssuer) /run/trial-root.der; countersign setup",
        ]
    }

    /// The command that runs the doctor as the daemon's user. As root, the doctor would check root's store.
    var check: String { asDaemon("doctor") }

    private var pages: [SetupStep] {
        answers.role.pages.map { page in
            SetupStep(
                purpose: page,
                command: "countersign page-code --page \(page.rawValue) --lane \(answers.lane)")
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

    /// The JSON member `reference` of an order, for a command with single quotes. The quotes are closed
    /// before `$(date +%s)` and opened again after it, so that the shell inserts the time.
    private var reference: String { ", \"reference\": \"first-'$(date +%s)'\"" }

    /// The JSON members of the first order.
    private var orderMembers: JSONValue {
        let role = answers.role
        var members: [(String, JSONValue)] = [
            ("kind", role == .rental ? "data" : "display"), ("lane", .string(answers.lane)),
            ("intent", .string(answers.intent)),
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
