import AccessoryDevices
import ChildPrograms
import Deadlines
import Foundation
import Glibc
import GreyFrames
import Testing
import VectorFiles

@Suite("Reading a camera's frame in a process of its own")
struct FrameDecoderTests {
    private static let decoder = ChildProgram.installedPath(of: FrameDecoder.program).map {
        // For frames that must be read however busy the machine is.
        FrameDecoder(executable: $0, limit: .seconds(30))
    }

    private func read(_ picture: QRPicture) throws -> String? {
        let decoder = try #require(Self.decoder, "build countersign-qrcode")
        return try decoder.code(in: picture.frame()).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "A phone's code is read: straight, turned, blurred, pale, small, and light on dark",
        arguments: [
            QRPicture(text: SampleEngagement.uri), QRPicture(text: SampleEngagement.uri, angle: 17),
            QRPicture(text: SampleEngagement.uri, angle: 90, blur: 1),
            QRPicture(text: SampleEngagement.uri, angle: 203, blur: 2),
            QRPicture(text: SampleEngagement.uri, blur: 1, light: 150, dark: 90),
            QRPicture(text: SampleEngagement.uri, module: 3),
            QRPicture(text: SampleEngagement.uri, angle: 5, light: 20, dark: 235),
            QRPicture(text: SampleEngagement.uri, width: 1280, height: 720, module: 7),
        ])
    func phone(_ picture: QRPicture) throws {
        #expect(try read(picture) == SampleEngagement.uri)
    }

    @Test("A long code is read whole, and a scheme in capitals is left to the judge")
    func text() throws {
        let long = "mdoc:" + String(repeating: "aB3-_x", count: 60)
        #expect(try read(QRPicture(text: long)) == long)
        #expect(try read(QRPicture(text: "MDOC:AAAA")) == "MDOC:AAAA")
    }

    @Test(
        "A code that is not a phone's gives nothing",
        arguments: ["https://example.org/mdoc:AAAA", "mdo", "WIFI:S:a;T:WPA;P:b;;", "xmdoc:AAAA"])
    func foreign(_ text: String) throws {
        #expect(try read(QRPicture(text: text)) == nil)
    }

    @Test("An empty picture, and a code that is too blurred, give nothing")
    func nothing() throws {
        let decoder = try #require(Self.decoder, "build countersign-qrcode")
        let grey = [UInt8](repeating: 128, count: 640 * 480)
        #expect(try decoder.code(in: #require(GreyFrame(width: 640, height: 480, pixels: grey))) == nil)
        #expect(try read(QRPicture(text: SampleEngagement.uri, module: 2, blur: 12)) == nil)
    }

    @Test("Random pictures end by themselves, and give nothing")
    func random() throws {
        let decoder = try #require(Self.decoder, "build countersign-qrcode")
        var random = SplitMix64(seed: 18_004)
        for _ in 0..<8 {
            let pixels = (0..<128 * 128).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(try decoder.code(in: #require(GreyFrame(width: 128, height: 128, pixels: pixels))) == nil)
        }
    }

    /// Returns the exit status of the decoder for an input.
    private func status(_ input: [UInt8]) throws -> FrameEnd? {
        let path = try #require(ChildProgram.installedPath(of: FrameDecoder.program))
        let answer = try ChildExchange.run(path, input: input[...], limit: 100, until: .now + .seconds(30))
        #expect(answer.output.isEmpty)
        return FrameEnd(rawValue: answer.status)
    }

    @Test("The decoder refuses an input that is no frame")
    func malformed() throws {
        let frame = try #require(
            GreyFrame(width: 64, height: 64, pixels: [UInt8](repeating: 9, count: 64 * 64)))
        let bytes = frame.serialized()
        #expect(try status(bytes) == .read)
        for other in [[], Array(bytes.dropLast()), bytes + [0], [0xff, 0xff, 0xff, 0xff] + bytes] {
            #expect(try status(other) == .malformed)
        }
        #expect(try status([UInt8](repeating: 64, count: GreyFrame.longest + 1)) == .malformed)
    }

    /// A frame that a shell in the decoder's place reads as a script. Its head is a line that does nothing.
    private static func script(_ text: String) throws -> GreyFrame {
        let line = Array((text + "\n").utf8)
        let pixels = line + [UInt8](repeating: UInt8(ascii: "\n"), count: 266 * 266 - line.count)
        let frame = try #require(GreyFrame(width: 266, height: 266, pixels: pixels))
        #expect(frame.serialized().starts(with: [1, 10, 1, 10]))
        return frame
    }

    private func failure(_ script: String, limit: Duration = .seconds(30)) throws -> FrameDecoderError? {
        let frame = try Self.script(script)
        do throws(FrameDecoderError) {
            _ = try FrameDecoder(executable: "/bin/sh", limit: limit).code(in: frame)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A decoder that hangs is ended at its limit",
        arguments: ["exec sleep 60", "echo mdoc:; exec sleep 60"])
    func hang(_ script: String) throws {
        let start = ContinuousClock.now
        #expect(try failure(script, limit: .milliseconds(300)) == .overdue)
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("A decoder that crashes, ends wrongly or answers without end is named, and the next frame is read")
    func ends() throws {
        #expect(try failure("kill -11 $$") == .ended(signal: SIGSEGV))
        #expect(try failure("exit \(FrameEnd.notConfined.rawValue)") == .notConfined)
        for end in FrameEnd.allCases where end != .read && end != .notConfined {
            #expect(try failure("exit \(end.rawValue)") == .unexpected)
        }
        // As the loader ends a program that lacks a library.
        #expect(try failure("exit 127") == .notStarted)
        #expect(try failure("exec yes") == .unexpected)
        #expect(try failure("exit 0") == nil)
        #expect(try read(QRPicture(text: SampleEngagement.uri)) == SampleEngagement.uri)
    }

    @Test("A decoder that is not installed is named")
    func absent() throws {
        let frame = try Self.script("")
        #expect(throws: FrameDecoderError.notStarted) {
            try FrameDecoder(executable: "/nowhere/countersign-qrcode").code(in: frame)
        }
    }

    @Test("The decoder is confined before it reads a byte")
    func confinement() async throws {
        let path = try #require(ChildProgram.installedPath(of: FrameDecoder.program))
        let process = try ChildExchange(path)
        let folder = "/proc/\(process.process)"
        let status = try await awaited("the confinement") {
            let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
            return status.contains("Seccomp:\t2") ? status : nil
        }
        #expect(status.contains("NoNewPrivs:\t1"))
        let limits = try String(contentsOfFile: folder + "/limits", encoding: .utf8)
        for (name, most) in [
            ("Max cpu time", "2"), ("Max file size", "0"), ("Max core file size", "0"),
            ("Max open files", "0"),
            ("Max processes", "0"), ("Max address space", "268435456"),
        ] {
            let row = try #require(limits.split(separator: "\n").first { $0.hasPrefix(name) })
            #expect(
                row.dropFirst(name.count).split(separator: " ").prefix(2).allSatisfy { $0 == most }, "\(row)")
        }
        _ = consume process
    }
}
