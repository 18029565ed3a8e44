internal import JSON

/// The commands that come next, to be pasted in their order.
struct SetupNext {
    /// The fault of a computer without the software wallet.
    static let missingWallet =
        "the package countersign-lab (the software wallet) is not installed: build its package with Hardware/Packaging/build-lab-deb, and run apt-get install ./countersign-lab_*.deb"

    let answers: SetupAnswers
    let config: String
    let store: String
    /// The port at which the daemon listens.
    let port: Int64
    let brand: SetupBrand?
    /// Whether issuers are trusted, or will be by the commands of the trial.
    let hasTrust: Bool

    private var address: String { "http://127.0.0.1:\(port)" }

    /// Those until the pages are open.
    var commands: [String] { trial + start + trust + pages }

    private var start: [String] {
        config == SetupConfiguration.standardFile
            ? ["systemctl restart countersignd"] : ["countersignd --config \(Shell.word(config))"]
    }

    private var trial: [String] {
        guard answers.isTrial else { return [] }
        return [
            "systemctl stop trial-wallet 2>/dev/null || true; rm -f /run/trial-root.der",
            "command -v countersign-lab > /dev/null || { echo '\(Self.missingWallet)' >&2; false; }",
            "systemd-run --quiet --unit=trial-wallet countersign-lab wallet --listen \(SetupConfiguration.trialLink) --root /run/trial-root.der"
                + " && until [ -s /run/trial-root.der ]; do sleep 0.2; done && chmod a+r /run/trial-root.der",
            importing("/run/trial-root.der"),
        ]
    }

    /// Without issuers no document is verified.
    private var trust: [String] {
        if hasTrust { return [] }
        return answers.trust.map { [importing(Shell.word($0))] }
            ?? ["countersign trust sources", importing("FILE-OR-FOLDER")]
    }

    private func importing(_ source: String) -> String { asDaemon("trust import \(source)") }

    private func asDaemon(_ command: String) -> String {
        "\(OwnProgram.daemonPrefix.map { "\($0) " }.joined())countersign \(command) --store \(Shell.word(store))"
    }

    /// Takes away what the commands of the trial brought: without them the wallet still runs, and whoever has its key is an
    /// issuer that is trusted.
    var leavingTrial: [String] {
        guard answers.isTrial else { return [] }
        return [
            "systemctl stop trial-wallet",
            asDaemon("trust remove $(sha256sum < /run/trial-root.der | cut -c 1-64)"),
            "rm -f /run/trial-root.der; countersign setup",
        ]
    }

    /// Checks this computer as the daemon sees it: root's own store is another.
    var check: String { asDaemon("doctor") }

    private var pages: [String] {
        ["kiosk", "clerk"].map {
            "echo \"\(address)$(countersign page-code --page \($0) --lane \(answers.lane))\""
        }
    }

    /// Shows the newest presentation: its state, and how it ended.
    var newest: String {
        Self.curl("'\(address)/v1/presentations?limit=1'")
    }

    /// The first check. A reference is one check for ever, so each has its own.
    var order: [String] {
        guard let brand else { return [request("presentations", orderMembers, reference)] }
        let token: JSONValue = ["brand": .string(brand.identifier), "instance": .string(brand.instance)]
        return [
            "READER_TOKEN=$(\(request("reader-tokens", token, "")) | jq --raw-output .token)",
            request("presentations", orderMembers, reference + ", \"readerToken\": \"'$READER_TOKEN'\""),
        ]
    }

    private var reference: String { ", \"reference\": \"first-'$(date +%s)'\"" }

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

    /// - Parameter further: members in the shell's words, which the last brace comes after.
    private func request(_ path: String, _ body: JSONValue, _ further: String) -> String {
        Self.curl("\(address)/v1/\(path)")
            + " -H 'Content-Type: application/json' -d '\(body.line.dropLast())\(further)}'"
    }

    /// Asks the daemon as the program whose token is in the shell's `TOKEN`.
    private static func curl(_ address: String) -> String {
        "curl --silent --show-error --fail-with-body \(address) -H \"Authorization: Bearer $TOKEN\""
    }
}
