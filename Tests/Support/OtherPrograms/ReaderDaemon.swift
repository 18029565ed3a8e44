package import Foundation
internal import Glibc
internal import Synchronization

/// `countersignd` with lanes on the bench link, each with a wallet of its own, in a folder that goes with it.
package final class ReaderDaemon: @unchecked Sendable {  // what it holds is set once
    package static let app = "app-token-of-the-tests"
    /// Of another till.
    package static let otherApp = "other-app-token-of-the-tests"
    package static let screen = "screen-token-of-the-tests"
    package static let clerk = "clerk-token-of-the-tests"
    package static let admin = "admin-token-of-the-tests"

    package let folder: URL
    package let port: UInt16
    package let daemon: BuiltProgram
    package let wallets: [BuiltProgram]

    /// - Parameters:
    ///   - lanes: for each lane the arguments of its wallet; nil for a lane that nobody answers at.
    ///   - readers: for each lane at a real reader, `reader-1` and so on, the members of its device as JSON.
    ///   - roots: further issuers to trust, as DER.
    ///   - members: further members of the configuration, as JSON.
    ///   - http: further members of `http`, as JSON.
    ///   - socketScopes: the scopes of this process's user at the socket.
    package init(
        lanes: [[String]?] = [[]], readers: [String] = [], roots: [[UInt8]] = [],
        members: [String: String] = [:], http: String = "", socketScopes: [String] = ["app"],
        environment: [String: String] = [:]
    ) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "countersign-daemon-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        port = try Self.freePort()
        var wallets: [BuiltProgram] = []
        var lines: [String] = []
        for (index, arguments) in lanes.enumerated() {
            var address = "tcp://127.0.0.1:\(try Self.freePort())"
            if let arguments {
                let root = folder.appending(path: "root-\(index).der").path
                let wallet = try BuiltProgram(
                    "countersign-lab",
                    ["wallet", "--listen", "tcp://127.0.0.1:0", "--root", root] + arguments)
                address = try await wallet.firstLine()
                wallets.append(wallet)
                try await Self.trust(root, in: folder)
            }
            lines.append(#"{"name": "lane-\#(index + 1)", "benchLink": "\#(address)"}"#)
        }
        self.wallets = wallets
        for (index, device) in readers.enumerated() {
            lines.append(#"{"name": "reader-\#(index + 1)", \#(device)}"#)
        }
        for (index, root) in roots.enumerated() {
            let file = folder.appending(path: "issuer-\(index).der")
            try Data(root).write(to: file)
            try await Self.trust(file.path, in: folder)
        }
        let configuration = Self.configuration(
            folder.path, "\(port)" + (http.isEmpty ? "" : ", \(http)"), lanes: lines.joined(separator: ","),
            socketScopes, members)
        try Data(configuration.utf8).write(to: folder.appending(path: "countersignd.json"))
        daemon = try BuiltProgram(
            "countersignd", ["--config", folder.path + "/countersignd.json"], environment: environment)
        try await daemon.said(" ready")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Starts the daemon again, as its file says, once it has ended.
    package func startAgain() async throws -> BuiltProgram {
        let again = try BuiltProgram("countersignd", ["--config", folder.path + "/countersignd.json"])
        try await again.said(" ready")
        return again
    }

    private static func trust(_ root: String, in folder: URL) async throws {
        let importing = try BuiltProgram(
            "countersign", ["trust", "import", root, "--store", folder.path + "/store"])
        guard try await importing.ended() == 0 else {
            throw BuiltProgram.Overdue(description: importing.errors)
        }
    }

    private static func configuration(
        _ folder: String, _ port: String, lanes: String, _ socketScopes: [String],
        _ further: [String: String]
    ) -> String {
        let scopes = socketScopes.map { "\"\($0)\"" }.joined(separator: ", ")
        let token = { (text: String, name: String, scope: String) in
            #"{"name": "\#(name)", "sha256": "\#(digests[text] ?? "")", "scopes": ["\#(scope)"]}"#
        }
        let tokens = [
            token(app, "app", "app"), token(otherApp, "otherApp", "app"), token(screen, "screen", "screen"),
            token(clerk, "clerk", "clerk"), token(admin, "admin", "admin"),
        ]
        var members = [
            "store": #""\#(folder)/store""#,
            "socket":
                #"{"path": "\#(folder)/socket", "users": [{"uid": \#(getuid()), "scopes": [\#(scopes)]}]}"#,
            "http": #"{"port": \#(port)}"#, "lanes": "[\(lanes)]",
            // The software wallet's issuer is a test's, and has no revocation list.
            "acceptTestDocuments": "true",
            "policies": #"{"rental": "age", "identity": "age", "elements": "age"}"#,
            "tokens": "[\(tokens.joined(separator: ", "))]",
        ]
        members.merge(further) { _, new in new }
        return "{\n" + members.map { "\"\($0)\": \($1)" }.joined(separator: ",\n") + "\n}\n"
    }

    /// The SHA-256 of the tokens, by sha256sum.
    private static let digests = [
        app: "087d685b238eeaf155d9d90b40642466559a5df63c6d4e79501de9fe0f9faf53",
        otherApp: "d62749ab99a805d35279814205962feb417c0ecf22a0b173a693fb3609d44f71",
        screen: "cfb87f7dace138312b2b2d5f273a7eed799a007f67ef35cc9c415188259a330a",
        clerk: "405c71dfae8b1bcff0bd1226dc40bac7241ac92bd1dab86bf5b703af99a9894b",
        admin: "12371cac728c629c46c4ba653d0f7fd37a82328cf18b4061f8e318a5c56f78fc",
    ]

    package var asApp: PlainHTTP { PlainHTTP(.tcp(port: port), token: Self.app) }
    package var asOtherApp: PlainHTTP { PlainHTTP(.tcp(port: port), token: Self.otherApp) }
    package var asScreen: PlainHTTP { PlainHTTP(.tcp(port: port), token: Self.screen) }
    package var asClerk: PlainHTTP { PlainHTTP(.tcp(port: port), token: Self.clerk) }
    package var asAdmin: PlainHTTP { PlainHTTP(.tcp(port: port), token: Self.admin) }
    package var asNobody: PlainHTTP { PlainHTTP(.tcp(port: port)) }
    package var atSocket: PlainHTTP { PlainHTTP(.unix(path: folder.path + "/socket")) }

    /// Orders a display presentation, and gives its id.
    package func order(_ members: String = "", intent: String = "age over 21") async throws -> String {
        let reply = try await asApp.call(
            "POST", "/v1/presentations", #"{"kind": "display", "intent": "\#(intent)"\#(members)}"#)
        guard reply.status == 201, let id = try reply.json()["id"] as? String else {
            throw PlainHTTP.Failure(description: "\(reply.status): \(reply.text)")
        }
        return id
    }

    /// Waits for the end of a presentation, or for a person's decision, by its events; its states in order.
    ///
    /// - Parameters:
    ///   - client: who listens; nil for the program that ordered it.
    ///   - entered: called in each state that it comes to.
    package func end(
        of id: String, as client: PlainHTTP? = nil,
        _ entered: (_ state: String) async throws -> Void = { _ in }
    ) async throws -> [String] {
        let events = try await (client ?? asApp).events("/v1/presentations/\(id)/events")
        var states: [String] = []
        while let event = try await events.next() {
            guard let state = event.data["state"] else { continue }
            if states.last != state {
                states.append(state)
                try await entered(state)
            }
            let last = ["awaitingDecision", "verified", "rejected", "declined", "cancelled", "failed"]
            if last.contains(state) { break }
        }
        return states
    }

    /// Says what a person decided. Returns the presentation.
    @discardableResult
    package func decide(_ id: String, _ decision: String = "approved") async throws -> [String: Any] {
        let path = "/v1/presentations/\(id)/decision"
        let reply = try await asClerk.call("POST", path, #"{"decision": "\#(decision)"}"#)
        guard reply.status == 200 else {
            throw PlainHTTP.Failure(description: "\(reply.status): \(reply.text)")
        }
        return try reply.json()
    }

    package func result(of id: String, as client: PlainHTTP? = nil) async throws -> [String: Any] {
        let reply = try await (client ?? asApp).call("GET", "/v1/presentations/\(id)")
        return try reply.json()["result"] as? [String: Any] ?? [:]
    }

    /// The id of a presentation's receipt, once that is written.
    package func receipt(of id: String) async throws -> String {
        for _ in 0..<30_000 {
            if let receipt = try await result(of: id)["receipt"] as? String { return receipt }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw PlainHTTP.Failure(description: "no receipt")
    }

    /// A port that nobody listens at, below those that the system gives to whoever connects, and never the same twice.
    package static func freePort() throws -> UInt16 {
        for _ in 0..<1000 {
            let port =
                20_000
                + lastPort.withLock { last -> UInt16 in
                    last = (last + 1) % 12_000
                    return last
                }
            if isFree(port) { return port }
        }
        throw PlainHTTP.Failure(description: "no port is free")
    }

    private static let lastPort = Mutex(UInt16.random(in: 0..<12_000))

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return PlainHTTP.Address.tcp(port: port).bind(descriptor)
    }
}
