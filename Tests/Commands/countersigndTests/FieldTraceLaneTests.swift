import FieldTrace
import Foundation
import OtherPrograms
import PCSCBench
import PresentationStage
import ReaderService
import Reports
import Testing

@testable import countersignd

@Suite("The file of a lane's field trace")
struct RotatingTraceFileTests {
    private func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? -1
    }

    @Test("It begins anew between presentations, keeps the one before, and has no more bytes than allowed")
    func rotation() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-trace-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "trace").path
        let file = RotatingTraceFile(path, bytes: 2000)
        let line = [UInt8](repeating: 0x61, count: 99) + [0x0a]
        #expect(!file.beginsFile())
        for _ in 0..<8 { file.write(line) }
        #expect(file.beginsFile())
        #expect(size(path + ".1") == 800)
        // One presentation alone is more than fits.
        for _ in 0..<30 { file.write(line) }
        #expect(size(path) == 1000)
        #expect(file.beginsFile())
        #expect(size(path) == 0 && size(path + ".1") == 1000)
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
    }

    @Test("A folder that is not there keeps nothing from being done")
    func missing() {
        let file = RotatingTraceFile("/nowhere/trace", bytes: 2000)
        file.write([0x0a])
        #expect(file.beginsFile())
    }

    @Test("A new file has a header, and its own tokens")
    func header() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-trace-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "trace").path
        let recorder = try FieldTraceRecorder(.ofThisProgram, to: RotatingTraceFile(path, bytes: 1 << 16))
        let plan = try Scene().transaction().plan
        let first = recorder.tokens.token(for: [7])
        for _ in 0..<200 { recorder.begin(plan) }
        #expect(recorder.tokens.token(for: [7]) != first)
        for file in [path, path + ".1"] {
            let trace = try FieldTrace.parse([UInt8](Data(contentsOf: URL(filePath: file)))[...])
            #expect(trace.header == .ofThisProgram && !trace.lines.isEmpty)
        }
    }
}

@Suite(
    "A lane with a field trace, with the daemon as a program of its own and the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct FieldTraceLaneTests {
    @Test("A presentation of the lane is in the file when it is decided, and nobody's name")
    func traced() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-trace-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "trace.jsonl").path
        let customers = try Customers()
        let device =
            #""reader": "\#(VirtualBench.first)", "transport": "nfc", "fieldTrace": {"file": "\#(path)"}"#
        let daemon = try await ReaderDaemon(lanes: [], readers: [device], roots: [customers.root])
        let reader = try VirtualReader()
        defer { reader.lift() }
        let id = try await daemon.order(intent: "age over 21 with portrait for a human to compare")
        let states = try await daemon.end(of: id) { state in
            if state == "armed" { try await reader.hold(customers.phone()) }
        }
        #expect(states.last == "awaitingDecision")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let phone = TracedPhone(try FieldTrace.parse(bytes[...]).presentation(nil))
        #expect(phone.end?.verdict.word == .mock && phone.taps.count == 1)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""event":"nfc.presence""#))
        for word in ["Testrup", "Lumi", "UT-77", "portrait", VirtualBench.first] {
            #expect(!text.contains(word), "\(word)")
        }
    }
}
