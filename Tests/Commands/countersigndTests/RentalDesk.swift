import Foundation
import MdocModel
import OtherPrograms
import Testing

/// A daemon with a brand whose tokens let it ask for data, and the command line beside it.
struct RentalDesk {
    let reader: ReaderDaemon
    private let token: String

    init(lanes: [[String]?] = [[]], members: [String: String] = [:]) async throws {
        reader = try await ReaderDaemon(lanes: lanes, members: members)
        let (store, key) = (reader.folder.path + "/store", reader.folder.path + "/brand.pem")
        func run(_ arguments: String...) async throws -> BuiltProgram {
            try await Self.run(arguments, store: store)
        }
        _ = try await run("brand", "add", "utopia", "--name", "Utopia Rentals")
        _ = try await run("brand", "key", "add", "utopia", "--kid", "k1", "--generate", key)
        let instance = try await run("token", "instance").output.trimmingCharacters(in: .newlines)
        token = try await run(
            "token", "sign", "--brand", "utopia", "--kid", "k1", "--key", key, "--instance", instance
        ).output.trimmingCharacters(in: .newlines)
    }

    private static func run(_ arguments: [String], store: String, status: Int32 = 0) async throws
        -> BuiltProgram
    {
        let program = try BuiltProgram("countersign", arguments, environment: ["COUNTERSIGN_STORE": store])
        let ended = try await program.ended()
        try #require(ended == status, "\(arguments): \(program.output) \(program.errors)")
        return program
    }

    /// Runs `countersign` on the daemon's store.
    @discardableResult
    func countersign(_ arguments: String..., status: Int32 = 0) async throws -> BuiltProgram {
        try await Self.run(arguments, store: reader.folder.path + "/store", status: status)
    }

    /// What `countersign … --json` says.
    func json(_ arguments: String...) async throws -> [String: Any] {
        let run = try await Self.run(arguments + ["--json"], store: reader.folder.path + "/store")
        return try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }

    /// Orders data.
    func order(
        _ retention: String, _ further: String = "", reference: String? = nil,
        intent: String = "rental: age over 21, name, licence number"
    ) async throws -> PlainHTTP.Reply {
        let reference = reference.map { #", "reference": "\#($0)""# } ?? ""
        return try await reader.asApp.call(
            "POST", "/v1/presentations",
            #"{"kind": "data", "intent": "\#(intent)", "retention": "\#(retention)", "#
                + #""readerToken": "\#(token)"\#(reference)\#(further)}"#)
    }

    /// Orders data and waits for the verified answer; the presentation's id.
    func rent(_ retention: String, reference: String? = nil) async throws -> String {
        let reply = try await order(retention, reference: reference)
        let id = try #require(reply.json()["id"] as? String, "\(reply.text)")
        let states = try await reader.end(of: id)
        try #require(states.last == "verified", "\(states)")
        return id
    }

    func export(_ reference: String) async throws -> PlainHTTP.Reply {
        try await reader.asApp.call("POST", "/v1/exports", #"{"reference": "\#(reference)"}"#)
    }

    /// Confirms that an export arrived.
    func confirm(_ export: PlainHTTP.Reply) async throws -> PlainHTTP.Reply {
        let id = try #require(try export.json()["id"] as? String, "\(export.text)")
        return try await reader.asApp.call("DELETE", "/v1/exports/\(id)")
    }

    /// The ids of what is retained.
    func retained() async throws -> [String] {
        let records = try await json("retained", "list")["records"] as? [[String: Any]]
        return (records ?? []).compactMap { $0["id"] as? String }
    }

    /// Whether these bytes, in hexadecimal, are in a file of the store or of its keys.
    func isAnywhere(_ hexadecimal: String) -> Bool {
        let bytes = Data(hexadecimal.utf8.bytesOfHexadecimal ?? [])
        return ["store", "store-keys"].contains { folder in
            let files = FileManager.default.enumerator(atPath: "\(reader.folder.path)/\(folder)")
            return (files?.allObjects as? [String] ?? []).contains { file in
                let path = "\(reader.folder.path)/\(folder)/\(file)"
                return FileManager.default.contents(atPath: path)?.range(of: bytes) != nil
            }
        }
    }
}
