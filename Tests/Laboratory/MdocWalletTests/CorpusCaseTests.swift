import Foundation
import MdocModel
import MdocWallet
import OpenSSLCrypto
import Testing
import VectorFiles

@Suite("A case in the corpus's format")
struct CorpusCaseTests {
    @Test("Has the files of its handover", arguments: HandoverKind.allCases)
    func files(kind: HandoverKind) throws {
        let written = try WrittenCase(PresentationCase("files") { $0.handover = kind }).written
        var expected: Set<String> = [
            "device_response.cbor", "session_transcript.cbor", "device_engagement.cbor",
            "device_request.cbor",
            "session_establishment.cbor", "session_data.cbor", "credential.cbor", "iaca.der", "ds.der",
        ]
        if kind != .qr { expected.insert("handover_select.ndef") }
        if kind == .negotiated { expected.insert("handover_request.ndef") }
        #expect(Set(written.files.map(\.name)) == expected)
        #expect(Set(written.entry.files.keys) == expected)
        for file in written.files {
            #expect(written.entry.files[file.name] == Digest(.sha256, of: file.bytes[...]).bytes.hex)
        }
    }

    @Test(
        "Its manifest entry has the members of the shared corpus",
        .enabled(if: SharedManifest.isHere, "no shared corpus"))
    func members() throws {
        let manifest = try #require(SharedManifest.members)
        let theirs = try #require((manifest["cases"] as? [[String: Any]])?.first)
        for kind in HandoverKind.allCases {
            let written = try WrittenCase(PresentationCase("members") { $0.handover = kind }).written
            let encoded = try JSONEncoder().encode(
                CorpusManifest(verifyAt: "\(WrittenCase.now)", portraitSize: 2400, cases: [written.entry]))
            let own = try #require(JSONSerialization.jsonObject(with: encoded) as? [String: Any])
            let entry = try #require((own["cases"] as? [[String: Any]])?.first)
            #expect(Set(entry.keys) == Set(theirs.keys))
            #expect((entry["qr"] is NSNull) == (kind != .qr))
            #expect(Set(own.keys).isSubset(of: manifest.keys))
        }
    }

    @Test("Is told apart by its name: conforming cases are to be accepted, faults rejected")
    func expectations() throws {
        for presentation in PresentationCase.all.prefix(30) + PresentationCase.all.suffix(3) {
            let entry = try WrittenCase(presentation).written.entry
            #expect(entry.expect == (presentation.name.hasPrefix("ok.") ? "accept" : "reject"))
            #expect(entry.layer == (presentation.name.hasPrefix("session.") ? "session" : "response"))
        }
    }

    @Test(
        "Every rule of the shared corpus has a case here, with the same expectation",
        .enabled(if: SharedManifest.isHere, "no shared corpus"))
    func coverage() throws {
        let cases = try #require(SharedManifest.members?["cases"] as? [[String: Any]])
        for theirs in cases {
            let name = try #require(theirs["name"] as? String)
            let own = try WrittenCase(#require(PresentationCase.named(name), "\(name)")).written.entry
            #expect(own.expect == theirs["expect"] as? String, "\(name)")
            #expect(own.level == (own.expect == "accept" ? "must" : theirs["level"] as? String), "\(name)")
            #expect(own.layer == theirs["layer"] as? String || own.expect == "accept", "\(name)")
            #expect(own.deviceAuth == theirs["deviceAuth"] as? String, "\(name)")
            #expect(own.handover == theirs["handover"] as? String, "\(name)")
        }
    }
}

/// The shared corpus's manifest, where the checkout has it beside it.
private struct SharedManifest {
    static var members: [String: Any]? {
        guard let file = VectorFiles.shared?.appending(path: "corpus/manifest.json"),
            let data = try? Data(contentsOf: file)
        else { return nil }
        return try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    }

    static var isHere: Bool { members != nil }
}
