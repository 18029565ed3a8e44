import CommandBench
import FieldTrace
import Foundation
import Glibc
import OtherPrograms
import PCSCBench
import ReaderService
import Reports
import Testing

@Suite(
    "field-test, through the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct FieldTestCommandTests {
    /// The virtual reader sees a card leave only when it stays away.
    private func afterwards() async throws { try await Task.sleep(for: .seconds(1)) }

    @Test("field-test tries every way, shows the whole file and saves it: one file of several presentations")
    func fieldTest() async throws {
        let folder = try TemporaryFolder()
        let (root, file) = (folder.path("root.der"), folder.path("test.jsonl"))
        let phone = try BuiltProgram(
            "countersign-lab", ["wallet", "--card", "tcp://127.0.0.1:35963", "--root", root])
        try await phone.said("The phone is on the reader")
        let run = try await execute([
            "field-test", file, "--reader", VirtualBench.first, "--repeats", "1", "--wait", "1", "--yes",
            "--trust", root,
        ])
        #expect(run.status == 0, "\(run.errors)")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        #expect(run.output == String(decoding: bytes, as: UTF8.self) + "\n")
        let ends = try FieldTrace.parse(bytes[...]).lines.compactMap { line in
            if case .end(let end) = line.event { end } else { nil }
        }
        #expect(ends.count == 5)
        #expect(ends.first?.verdict.word == .mock)
        #expect(ends[1].error?.word.rawValue == "radio.unavailable" && ends[1].next.word == .runDoctor)
        phone.signal(SIGINT)
        #expect(try await phone.ended() == 0)
        try await afterwards()
    }

    @Test("Without a yes nothing is saved")
    func notSaved() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("test.jsonl")
        let run = try await execute(["field-test", file, "--reader", VirtualBench.first, "--wait", "1"])
        #expect(run.status == 0 && run.errors.contains("The file was not saved."), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
