internal import ErrorMapping
internal import FoundationEssentials
internal import HTTPServing
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderTokens
internal import Synchronization

/// The routes of the setup page.
///
/// The page asks the questions of `countersign setup`. `countersign setup --check` judges the answers, and
/// `countersign setup` writes the configuration, so the page has no rules of its own. Setup also prints the
/// commands that come next. The routes run these commands, each by its number, and no others.
final class SetupRoutes: Sendable {
    /// The name of the header that contains the page's secret.
    private static let secretHeader = "countersign-setup"
    /// The maximum size of a logo in a body, in Base64.
    private static let longestLogo = 1 << 19
    /// The maximum size of a certificate in a body, in Base64.
    private static let longestTrust = 1 << 19
    /// The maximum number of uploads of certificates in one selection.
    private static let mostTrust = 32
    /// The answers that the page may give. The question `fix` is left out, because its answer could cause
    /// changes to the system's settings files.
    private static let questions: Set<String> = [
        "replace", "role", "trial", "reader", "lane", "shop", "logo", "ground", "words", "contact",
        "language", "ages", "retention", "days", "purpose", "kept", "trust", "identity", "country",
    ]

    let access: SetupAccess
    let page: PageFiles
    let programs: SetupPrograms
    /// `127.0.0.1:PORT`, as in the printed address.
    let host: String
    /// Reports to the terminal what the page does.
    let report: @Sendable (String) -> Void
    /// The commands that come next after the configuration was written; `nil` for a command that the user has
    /// to complete first.
    private let steps = Mutex<[String?]>([])
    /// Whether one of the next commands is running.
    private let isRunning = Mutex(false)
    /// The number of uploaded certificates of the selection, accepted or not.
    private let uploads = Mutex(0)

    init(
        access: SetupAccess, page: PageFiles, programs: SetupPrograms, host: String,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.access = access
        self.page = page
        self.programs = programs
        self.host = host
        self.report = report
    }
}

extension SetupRoutes {
    var all: [APIRoute] {
        [
            APIRoute(.get, "/setup", for: .everybody) { _ in try self.page.response("setup.html") },
            APIRoute(.get, "/kiosk/{file}", for: .everybody) { call in
                try self.page.response(call.parameter("file"))
            },
            APIRoute(.post, "/setup/session", for: .everybody) { call in
                try self.checkOrigin(of: call.request)
                let body = try await call.body()
                let code = try mapping(
                    body.members(["code"]).required("code").string(upTo: 64), APIProblem.init(body:))
                let secret = try self.access.redeem(code)
                self.report("the page was opened in a browser; its code cannot be used again")
                return .json(["secret": .string(secret)])
            },
            route("facts") { _ in try Self.json(await self.facts()) },
            route("logo") { call in try await self.storeLogo(call) },
            route("trust") { call in try await self.storeTrust(call) },
            route("check") { call in
                let ended = await self.programs.setup(try await self.answers(call), ["--check"])
                return try Self.json(ended.output)
            },
            route("write") { call in try await self.write(call) },
            route("step") { call in try await self.runStep(call) },
            route("end") { _ in
                self.access.end(.finished)
                return .json([:])
            },
        ]
    }

    /// Returns a route for the page that used the sign-in code. All other requests are refused.
    private func route(
        _ name: String, _ handler: @escaping @Sendable (APICall) async throws -> Response
    ) -> APIRoute {
        APIRoute(.post, "/setup/\(name)", for: .everybody) { call in
            try self.checkOrigin(of: call.request)
            try self.access.check(secret: call.request.headers.first(Self.secretHeader))
            return try await handler(call)
        }
    }

    /// Checks that the page itself sent the request. `Gate` refuses other hosts and origins, but accepts
    /// requests without an origin, which programs send.
    private func checkOrigin(of request: Request) throws(APIProblem) {
        guard request.head.authority == host else { throw .hostRefused }
        guard request.headers[values: .origin] == ["http://\(host)"] else { throw .originRefused }
    }

    /// Returns a response with the output of a program. Throws `failed` if the output is not JSON.
    private static func json(_ output: String) throws(APIProblem) -> Response {
        guard isJSON(output) else { throw .failed }
        return .bytes(output.utf8, type: "application/json")
    }

    private static func isJSON(_ output: String) -> Bool {
        (try? JSONText(Array(output.utf8)[...], limit: 1 << 20)) != nil
    }

    /// Returns the contactless readers, the findings of `countersign doctor`, and whether the page may run
    /// commands, as JSON. The result of a program that printed no JSON is null.
    func facts() async -> String {
        async let readers = programs.run(["countersign", "readers", "--json"], [])
        // The page runs as root, so the doctor would judge root's access to the store of the daemon's user.
        // The page itself asks about issuers and the identity.
        async let doctor = programs.run(
            ["countersign", "doctor", "--without-store", "--json", "--store", programs.store], [])
        let parts = await [("readers", readers.output), ("doctor", doctor.output)].map { name, output in
            "\"\(name)\": \(Self.isJSON(output) ? output : "null")"
        }
        let here = "\"runsCommands\": \(programs.runsCommands), \"hasWallet\": \(programs.hasWallet)"
        return "{\(parts.joined(separator: ", ")), \(here)}"
    }

    /// Stores the uploaded logo, so that setup can read it.
    private func storeLogo(_ call: APICall) async throws -> Response {
        let body = try await call.body(upTo: Self.longestLogo)
        let member = try mapping(body.members(["png"]).required("png"), APIProblem.init(body:))
        let text = try mapping(member.string(upTo: Self.longestLogo), APIProblem.init(body:))
        guard let png = Base64URL.decode(text.utf8), let logo = try? BrandLogo(png: png) else {
            throw APIProblem(body: member.wrong("must be a PNG"))
        }
        guard FileManager.default.createFile(atPath: programs.logo, contents: Data(logo.png)) else {
            throw APIProblem.failed
        }
        return .json(["logo": .string(programs.logo)])
    }

    /// Stores an uploaded certificate of an issuer, if `countersign trust import` accepts it for a store that
    /// only this page uses. With `reset`, the certificate begins a new selection, and the earlier files are
    /// removed.
    private func storeTrust(_ call: APICall) async throws -> Response {
        let body = try await call.body(upTo: Self.longestTrust)
        let members = try mapping(body.members(["file", "reset"]), APIProblem.init(body:))
        let member = try mapping(members.required("file"), APIProblem.init(body:))
        let text = try mapping(member.string(upTo: Self.longestTrust), APIProblem.init(body:))
        let isFirst = try mapping(members["reset"]?.boolean() ?? false, APIProblem.init(body:))
        let check = "\(programs.trust)-check"
        if isFirst {
            for folder in [programs.trust, check] { try? FileManager.default.removeItem(atPath: folder) }
        }
        let number = uploads.withLock { number -> Int in
            number = isFirst ? 1 : number + 1
            return number
        }
        guard let bytes = Base64URL.decode(text.utf8), number <= Self.mostTrust else {
            throw APIProblem(
                body: member.wrong(
                    "must be Base64URL, and at most \(Self.mostTrust) files can be uploaded"))
        }
        // `--as root` skips a CRL in a file with certificates, but the import after the review would accept it.
        guard ((try? PEM.blocks(bytes[...])) ?? []).allSatisfy({ $0.is("CERTIFICATE") }) else {
            throw APIProblem(body: member.wrong("must have only root certificates (IACA)"))
        }
        // The import detects the kind of a file from its contents, not from its name.
        let path = "\(programs.trust)/\(number).der"
        try writeTrust(bytes, at: path)
        let ended = await programs.run(
            ["countersign", "trust", "import", path, "--as", "root", "--store", check], [])
        guard ended.status == 0 else {
            try? FileManager.default.removeItem(atPath: path)
            report("an uploaded file is not a root certificate that can be imported: \(ended.lastError)")
            throw APIProblem(body: member.wrong("must be a root certificate (IACA)"))
        }
        return .json(["trust": .string(programs.trust)])
    }

    /// Writes a certificate so that the daemon's user can read it. Certificates of issuers are public.
    private func writeTrust(_ bytes: [UInt8], at path: String) throws(APIProblem) {
        try? FileManager.default.createDirectory(
            atPath: programs.trust, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let isWritten = FileManager.default.createFile(
            atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o644])
        guard isWritten else { throw APIProblem.failed }
    }

    /// Reads the answers of a request. Only the answers of `questions` are accepted, and the only paths are
    /// those of uploaded files: a page must not be able to make this program read other files.
    private func answers(_ call: APICall) async throws -> [UInt8] {
        let bytes = try await call.bytes(upTo: APICall.longestBody)
        try checkAnswers(bytes)
        return bytes
    }

    func checkAnswers(_ bytes: [UInt8]) throws(APIProblem) {
        let members = try mapping(JSONText(bytes[...]).members(Self.questions), APIProblem.init(body:))
        if let logo = members["logo"], (try? logo.string()) != programs.logo {
            throw APIProblem(body: logo.wrong("must be the uploaded logo"))
        }
        if let trust = members["trust"], (try? trust.string()) != programs.trust {
            throw APIProblem(body: trust.wrong("must be the folder of the uploaded certificates"))
        }
    }

    /// Runs setup to write the configuration, and stores the next commands that setup prints. If setup
    /// refuses, the response contains its message.
    private func write(_ call: APICall) async throws -> Response {
        let ended = await programs.setup(try await answers(call), [])
        guard ended.status == 0 else {
            report("nothing was written: \(ended.lastError)")
            return .json(["error": .string(ended.lastError)])
        }
        let next = try mapping(Self.steps(of: ended.output)) { (_: JSONFault) in APIProblem.failed }
        steps.withLock { $0 = next }
        report("written: \(programs.config)")
        return try Self.json(ended.output)
    }

    /// Reads the next commands that setup printed, with `nil` for each command that the user has to
    /// complete first.
    static func steps(of output: String) throws(JSONFault) -> [String?] {
        let made = try JSONText(Array(output.utf8)[...], limit: 1 << 20).members()
        let incomplete = try made.required("incomplete").array().map { number throws(JSONFault) in
            try number.integer(in: 0...63)
        }
        let next = try made.required("next").array().map { text throws(JSONFault) in try text.string() }
        return next.enumerated().map { incomplete.contains(Int64($0)) ? nil : $1 }
    }

    /// Runs one of the next commands. A command is refused while another one runs.
    private func runStep(_ call: APICall) async throws -> Response {
        let known = steps.withLock { $0 }
        let body = try await call.body()
        let member = try mapping(body.members(["step"]).required("step"), APIProblem.init(body:))
        let number = try mapping(member.integer(in: 0...63), APIProblem.init(body:))
        guard programs.runsCommands, known.indices.contains(Int(number)), let command = known[Int(number)]
        else { throw APIProblem.notFound }
        guard let ended = await runAlone(command) else {
            throw APIProblem(body: member.wrong("must wait until the running step has ended"))
        }
        return .json([
            "status": .integer(Int64(ended.status)), "output": .string(ended.output),
            "error": ended.status == 0 ? .null : .string(ended.lastError),
        ])
    }

    /// Runs a command. Returns `nil` if another command is running.
    func runAlone(_ command: String) async -> SetupPrograms.Ended? {
        let isFree = isRunning.withLock { isRunning -> Bool in
            defer { isRunning = true }
            return !isRunning
        }
        guard isFree else { return nil }
        defer { isRunning.withLock { $0 = false } }
        report("running: \(command)")
        return await programs.run(["bash", "-c", command], [])
    }
}

extension SetupPrograms.Ended {
    /// The last error line of the program, without its prefix.
    fileprivate var lastError: String {
        let line = errors.split(separator: "\n").last.map(String.init) ?? "status \(status)"
        return line.hasPrefix("error: ") ? String(line.dropFirst(7)) : line
    }
}
