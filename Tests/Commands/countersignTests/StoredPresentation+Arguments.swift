import Foundation
import VectorFiles

/// How to give a presentation of a corpus to `verify`.
extension StoredPresentation {
    var isAccepted: Bool { expect == .accept }

    private func path(_ name: String) -> String { file(name).path }

    private static let keys = FileManager.default.temporaryDirectory.appending(
        path: "countersign-corpus-keys")

    /// The reader's private key is a member of the manifest, and never an argument.
    private var keyFile: String {
        let file = Self.keys.appending(path: eReaderKeyPrivate)
        try? FileManager.default.createDirectory(at: Self.keys, withIntermediateDirectories: true)
        try? Data(eReaderKeyPrivate.utf8).write(to: file, options: .atomic)
        return file.path
    }

    /// What both ways have in common.
    private var common: [String] {
        [
            "verify", "--trust", path("iaca.der"), "--at", verifyAt, "--request",
            path("device_request.cbor"), "--reader-key", keyFile,
        ]
    }

    var decrypted: [String] {
        common + [
            "--response", path("device_response.cbor"), "--transcript", path("session_transcript.cbor"),
        ]
    }

    var encrypted: [String] {
        var arguments =
            common + [
                "--session-data", path("session_data.cbor"), "--engagement", path("device_engagement.cbor"),
                "--session-establishment", path("session_establishment.cbor"),
            ]
        if handover != "qr" { arguments += ["--handover-select", path("handover_select.ndef")] }
        if handover == "nfc-negotiated" {
            arguments += ["--handover-request", path("handover_request.ndef")]
        }
        return arguments
    }

    /// By the layer that the case is about.
    var arguments: [String] { layer == .session ? encrypted : decrypted }
}
