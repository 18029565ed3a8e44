import CommandBench
import Foundation
import Glibc
import OtherPrograms
import PCSCBench
import Testing

@Suite(
    "readers, request and demo, through the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct ReaderTapTests {
    /// The virtual reader sees a card leave only when it stays away.
    private func afterwards() async throws { try await Task.sleep(for: .seconds(1)) }

    @Test("demo asks at real readers alone: without one it names countersign-lab demo, exit code 69")
    func demo() async throws {
        let run = try await execute(["demo"])
        #expect(run.status == 69 && run.output.isEmpty)
        #expect(run.errors.contains("no contactless reader is connected"))
        #expect(run.errors.contains("countersign-lab demo"))
    }

    @Test("readers lists the virtual readers, as text and as JSON")
    func readers() async throws {
        let text = try await execute(["readers"])
        #expect(text.status == 0)
        #expect(text.output.contains("\(VirtualBench.first)\n"))
        let json = try await execute(["readers", "--json", "--contactless"])
        let readers = try #require(
            JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
        #expect(readers.compactMap { $0["name"] as? String } == [VirtualBench.first, VirtualBench.second])
        for reader in readers {
            #expect(
                Set(reader.keys).isSuperset(of: [
                    "name", "slot", "usb", "firmware", "extendedAPDUs", "commandData", "responseData",
                    "quirks",
                ]))
            #expect(reader["extendedAPDUs"] as? Bool == true)
            #expect(reader["commandData"] as? Int == 4096)
        }
        #expect(try await execute(["readers", "--quiet"]).everything.isEmpty)
    }

    @Test(
        "request waits at a reader for a phone, and its trace is readable",
        arguments: ["static", "negotiated"])
    func request(_ handover: String) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let (root, trace) = (folder.path("root.der"), folder.path("trace"))
        let wallet = try BuiltProgram(
            "countersign-lab",
            [
                "wallet", "--card", "tcp://127.0.0.1:35963", "--root", root, "--handover", handover,
                "--portrait-size", "25000",
            ])
        try await wallet.said("The phone is on the reader")
        let run = try await execute([
            "request", "--reader", VirtualBench.first, "--trust", root, "--age-over", "21", "--portrait",
            "--trace", trace, "--json",
        ])
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            try run.report().phases.map(\.name) == [
                "engagement", "request", "consent", "transfer", "verification",
            ])
        let inspected = try await execute(["inspect", trace])
        #expect(inspected.output.contains("SELECT application of the NFC Forum Type 4 Tag"))
        #expect(inspected.output.contains("SELECT application of mdoc data transfer"))
        #expect(inspected.output.contains("GET RESPONSE"))
        wallet.signal(SIGINT)
        #expect(try await wallet.ended() == 0)
        try await afterwards()
    }

    @Test("Q55 request takes the text of a QR code, and retrieves over NFC")
    func qr() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let root = folder.path("root.der")
        let wallet = try BuiltProgram(
            "countersign-lab",
            ["wallet", "--card", "tcp://127.0.0.1:35963", "--root", root, "--handover", "qr"])
        let code = try await wallet.firstLine()
        #expect(code.hasPrefix("mdoc:"))
        let run = try await execute(["request", "--qr", code, "--trust", root, "--age-over", "21"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("Connecting to the phone that showed this QR code"))
        #expect(!run.errors.contains("Phone found"))
        wallet.signal(SIGINT)
        _ = try await wallet.ended()
        try await afterwards()
    }

    @Test("request at a reader without a phone: exit code 3 by --wait, and at SIGINT")
    func nobody() async throws {
        let arguments = ["request", "--reader", "00 01", "--trust", "/tmp", "--age-over", "21", "--json"]
        let overdue = try await execute(arguments + ["--wait", "1"])
        #expect(overdue.status == 3)
        #expect(try overdue.report().errors.map(\.id) == ["engagement.overdue"])
        let command = try BuiltProgram("countersign", arguments)
        try await command.said("Ready:")
        command.signal(SIGINT)
        let interrupted = try await CommandRun(command)
        #expect(interrupted.status == 3)
        #expect(try interrupted.report().errors.map(\.id) == ["cancelled"])
    }

    @Test("A reader that is not there: exit code 69")
    func noSuchReader() async throws {
        let run = try await execute(["request", "--reader", "none", "--trust", "/tmp", "--age-over", "21"])
        #expect(run.status == 69)
    }
}
