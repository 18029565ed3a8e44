import CommandBench
import FieldTrace
import Foundation
import Glibc
import OtherPrograms
import PCSCBench
import ReaderService
import Reports
import Testing
import VectorFiles

@Suite(
    "A field trace of a tap, and its replay, through the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct FieldTraceReplayTests {
    /// The virtual reader sees a card leave only when it stays away.
    private func afterwards() async throws { try await Task.sleep(for: .seconds(1)) }

    private func trace(_ path: String) throws -> FieldTrace {
        try FieldTrace.parse([UInt8](Data(contentsOf: URL(filePath: path)))[...])
    }

    private func end(_ path: String) throws -> EndFacts {
        try #require(TracedPhone(try trace(path).presentation(nil)).end)
    }

    /// What `request` says of a phone that another program plays.
    private func request(
        _ root: String, _ trace: String, _ further: [String] = []
    ) async throws -> CommandRun {
        try await execute(
            [
                "request", "--reader", VirtualBench.first, "--trust", root, "--age-over", "21", "--portrait",
                "--transport", "nfc", "--wait", "3", "--field-trace", trace, "--json",
            ] + further)
    }

    /// A tap of this wallet with its trace, and the same by a replay of that.
    private func replayed(_ arguments: [String], asking further: [String] = []) async throws -> (
        first: EndFacts, again: EndFacts, taps: [TracedTap]
    ) {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let (root, first, again) = (folder.path("root.der"), folder.path("1.jsonl"), folder.path("2.jsonl"))
        for (player, file) in [
            (["wallet", "--card", "tcp://127.0.0.1:35963", "--root", root] + arguments, first),
            (["replay", first, "--card", "tcp://127.0.0.1:35963", "--root", root], again),
        ] {
            let phone = try BuiltProgram("countersign-lab", player)
            try await phone.said("The phone is on the reader")
            _ = try await request(root, file, further)
            phone.signal(SIGINT)
            #expect(try await phone.ended() == 0)
            try await afterwards()
        }
        return (try end(first), try end(again), [TracedTap](try trace(again).lines))
    }

    @Test(
        "A tap of NFC v2 replays as one, with an answer and with a failure",
        arguments: [[], ["--fault", "card.transfer_6f00"], ["--fault", "nfc_v2.absent"]])
    func version2(arguments: [String]) async throws {
        let (first, again, taps) = try await replayed(
            ["--profile", "multipaz-v2"] + arguments, asking: ["--nfc-v2", "auto"])
        #expect(again.error == first.error)
        #expect(again.verdict == first.verdict)
        let commands = taps.first?.exchanges.compactMap(\.command.word) ?? []
        let second: ExchangeFacts.Command =
            arguments.last == "nfc_v2.absent" ? .selectNDEF : .envelope
        #expect(commands.prefix(2) == [.selectVersion2, second])
    }

    @Test(
        "A failed tap replays to the same failure",
        arguments: [
            ["--fault", "card.transfer_6f00", "--handover", "negotiated"],
            ["--fault", "card.pulled_in_response", "--handover", "static", "--portrait-size", "30000"],
            ["--fault", "card.giant_data_object"], ["--fault", "card.locked"],
            ["--fault", "card.no_data_transfer", "--profile", "applet"],
        ])
    func failure(_ arguments: [String]) async throws {
        let (first, again, _) = try await replayed(arguments)
        #expect(first.verdict.word == .incomplete && first.error != nil)
        #expect(again.error == first.error)
        #expect(again.cause == first.cause)
        #expect(again.milestone == first.milestone && again.next == first.next)
    }

    @Test(
        "A tap that went well replays to the same verdict, and takes as long", arguments: ["apple", "google"])
    func success(_ profile: String) async throws {
        let (first, again, taps) = try await replayed([
            "--profile", profile, "--consent-time", "700", "--portrait-size", "12000",
        ])
        #expect(first.verdict.word == .mock && again.verdict.word == .mock)
        #expect(again.milestone.word == .judged)
        let consent = try #require(again.phases.first { $0.name.word == .consent })
        #expect((600...3000).contains(consent.milliseconds))
        #expect(taps.count == 1)
    }

    /// The exchanges of the last tap, up to the complete engagement.
    private func engagement(_ path: String) throws -> [ExchangeFacts] {
        let lines = try trace(path).presentation(nil)
        let engaged = try #require(
            lines.lastIndex { line in
                if case .step(let facts) = line.event { facts.step.word == .engaged } else { false }
            })
        return [TracedTap](lines[..<engaged]).last?.exchanges ?? []
    }

    /// The commands; how often one is repeated depends on sizes.
    private func commands(_ exchanges: [ExchangeFacts]) -> [ExchangeFacts.Command] {
        exchanges.compactMap(\.command.word).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// Every file of TestVectors/field, played once; the trace of that.
    private func played(_ name: String, _ body: (EndFacts, String) throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let (root, again) = (folder.path("root.der"), folder.path("again.jsonl"))
        let file = VectorFiles.own.appending(path: "field/\(name)").path
        let phone = try BuiltProgram(
            "countersign-lab", ["replay", file, "--card", "tcp://127.0.0.1:35963", "--root", root])
        try await phone.said("The phone is on the reader")
        _ = try await request(root, again)
        phone.signal(SIGINT)
        #expect(try await phone.ended() == 0)
        try await afterwards()
        try body(try end(again), again)
    }

    @Test(
        "A phone that went well is engaged by the same commands, no sooner, and answers",
        arguments: ["iphone-like.jsonl", "pixel-like.jsonl"])
    func phones(_ name: String) async throws {
        let file = VectorFiles.own.appending(path: "field/\(name)").path
        try await played(name) { end, again in
            #expect(end.verdict.word == .mock && end.milestone.word == .judged)
            let (traced, replayed) = (try engagement(file), try engagement(again))
            #expect(commands(replayed) == commands(traced))
            let took = [traced, replayed].map { $0.reduce(0) { $0 + $1.took } }
            #expect(took[1] >= took[0], "\(took)")
        }
    }

    @Test("The failure of the field is the failure here", arguments: ["failing-transfer.jsonl"])
    func failing(_ name: String) async throws {
        let traced = try end(VectorFiles.own.appending(path: "field/\(name)").path)
        try await played(name) { end, again in
            #expect(end.error == traced.error && end.cause == traced.cause)
            #expect(end.milestone == traced.milestone && end.next == traced.next)
            let taps = [TracedTap](try trace(again).lines)
            #expect(taps.count == 2)
        }
    }

    @Test("demo writes a field trace, and says in its last line that it went well")
    func demo() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = folder.path("demo.jsonl")
        #expect(try await executeLab(["demo", "--field-trace", file]).status == 0)
        let lines = try trace(file).lines
        #expect(lines.contains { $0.event.kind == .reader })
        #expect(try end(file).next.word == .none)
        #expect(try permissions(of: file) == 0o600)
        try await afterwards()
    }

    @Test("A file that is no field trace is not replayed", arguments: ["", "{}\n", "12.3 > 00a4\n"])
    func notATrace(_ text: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(text.utf8, as: "trace")
        let run = try await executeLab(["replay", file, "--card", "tcp://127.0.0.1:35963"])
        #expect(run.status == 65 && run.errors.contains("countersign.fieldTrace/1"), "\(run.errors)")
    }
}
