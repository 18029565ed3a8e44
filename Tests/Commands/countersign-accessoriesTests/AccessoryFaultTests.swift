import Deadlines
import Foundation
import Glibc
import OtherPrograms
import SerialBench
import Testing

/// Faults of devices while customers come. The lane goes on in each case, and nothing opens without an allow.
@Suite("Accessories with faults, with the daemon and the program as processes", .serialized)
struct AccessoryFaultTests {
    private typealias Program = AccessoryProgramTests
    private static let pulse = Program.on + Program.off

    /// A trial accessory at the lane with the wallet.
    private static func accessory(
        _ output: String, named name: String = "lock", trial: Bool = true
    ) -> String {
        #"{"name": "\#(name)", "lane": "lane-1", "trial": \#(trial), "out": \#(output)}"#
    }

    private static func relay(_ path: String, pulse: Int = 200) -> String {
        #"{"relay": {"lcus": {"device": "\#(path)", "channel": 1}, "pulseMs": \#(pulse)}}"#
    }

    private static func line(_ path: String) -> String {
        #"{"line": {"device": "\#(path)", "templates": {"allow": "OK{enter}"}}}"#
    }

    private static func end(_ program: BuiltProgram) async throws {
        program.signal(SIGTERM)
        #expect(try await program.ended() == 0)
    }

    @Test("A board that is unplugged opens nothing when it is plugged in again, whenever it was unplugged")
    func unplugged() async throws {
        let place = try DevicePlace()
        var cable = try place.plugIn()
        let daemon = try await Program.daemon(
            "[\(Self.accessory(Self.relay(place.path, pulse: 10_000)))]")
        let program = try Program.program(at: daemon)
        try await cable.expect(Program.off, "off before anything else")
        try await Program.state("trial", at: daemon)
        // At rest: the output is refused, and nobody gives it later.
        cable.hangUp()
        try await Program.state("absent", at: daemon)
        try await Program.present(daemon)
        #expect(try await Program.outputs(daemon) == ["refused"])
        cable = try place.plugIn()
        try await cable.expect(Program.off, "off after the first absence")
        try await Program.state("trial", at: daemon)
        #expect(cable.received() == [])
        // While the contact is closed: nobody knows what the board did.
        try await Program.present(daemon)
        try await cable.expect(Program.on, "the contact closes")
        cable.hangUp()
        #expect(try await Program.outputs(daemon, receipt: 4) == ["unknown"])
        cable = try place.plugIn()
        try await cable.expect(Program.off, "off after the second absence")
        try await Program.state("trial", at: daemon)
        #expect(cable.received() == [])
        try await Self.end(program)
        #expect(cable.received() == Program.off)
    }

    @Test("A board that another program has is busy and opens nothing; when it is free, the next allow opens")
    func busy() async throws {
        let cable = try SerialCable()
        let other = unsafe open(cable.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(other >= 0 && flock(other, LOCK_EX | LOCK_NB) == 0)
        let daemon = try await Program.daemon("[\(Self.accessory(Self.relay(cable.path)))]")
        let program = try Program.program(at: daemon)
        try await Program.state("busy", at: daemon)
        try await Program.present(daemon)
        #expect(try await Program.outputs(daemon) == ["refused"])
        #expect(cable.received() == [])
        close(other)
        try await cable.expect(Program.off, "off before anything else")
        try await Program.state("trial", at: daemon)
        try await Program.present(daemon)
        try await cable.expect(Self.pulse, "one pulse")
        #expect(try await Program.outputs(daemon, receipt: 4) == ["done"])
        try await Self.end(program)
    }

    @Test(
        "A board that answers wrong is not ready and closes no contact; the right answer makes it ready",
        arguments: [
            ("\u{0}\u{7}\u{0}\u{0}", "notAnswering"), ("\u{1}\u{0}\u{0}\u{0}", "notAnswering"),
            ("\u{0}\u{0}\u{0}\u{0}", "trial"),
        ])
    func wrongAnswers(_ answer: String, _ state: String) async throws {
        let cable = try SerialCable()
        // The board is asked for its states with FF 09 00.
        let board = Task {
            var received: [UInt8] = []
            while !Task.isCancelled {
                let more = cable.received()
                received += more
                if !more.isEmpty, received.suffix(3) == [0xff, 0x09, 0x00] { try? cable.send(answer) }
                try? await Task.sleep(for: .milliseconds(2))
            }
            return received
        }
        let output = #"{"relay": {"kmtronic": {"device": "\#(cable.path)", "channel": 1}}}"#
        let daemon = try await Program.daemon("[\(Self.accessory(output))]")
        let program = try Program.program(at: daemon)
        try await program.said("lock: \(state)")
        try await Program.state(state, at: daemon)
        if state != "trial" {
            try await Program.present(daemon)
            #expect(try await Program.outputs(daemon) == ["refused"])
        }
        try await Self.end(program)
        board.cancel()
        let received = await board.value
        #expect(received.starts(with: [0xff, 0x01, 0x00]))
        #expect(!received.indices.contains { received[$0...].starts(with: [0xff, 0x01, 0x01]) })
    }

    @Test("Without its broker an accessory is absent, its outcome is refused, and the lock beside it opens")
    func broker() async throws {
        let cable = try SerialCable()
        let broker = "mqtt://127.0.0.1:\(try ReaderDaemon.freePort())"
        let home = #"{"name": "home", "trial": true, "out": {"mqtt": {"broker": "\#(broker)"}}}"#
        let daemon = try await Program.daemon("[\(Self.accessory(Self.relay(cable.path))), \(home)]")
        let program = try Program.program(at: daemon)
        try await cable.expect(Program.off, "off before anything else")
        try await Program.state("trial", of: "lock", at: daemon)
        try await Program.state("absent", of: "home", at: daemon)
        try await Program.present(daemon)
        try await cable.expect(Self.pulse, "one pulse")
        #expect(try await Set(Program.outputs(daemon)) == ["done", "refused"])
        try await Self.end(program)
    }

    @Test("A text is sent once: not for a test document, and not again after a restart of either program")
    func restarts() async throws {
        let cable = try SerialCable()
        let real = try SerialCable()
        let accessories = [
            Self.accessory(Self.line(cable.path), named: "till"),
            Self.accessory(Self.line(real.path), named: "real", trial: false),
        ]
        let daemon = try await Program.daemon("[\(accessories.joined(separator: ", "))]")
        let first = try Program.program(at: daemon)
        for (name, state) in [("till", "trial"), ("real", "ready")] {
            try await Program.state(state, of: name, at: daemon)
        }
        try await Program.present(daemon)
        try await cable.expect(Array("OK\r".utf8), "the text")
        #expect(try await Set(Program.outputs(daemon)) == ["done", "refused"])
        first.signal(SIGKILL)
        _ = try await first.ended()
        let second = try Program.program(at: daemon)
        try await second.said("till: trial")
        daemon.daemon.signal(SIGKILL)
        _ = try await daemon.daemon.ended()
        let again = try await daemon.startAgain()
        try await Program.state("trial", of: "till", at: daemon)
        try await Self.end(second)
        #expect(cable.received() == [] && real.received() == [])
        withExtendedLifetime(again) {}
    }

    /// A daemon whose lane waits for a phone, and has a serial scanner.
    private static func scanning(_ path: String, _ wallet: SilentWallet) async throws -> ReaderDaemon {
        try await Program.daemon(
            #"[{"name": "qr-1", "lane": "reader-1", "in": {"serial": {"device": "\#(path)"}}}]"#,
            readers: [#""benchLink": "tcp://127.0.0.1:\#(wallet.port)""#])
    }

    /// Waits until the page shows a hint, while the presentation waits for a phone.
    private static func reach(_ hint: String, of id: String, at daemon: ReaderDaemon) async throws {
        try await until("the hint \(hint)") {
            let record = try await daemon.asApp.call("GET", "/v1/presentations/\(id)").json()
            #expect(record["state"] as? String == "armed")
            return record["hint"] as? String == hint
        }
    }

    /// Shows a phone's code until the lane follows it. After a text that is too long, the program drops all
    /// bytes up to a silence.
    private static func passOn(_ code: String, by cable: SerialCable, of id: String, at daemon: ReaderDaemon)
        async throws
    {
        try await until("the phone's code", every: .milliseconds(500)) {
            try cable.send("\(code)\r\n")
            let record = try await daemon.asApp.call("GET", "/v1/presentations/\(id)").json()
            // The bench link takes no scanned code, and says so.
            return "\(record["reasons"] ?? "")".contains("engagement.no_retrieval")
        }
    }

    @Test("Codes that are none, however long, end nothing; the phone's code after them is passed on")
    func codes() async throws {
        let (cable, wallet) = (try SerialCable(), try SilentWallet())
        let daemon = try await Self.scanning(cable.path, wallet)
        let program = try Program.program(at: daemon)
        try await Program.state("ready", at: daemon, lane: "reader-1")
        let id = try await daemon.order(#", "lane": "reader-1""#)
        for text in [
            // Texts of makers' configuration sheets, an address, bytes of no text, and 10 000 characters.
            "TRGMOD0.", "]C1@SETUPE1", "$%UP", "~\u{1}0000#", "https://shop.example/menu",
            "\u{0}\u{7f}\u{1b}[2J", String(repeating: "B", count: 10_000),
        ] {
            try cable.send("\(text)\r\n")
        }
        try await Self.reach("codeNotAnID", of: id, at: daemon)
        try await Self.passOn("mdoc:\(Program.engagement)", by: cable, of: id, at: daemon)
        try await Self.end(program)
        let log = program.errors + daemon.daemon.errors
        for word in ["mdoc:", "BBBB", "TRGMOD", "SETUPE1", "shop.example"] { #expect(!log.contains(word)) }
    }

    @Test("Two halves of a code, with the scanner unplugged between, engage nothing; the whole code does")
    func halves() async throws {
        let (place, wallet) = (try DevicePlace(), try SilentWallet())
        var cable = try place.plugIn()
        let daemon = try await Self.scanning(place.path, wallet)
        let program = try Program.program(at: daemon)
        try await Program.state("ready", at: daemon, lane: "reader-1")
        let id = try await daemon.order(#", "lane": "reader-1""#)
        let code = "mdoc:\(Program.engagement)"
        // 41 characters of base64url are no number of bytes.
        let half = code.prefix("mdoc:".count + 41)
        try cable.send(String(half))
        try await Self.reach("codeUnreadable", of: id, at: daemon)
        cable.hangUp()
        try await Program.state("absent", at: daemon, lane: "reader-1")
        cable = try place.plugIn()
        try await Program.state("ready", at: daemon, lane: "reader-1")
        try cable.send("\(code.dropFirst(half.count))\r\n")
        try await Self.reach("codeNotAnID", of: id, at: daemon)
        try await Self.passOn(code, by: cable, of: id, at: daemon)
        try await Self.end(program)
    }
}

/// The place of a device that is unplugged and plugged in again: a link, as in `/dev/serial/by-id`.
private final class DevicePlace {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "countersign-place-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: String { folder.appending(path: "device").path }

    /// Makes the link lead to a new cable.
    func plugIn() throws -> SerialCable {
        let cable = try SerialCable()
        let link = folder.appending(path: UUID().uuidString).path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: cable.path)
        try #require(unsafe rename(link, path) == 0)
        return cable
    }
}
