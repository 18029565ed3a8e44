import FieldTrace
import MdocWallet
import PresentationStage
import ReaderService
import Testing

@Suite("The format of a field trace")
struct FieldTraceFormatTests {
    private static let header =
        #"{"bluez":"5.66","countersign":"0.1.0","format":"countersign.fieldTrace/1","kernel":"6.1.0"}"#
    private static let armed = #"{"ms":0.1,"event":"step","step":"armed"}"#

    private func parse(_ lines: String...) throws -> FieldTrace {
        let text = lines.joined(separator: "\n") + "\n"
        return try FieldTrace.parse(Array(text.utf8)[...])
    }

    @Test("What was written is read again, line by line")
    func roundTrip() async throws {
        let scene = try Scene(Scene.presentation(.google), handover: .negotiated)
        let recorded = try await RecordedScene(scene, at: Field(scene.phone()))
        let trace = try recorded.trace.parsed()
        #expect(trace.header == .sample)
        #expect(trace.lines.count == recorded.trace.all.count { $0 == UInt8(ascii: "\n") } - 1)
        let text = String(decoding: recorded.trace.all, as: UTF8.self)
        #expect(text.contains(#""format":"countersign.fieldTrace/1""#))
        #expect(text.split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix(#"{"ms":"#) })
    }

    @Test("Times are in milliseconds and never run backwards")
    func times() async throws {
        let scene = try Scene()
        let recorded = try await RecordedScene(scene, at: Field(scene.phone()))
        let times = try recorded.trace.parsed().lines.map(\.milliseconds)
        #expect(times == times.sorted())
        #expect(times.allSatisfy { (0..<60_000).contains($0) })
    }

    @Test("A header and a step are read")
    func sound() throws {
        let trace = try parse(Self.header, Self.armed)
        #expect(trace.header.bluez == TraceVersion("5.66") && trace.header.pcsc == nil)
        #expect(trace.lines.map(\.event.kind) == [.step])
        #expect(try parse(Self.header).lines == [])
    }

    @Test(
        "A file that is no field trace is named so",
        arguments: [
            "", "{}", "12.3 > 00a4", #"{"format":"countersign.fieldTrace/2"}"#,
            #"{"format":"countersign.fieldTrace/1","holder":"x"}"#,
        ])
    func notATrace(_ line: String) {
        #expect(throws: FieldTraceError.notAFieldTrace) { try self.parse(line, Self.armed) }
    }

    @Test(
        "A line that no event writes is refused, with its number",
        arguments: [
            "", "x", "{}", #"{"ms":1,"event":"step"}"#, #"{"ms":1,"event":"step","step":"Lumi"}"#,
            #"{"ms":1,"event":"holder","name":"Lumi"}"#,
            #"{"ms":1,"event":"step","step":"armed","name":"Lumi"}"#,
            #"{"event":"step","ms":1,"step":"armed"}"#, #"{"ms":1,"event":"step","step":"armed"} "#,
            #"{"ms":1.0,"event":"step","step":"armed"}"#,
            #"{"ms":1,"event":"step","step":"armed","step":"armed"}"#,
            #"{"ms":1,"event":"nfc.exchange","command":"select.ndef","sent":7,"status":"9000x","took":1}"#,
            #"{"ms":1,"event":"nfc.exchange","command":"select.ndef","sent":7,"status":"6A82","took":1}"#,
        ])
    func malformed(_ line: String) {
        #expect(throws: FieldTraceError.malformedLine(3)) {
            try self.parse(Self.header, Self.armed, line, Self.armed)
        }
    }

    @Test("The twin: the same lines in the form that is written are read")
    func twin() throws {
        let exchange =
            #"{"ms":1,"event":"nfc.exchange","command":"select.ndef","sent":7,"status":"6a82","took":1}"#
        #expect(try parse(Self.header, exchange).lines.count == 1)
    }

    @Test("Lines and files have a limit, and a last line that was cut off is left out")
    func limits() throws {
        let long = #"{"ms":1,"event":"step","step":""# + String(repeating: "a", count: 5000) + #""}"#
        #expect(throws: FieldTraceError.lineTooLong(line: 2, limit: 4096)) {
            try self.parse(Self.header, long)
        }
        let huge = [UInt8](repeating: UInt8(ascii: "\n"), count: FieldTrace.mostBytes + 1)
        #expect(throws: FieldTraceError.tooLong(limit: FieldTrace.mostBytes)) {
            try FieldTrace.parse(huge[...])
        }
        let cut = Array((Self.header + "\n" + Self.armed + "\n" + Self.armed.dropLast(5)).utf8)
        #expect(try FieldTrace.parse(cut[...]).lines.count == 1)
    }

    @Test("A presentation is taken by its number, or the last")
    func presentations() async throws {
        let trace = TraceBytes()
        let recorder = try FieldTraceRecorder(.sample) { trace.append($0) }
        for _ in 0..<2 {
            let scene = try Scene()
            let transaction = try scene.transaction { recorder.observe($0) }
            recorder.begin(transaction.plan)
            recorder.end(await transaction.run(at: TracingReader(Field(try scene.phone()), recorder)))
        }
        let parsed = try trace.parsed()
        for (number, found) in [(1, 1), (2, 2), (nil, 2)] {
            let lines = try parsed.presentation(number)
            guard case .presentation(let facts) = lines.first?.event else {
                Issue.record("no beginning")
                continue
            }
            #expect(facts.number == found && lines.last?.event.kind == .end)
        }
        #expect(throws: FieldTraceError.presentationMissing(3)) { try parsed.presentation(3) }
        #expect(throws: FieldTraceError.noPresentation) { try self.parse(Self.header).presentation(nil) }
    }

    @Test(
        "A version is its numbers alone",
        arguments: [
            ("6.1.0-18-amd64", "6.1.0"), ("5.66", "5.66"), ("V2.05", "2.05"), ("1.9.9 of Ada", "1.9.9"),
            ("6", "6"), ("1.2.3.4.5", "1.2.3.4"),
        ])
    func versions(_ text: String, _ version: String) {
        #expect(TraceVersion(text)?.text == (version == "2.05" ? "2.5" : version))
        #expect(TraceVersion("Ada") == nil && TraceVersion("") == nil && TraceVersion("99999") == nil)
    }
}
