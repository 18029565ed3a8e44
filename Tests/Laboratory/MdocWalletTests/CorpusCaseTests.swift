import Foundation
import MdocModel
import MdocVerification
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
        "Its manifest entry has the members of every corpus", arguments: HandoverKind.allCases,
        StoredCorpus.all)
    func members(kind: HandoverKind, corpus: StoredCorpus) throws {
        let data = try Data(contentsOf: corpus.folder.appending(path: "manifest.json"))
        let manifest = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let theirs = try #require((manifest["cases"] as? [[String: Any]])?.first)
        let written = try WrittenCase(PresentationCase("members") { $0.handover = kind }).written
        let encoded = try JSONEncoder().encode(
            CorpusManifest(
                verifyAt: "\(WrittenCase.now)", portraitSize: 2400, seed: "members", cases: [written.entry]))
        let own = try #require(JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        let entry = try #require((own["cases"] as? [[String: Any]])?.first)
        #expect(Set(entry.keys) == Set(theirs.keys))
        #expect((entry["qr"] is NSNull) == (kind != .qr))
        #expect(Set(own.keys) == Set(manifest.keys))
    }

    @Test("Is told apart by its name: conforming cases are to be accepted, faults rejected")
    func expectations() throws {
        for presentation in PresentationCase.all.prefix(30) + PresentationCase.all.suffix(3) {
            let entry = try WrittenCase(presentation).written.entry
            #expect(entry.expect == (presentation.name.hasPrefix("ok.") ? "accept" : "reject"))
            let isAboutTheSession =
                presentation.name.contains("session_data") || presentation.name.hasPrefix("session.")
            #expect(entry.layer == (isAboutTheSession ? "session" : "response"))
        }
    }

    @Test(
        "Every case of a corpus is made here, with the same expectation",
        arguments: StoredCorpus.presentations)
    func coverage(theirs: StoredPresentation) throws {
        let presentation = try #require(PresentationCase.corpus.first { $0.name == theirs.name })
        let own = try WrittenCase(presentation).written.entry
        #expect(own.expect == theirs.expect.rawValue)
        #expect(own.level == (own.expect == "accept" ? "must" : theirs.level.rawValue))
        #expect(own.layer == theirs.layer.rawValue)
        #expect(own.deviceAuth == theirs.deviceAuth)
        #expect(own.handover == theirs.handover)
    }
}

/// The corpus that the repository has, against what `countersign-lab corpus` writes today.
@Suite("The repository's corpus")
struct OwnCorpusTests {
    private func again(_ stored: StoredPresentation, seed: String? = nil) throws -> CorpusCase {
        let presentation = try #require(PresentationCase.corpus.first { $0.name == stored.name })
        let own = try #require(StoredCorpus.own)
        return try CorpusCase(
            presentation, seed: seed ?? own.seed, at: WrittenCase.now, instant: .now)
    }

    @Test("Has every case, each with words for its rule")
    func complete() throws {
        let own = try #require(StoredCorpus.own)
        #expect(own.presentations.map(\.name) == PresentationCase.corpus.map(\.name))
        #expect(own.verifyAt == "\(WrittenCase.now)")
        #expect(Set(own.presentations.map(\.rule)).count == own.presentations.count)
        let names = Set(PresentationCase.all.map(\.name))
        for presentation in own.presentations {
            #expect(presentation.rule != presentation.name && names.contains(presentation.name))
        }
    }

    /// ECDSA draws its numbers from OpenSSL: signatures differ, and what follows from them.
    @Test(
        "Its seed gives the same keys and the same messages up to the signatures, and another seed does not",
        arguments: StoredCorpus.own?.presentations ?? [])
    func seeded(stored: StoredPresentation) throws {
        let (same, other) = (try again(stored), try again(stored, seed: "another"))
        #expect(same.entry.eReaderKeyPrivate == stored.eReaderKeyPrivate)
        #expect(same.entry.eDeviceKeyPrivate == stored.eDeviceKeyPrivate)
        #expect(same.entry.deviceKeyPrivate == stored.deviceKeyPrivate)
        #expect(same.entry.rule == stored.rule)
        #expect(same.entry.qr.text == stored.qr)
        #expect(Set(same.files.map(\.name)) == Set(stored.files.keys))
        let unsigned = same.files.filter { Self.unsigned.contains($0.name) }
        #expect(unsigned.count >= 4)
        for file in unsigned { #expect(try file.bytes == stored.bytes(file.name), "\(file.name)") }
        #expect(other.entry.eReaderKeyPrivate != stored.eReaderKeyPrivate)
        let transcript = try #require(other.files.first { $0.name == "session_transcript.cbor" })
        #expect(try transcript.bytes != stored.bytes(transcript.name))
    }

    private static let unsigned: Set = [
        "device_engagement.cbor", "device_request.cbor", "session_transcript.cbor",
        "session_establishment.cbor", "handover_select.ndef", "handover_request.ndef",
    ]

    @Test(
        "What is made today of the same seed is judged as what is stored, under either rules",
        arguments: StoredCorpus.own?.presentations ?? [], [VerificationRules.interoperable, .strict])
    func judged(stored: StoredPresentation, rules: VerificationRules) throws {
        let judgement = try CaseFiles(stored).judge(rules)
        #expect(try CaseFiles(again(stored)).judge(rules).summary == judgement.summary)
        let isAccepted = judgement.summary.first == "verified"
        #expect(
            isAccepted == (stored.expect == .accept) || rules == .interoperable && stored.level == .profile)
    }
}
