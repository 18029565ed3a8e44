import Foundation
import Testing
import VectorFiles

/// One presentation of the shared corpus, and how to give it to `verify`.
struct CorpusCase: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let expect: String
    let level: String
    let layer: String
    let handover: String
    let eReaderKeyPrivate: String

    var testDescription: String { name }
    var isAccepted: Bool { expect == "accept" }

    private func file(_ name: String) -> String {
        Corpus.folder.appending(path: self.name).appending(path: name).path
    }

    /// The reader's private key is a member of the manifest, and never an argument.
    private var keyFile: String {
        let file = Corpus.keys.appending(path: name)
        try? FileManager.default.createDirectory(at: Corpus.keys, withIntermediateDirectories: true)
        try? Data(eReaderKeyPrivate.utf8).write(to: file, options: .atomic)
        return file.path
    }

    /// What both ways have in common.
    private var common: [String] {
        [
            "verify", "--trust", file("iaca.der"), "--at", Corpus.verifyAt, "--request",
            file("device_request.cbor"), "--reader-key", keyFile,
        ]
    }

    var decrypted: [String] {
        common + [
            "--response", file("device_response.cbor"), "--transcript", file("session_transcript.cbor"),
        ]
    }

    var encrypted: [String] {
        var arguments =
            common + [
                "--session-data", file("session_data.cbor"), "--engagement", file("device_engagement.cbor"),
                "--session-establishment", file("session_establishment.cbor"),
            ]
        if handover != "qr" { arguments += ["--handover-select", file("handover_select.ndef")] }
        if handover == "nfc-negotiated" {
            arguments += ["--handover-request", file("handover_request.ndef")]
        }
        return arguments
    }

    /// By the layer that the case is about.
    var arguments: [String] { layer == "session" ? encrypted : decrypted }
}

enum Corpus {
    private struct Manifest: Decodable {
        let verifyAt: String
        let cases: [CorpusCase]
    }

    static let keys = FileManager.default.temporaryDirectory.appending(path: "countersign-corpus-keys")
    /// Never a folder where there is no shared one.
    static let folder = (VectorFiles.shared ?? URL(filePath: "/dev/null")).appending(path: "corpus")
    private static let manifest: Manifest? = try? VectorFiles.json(
        at: folder.appending(path: "manifest.json"))
    static let cases = manifest?.cases ?? []
    static let verifyAt = manifest?.verifyAt ?? ""
    static let absence: Comment = "the shared corpus is not beside this clone"
}
