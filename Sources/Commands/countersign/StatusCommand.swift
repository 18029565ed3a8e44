internal import ArgumentParser
internal import CommandLineInterface
internal import DaemonClient
internal import Glibc
internal import JSON

/// `countersign status`: shows the state of the daemon on this computer, as the owner's page does.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Show the state of the daemon: lanes, trust, identities, today's outcomes, receipts, tokens.",
        discussion: """
            Asks the daemon over its socket as your user, which needs the scope admin in socket.users of the \
            daemon's configuration. The answer contains no personal data. To check the computer itself, run \
            countersign doctor.

            EXAMPLES:
              countersign status
              countersign status --json

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup var daemon: DaemonArguments

    @OptionGroup var output: OutputArguments

    func run() throws {
        let (status, json): (DaemonStatus, JSONValue)
        do throws(DaemonClientError) {
            let reply = try DaemonSocket(path: daemon.socket).call("GET", "/v1/owner")
            (status, json) = (try reply.reading(DaemonStatus.init), try reply.json())
        } catch {
            throw error.failure
        }
        Terminal.result(output.json ? json.text : status.text)
        guard status.isReady else {
            throw CommandFailure.unavailable("the daemon is not ready: see the faults above")
        }
    }
}

/// The answer of `GET /v1/owner` as lines for a terminal.
private struct DaemonStatus {
    /// The longest text of a member, in bytes.
    private static let longestText = 4096
    /// The allowed values of a count.
    private static let whole: ClosedRange<Int64> = 0...JSONValue.largestExactInteger

    let isReady: Bool
    private(set) var lines: [String] = []

    var text: String { lines.joined(separator: "\n") }

    init(_ text: JSONText) throws(JSONFault) {
        // All members of the answer are listed, because an unknown member is an error. Some of them are not
        // shown.
        let members = try text.members([
            "time", "started", "version", "ready", "acceptsTestDocuments", "faults", "lanes", "accessories",
            "trust", "identities", "attention", "doctor", "today", "receipts", "tokens",
        ])
        isReady = try members.required("ready").boolean()
        let version = try Self.text(members.required("version"))
        let started = try Self.text(members.required("started"))
        lines.append("countersignd \(version), since \(started): \(isReady ? "ready" : "NOT READY")")
        if try members.required("acceptsTestDocuments").boolean() {
            lines.append("Test documents are accepted: anybody can make such a document.")
        }
        try add("Faults", members.required("faults"), line: Self.fault)
        try add("Lanes", members.required("lanes"), line: Self.lane)
        try addAccessories(members)
        let trust = try members.required("trust")
        try lines.append("Trust: \(trust.isNull ? "not set up" : Self.trust(trust))")
        try add("Identities", members.required("identities"), line: Self.identity)
        try addDoctor(members.required("doctor"))
        try addToday(members.required("today"))
        let receipts = try members.required("receipts")
        try lines.append("Receipts: \(receipts.isNull ? "no store" : Self.receipts(receipts))")
        try add("Tokens and users", members.required("tokens"), line: Self.token)
    }

    /// Adds the accessories, if there are any.
    private mutating func addAccessories(_ members: JSONTextMembers) throws(JSONFault) {
        let list = try members.required("accessories")
        guard try !list.array(upTo: 4096).isEmpty else { return }
        try add("Accessories", list, line: Self.accessory)
    }

    /// Adds a title, then one line for each entry of a list.
    private mutating func add(
        _ title: String, _ list: JSONText, line: (JSONText) throws(JSONFault) -> String
    ) throws(JSONFault) {
        lines.append("\(title):")
        let entries = try list.array(upTo: 4096)
        if entries.isEmpty { lines.append("  none") }
        for entry in entries { try lines.append("  \(line(entry))") }
    }

    /// Returns a text from the daemon's answer, with control characters replaced.
    private static func text(_ text: JSONText) throws(JSONFault) -> String {
        Terminal.safe(try text.string(upTo: longestText))
    }

    /// Returns the text of a member, or `nil` if the member is null or absent.
    private static func text(_ members: JSONTextMembers, _ name: String) throws(JSONFault) -> String? {
        guard let value = members[name], !value.isNull else { return nil }
        return try text(value)
    }

    /// Returns the line of a fault, with the lane if the fault concerns a lane.
    private static func fault(_ fault: JSONText) throws(JSONFault) -> String {
        let members = try fault.members(["id", "lane", "text"])
        let lane = try text(members, "lane").map { " at \($0)" } ?? ""
        return try "\(text(members.required("id")))\(lane): \(text(members.required("text")))"
    }

    /// Returns the line of a lane.
    private static func lane(_ lane: JSONText) throws(JSONFault) -> String {
        let members = try lane.members(["lane", "state", "link", "bluetooth", "advice", "isBusy", "standing"])
        let isBusy = try members.required("isBusy").boolean()
        return try """
        \(text(members.required("lane"))): \(text(members.required("state"))), \
        Bluetooth \(text(members.required("bluetooth")))\(isBusy ? ", a presentation is running" : "")
        """
    }

    /// Returns the line of an accessory.
    private static func accessory(_ accessory: JSONText) throws(JSONFault) -> String {
        let members = try accessory.members(["name", "lane", "kind", "role", "state", "trial"])
        let lane = try text(members, "lane").map { " at \($0)" } ?? ""
        return try "\(text(members.required("name")))\(lane): \(text(members.required("state")))"
    }

    /// Returns the number of roots and the time of the newest list.
    private static func trust(_ trust: JSONText) throws(JSONFault) -> String {
        let members = try trust.members(["snapshot", "anchors", "obtained", "ageSeconds", "policies"])
        let anchors = try members.required("anchors").integer(in: whole)
        let obtained = try text(members, "obtained").map { "newest list obtained \($0)" } ?? "no list"
        return "\(anchors) roots, \(obtained)"
    }

    /// Returns the line of a reader identity.
    private static func identity(_ identity: JSONText) throws(JSONFault) -> String {
        let members = try identity.members(["name", "expires", "fault"])
        let expires = try text(members, "expires").map { "until \($0)" } ?? "no certificate"
        let fault = try text(members, "fault").map { ": \($0)" } ?? ""
        return try "\(text(members.required("name"))) \(expires)\(fault)"
    }

    /// Adds the findings that `countersign doctor` had when the daemon's user last ran it.
    private mutating func addDoctor(_ doctor: JSONText) throws(JSONFault) {
        guard !doctor.isNull else {
            return lines.append("Computer: not checked yet; run countersign doctor as the daemon's user")
        }
        let members = try doctor.members(["time", "findings"])
        let time = try Self.text(members.required("time"))
        try add(
            "Computer, as countersign doctor found it at \(time)", members.required("findings"),
            line: Self.finding)
    }

    /// Returns the line of a finding, with the command that repairs it.
    private static func finding(_ finding: JSONText) throws(JSONFault) -> String {
        let members = try finding.members(["id", "outcome", "text", "fix"])
        let fix = try text(members, "fix").map { ": \($0)" } ?? ""
        return try """
        \(text(members.required("outcome"))) \(text(members.required("id"))): \
        \(text(members.required("text")))\(fix)
        """
    }

    /// Adds one line for each hour with outcomes. An hour has the member `from` and a count for each outcome.
    /// Outcomes that did not occur are left out.
    private mutating func addToday(_ today: JSONText) throws(JSONFault) {
        let members = try today.members(["day", "hours"])
        try lines.append("Outcomes of \(Self.text(members.required("day"))), by hour:")
        // A correct answer never reaches the limits: a day has fewer than 32 hours, and there are fewer than
        // 16 kinds of outcomes.
        for hour in try members.required("hours").array(upTo: 32) {
            let entries = try hour.entries(upTo: 16)
            var (from, counts) = ("", [String]())
            for (name, value) in entries {
                if name == "from" {
                    from = try Self.text(value)
                } else if case let count = try value.integer(in: Self.whole), count > 0 {
                    counts.append("\(Terminal.safe(name)) \(count)")
                }
            }
            if !counts.isEmpty { lines.append("  \(from): \(counts.joined(separator: ", "))") }
        }
    }

    /// Returns the number of receipts and the time of the last receipt.
    private static func receipts(_ receipts: JSONText) throws(JSONFault) -> String {
        let members = try receipts.members(["count", "head", "last"])
        let count = try members.required("count").integer(in: whole)
        let last = try text(members, "last").map { ", the last made at \($0)" } ?? ""
        return "\(count)\(last)"
    }

    /// Returns the line of a token or user, with its scopes and last use.
    private static func token(_ token: JSONText) throws(JSONFault) -> String {
        let members = try token.members(["name", "kind", "scopes", "lanes", "lastUsed"])
        var scopes: [String] = []
        for scope in try members.required("scopes").array() { scopes.append(try text(scope)) }
        let used =
            try text(members, "lastUsed").map { "last used \($0)" } ?? "not used since the daemon started"
        return try "\(text(members.required("name"))) (\(scopes.joined(separator: ", "))): \(used)"
    }
}

extension DaemonClientError {
    /// The failure of a command whose call to the daemon failed.
    var failure: CommandFailure {
        switch self {
        case .unreachable(let path, let number):
            let why = unsafe String(cString: strerror(number))
            return .unavailable(
                "\(Terminal.safe(path)): \(why); start countersignd, or give its socket with --socket")
        case .notAnAnswer(let path):
            return .unavailable("\(Terminal.safe(path)): the answer is not from countersignd; check --socket")
        case .refused(let why): return .unavailable("the daemon refused the request: \(why)")
        case .malformed(let fault): return .malformed("the daemon's answer: \(fault.explanation)")
        }
    }
}
