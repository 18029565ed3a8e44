import CommandBench
import Foundation
import MdocModel
import OpenSSLCrypto
import TestCredentials
import Testing

/// A trust store of its own, with issuers of its own, as the commands see it.
final class TrustScene {
    /// The "now" of the issuers.
    static let time = "2026-11-01T12:00:00Z"
    static let day = TestAuthority.day

    let folder: TemporaryFolder
    let root: TestAuthority
    /// The folder of the store.
    let store: String

    init() throws {
        folder = try TemporaryFolder()
        root = try TestAuthority.ofACountry()
        store = folder.path("store")
    }

    /// One run of `countersign trust`, `--json` or not.
    func trust(_ arguments: String..., at time: String = TrustScene.time) throws -> CommandRun {
        try run(["trust"] + arguments, at: time)
    }

    func run(_ arguments: [String], at time: String = TrustScene.time) throws -> CommandRun {
        let takesTime = !["list", "show", "diff", "rollback"].contains(arguments[1])
        return try CommandRun(arguments + ["--store", store] + (takesTime ? ["--at", time] : []))
    }

    func write(_ name: String, _ bytes: [UInt8]) throws -> String { try folder.write(bytes, as: name) }

    /// The id of the snapshot in force.
    func snapshot() throws -> String {
        let list = try trust("list", "--json")
        return try #require(list.json()["snapshot"] as? String, "\(list.errors)")
    }

    /// What `verify` needs to judge a response of this scene; the document says what it is asked to.
    func verify(
        _ further: String..., status: [UInt8]? = nil, members: [(String, [UInt8])] = [],
        at time: String = TrustScene.time
    ) throws -> CommandRun {
        try verify(further, status: status, members: members, at: time)
    }

    /// The same.
    ///
    /// - Parameters:
    ///   - change: what is made of the document before it is signed.
    ///   - encoding: what is made of the encoded response.
    func verify(
        _ further: [String], status: [UInt8]? = nil, members: [(String, [UInt8])] = [],
        isOver21: Bool = true, changing change: (inout TestDocument) -> Void = { _ in },
        encoding: ([UInt8]) -> [UInt8] = { $0 }, at time: String = TrustScene.time
    ) throws -> CommandRun {
        var document = try TestDocument([
            TestDocument.Item("family_name", Encoded.text("Quillfeather")),
            TestDocument.Item("age_over_21", Encoded.boolean(isOver21)),
            TestDocument.Item("issuing_country", Encoded.text("XX")),
        ])
        document.status = status
        change(&document)
        let session = try TestSession()
        let response = try Encoded.map(
            [
                ("version", Encoded.text("1.0")),
                (
                    "documents",
                    Encoded.array([document.encoded(issuer: TestIssuer(authority: root), session: session)])
                ),
                ("status", Encoded.unsigned(0)),
            ] + members)
        return try CommandRun(
            [
                "verify", "--response", write("response", encoding(response)), "--transcript",
                write("transcript", Array(session.transcript.encoded)), "--at", time, "--store", store,
            ] + further)
    }
}

/// What became of each source in the JSON of a change.
struct TrustChangeJSON: Decodable {
    struct Source: Decodable {
        let kind: String
        let name: String
        let outcome: String
        let reason: String?
        let detail: String?
    }

    let snapshot: String?
    let previous: String?
    let changed: Bool
    let sources: [Source]

    var outcomes: [String] { sources.map { "\($0.kind) \($0.outcome)\($0.reason.map { " \($0)" } ?? "")" } }
}

extension CommandRun {
    func change() throws -> TrustChangeJSON { try report(as: TrustChangeJSON.self) }
}
