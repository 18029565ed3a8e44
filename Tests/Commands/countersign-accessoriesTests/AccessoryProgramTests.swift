import Deadlines
import Foundation
import Glibc
import OtherPrograms
import SerialBench
import Testing

/// The program with a real daemon, a software wallet on the bench link, and devices at serial cables of software.
@Suite("Accessories, with the daemon and the program as processes", .serialized)
struct AccessoryProgramTests {
    static let off: [UInt8] = [0xA0, 0x01, 0x00, 0xA1]
    static let on: [UInt8] = [0xA0, 0x01, 0x01, 0xA2]

    /// A lock at an LCUS board.
    static func lock(
        _ cable: SerialCable, trial: Bool = true, pulse: Int = 200, members: String = ""
    ) -> String {
        #"""
        [{"name": "lock", "lane": "lane-1", "trial": \#(trial)\#(members),
          "out": {"relay": {"lcus": {"device": "\#(cable.path)", "channel": 1}, "pulseMs": \#(pulse)}}}]
        """#
    }

    static func daemon(
        _ accessories: String, handover: String = "static", readers: [String] = [],
        scopes: [String] = ["accessory", "app"]
    ) async throws -> ReaderDaemon {
        try await ReaderDaemon(
            // The wallet's issuer is the trust of the daemon, also where another lane is tried.
            lanes: [["--handover", handover]], readers: readers,
            members: ["accessories": accessories], socketScopes: scopes)
    }

    static func program(at daemon: ReaderDaemon) throws -> BuiltProgram {
        try BuiltProgram("countersign-accessories", ["--socket", daemon.folder.path + "/socket"])
    }

    /// Waits until the daemon knows this state of an accessory.
    ///
    /// - Parameter name: the name of the accessory; `nil` for the first one of the lane.
    static func state(
        _ state: String, of name: String? = nil, at daemon: ReaderDaemon, lane: String = "lane-1"
    ) async throws {
        try await until("the state \(state)") {
            let description = try await daemon.asClerk.call("GET", "/v1/lanes/\(lane)").json()
            let accessories = description["accessories"] as? [[String: Any]]
            let accessory = accessories?.first { name == nil || $0["name"] as? String == name }
            return accessory?["state"] as? String == state
        }
    }

    /// Orders a presentation with a receipt, and waits for its end.
    @discardableResult
    static func present(_ daemon: ReaderDaemon) async throws -> String {
        let id = try await daemon.order(#", "retention": "receipt""#)
        #expect(try await daemon.end(of: id).last == "verified")
        return id
    }

    /// The states of the outputs in the receipt that follows the receipt of a presentation.
    static func outputs(_ daemon: ReaderDaemon, receipt: Int = 2) async throws -> [String] {
        try await awaited("the receipt of the outputs") {
            let reply = try await daemon.asAdmin.call("GET", "/v1/receipts/\(receipt)")
            guard reply.status == 200 else { return nil }
            let statement = try reply.json()["statement"] as? [String: Any]
            return (statement?["outputs"] as? [[String: Any]])?.compactMap { $0["state"] as? String }
        }
    }

    @Test("A tap with the outcome allow closes the contact once, for its time, and the receipt says so")
    func lock() async throws {
        let cable = try SerialCable()
        let daemon = try await Self.daemon(Self.lock(cable))
        let program = try Self.program(at: daemon)
        try await cable.expect(Self.off, "off before anything else")
        try await Self.state("trial", at: daemon)
        try await Self.present(daemon)
        try await cable.expect(Self.on + Self.off, "one pulse")
        #expect(try await Self.outputs(daemon) == ["done"])
        program.signal(SIGTERM)
        #expect(try await program.ended() == 0)
        #expect(cable.received() == Self.off)
    }

    @Test("A test document opens nothing that is no trial, and the receipt says that it was refused")
    func noTrial() async throws {
        let cable = try SerialCable()
        let daemon = try await Self.daemon(Self.lock(cable, trial: false))
        let program = try Self.program(at: daemon)
        try await cable.expect(Self.off, "off before anything else")
        try await Self.state("ready", at: daemon)
        try await Self.present(daemon)
        #expect(try await Self.outputs(daemon) == ["refused"])
        #expect(cable.received() == [])
        program.signal(SIGTERM)
        _ = try await program.ended()
    }

    @Test(
        "A code of a phone's screen opens only what accepts codes",
        arguments: [("", "refused"), (#", "engagements": ["nfc", "qr"]"#, "done")])
    func engagements(members: String, state: String) async throws {
        let cable = try SerialCable()
        let daemon = try await Self.daemon(Self.lock(cable, members: members), handover: "qr")
        let program = try Self.program(at: daemon)
        try await cable.expect(Self.off, "off before anything else")
        try await Self.state("trial", at: daemon)
        try await Self.present(daemon)
        #expect(try await Self.outputs(daemon) == [state])
        #expect(cable.received() == (state == "done" ? Self.on + Self.off : []))
        program.signal(SIGTERM)
        _ = try await program.ended()
    }

    @Test(
        "If the program is killed while a contact is closed, the contact is opened, and not closed after a start"
    )
    func killed() async throws {
        let cable = try SerialCable()
        let daemon = try await Self.daemon(Self.lock(cable, pulse: 10_000))
        let program = try Self.program(at: daemon)
        try await cable.expect(Self.off, "off before anything else")
        try await Self.state("trial", at: daemon)
        try await Self.present(daemon)
        try await cable.expect(Self.on, "the contact closes")
        program.signal(SIGKILL)
        _ = try await program.ended()
        try await cable.expect(Self.off, "the watchdog opens the contact")
        #expect(try await Self.outputs(daemon) == ["unknown"])
        let again = try Self.program(at: daemon)
        try await cable.expect(Self.off, "off after the start")
        try await Self.state("trial", at: daemon)
        #expect(cable.received() == [])
        again.signal(SIGTERM)
        _ = try await again.ended()
    }

    @Test("A line gives a text for an outcome, and its device is absent after it was unplugged")
    func line() async throws {
        let cable = try SerialCable()
        let daemon = try await Self.daemon(
            #"""
            [{"name": "till", "lane": "lane-1", "trial": true,
              "out": {"line": {"device": "\#(cable.path)", "templates": {"allow": "OK{tab}{age}{enter}"}}}}]
            """#)
        let program = try Self.program(at: daemon)
        try await Self.state("trial", at: daemon)
        try await Self.present(daemon)
        try await cable.expect(Array("OK\t21\r".utf8), "the text")
        #expect(try await Self.outputs(daemon) == ["done"])
        program.signal(SIGTERM)
        _ = try await program.ended()
        try await Self.state("notAnswering", at: daemon)
    }

    @Test("A scanner passes a phone's code to the lane; a foreign code and a reader's code end nothing")
    func scanner() async throws {
        let cable = try SerialCable()
        let wallet = try SilentWallet()
        let daemon = try await Self.daemon(
            #"[{"name": "qr-1", "lane": "reader-1", "in": {"serial": {"device": "\#(cable.path)"}}}]"#,
            readers: [#""benchLink": "tcp://127.0.0.1:\#(wallet.port)""#])
        let program = try Self.program(at: daemon)
        try await Self.state("ready", at: daemon, lane: "reader-1")
        let id = try await daemon.order(#", "lane": "reader-1""#)
        for (text, hint) in [
            ("https://shop.example/menu", "codeNotAnID"), ("mdoc://owBjMS4w", "codeOfReader"),
            ("mdoc:owBjMS4", "codeUnreadable"),
        ] {
            try cable.send("\(text)\r\n")
            try await until("the hint \(hint)") {
                let record = try await daemon.asApp.call("GET", "/v1/presentations/\(id)").json()
                #expect(record["state"] as? String == "armed")
                return record["hint"] as? String == hint
            }
        }
        try cable.send("]Q1mdoc:\(Self.engagement)\r\n")
        // The bench link takes no scanned code, and says so: the code has arrived.
        #expect(try await daemon.end(of: id).last == "failed")
        let record = try await daemon.asApp.call("GET", "/v1/presentations/\(id)").json()
        #expect("\(record["reasons"] ?? "")".contains("engagement.no_retrieval"))
        #expect(!program.errors.contains("mdoc:") && !program.errors.contains("shop.example"))
        #expect(!daemon.daemon.errors.contains("shop.example"))
        program.signal(SIGTERM)
        _ = try await program.ended()
    }

    @Test("A scanner is switched when its lane begins or ends to wait for a phone, and at no other event")
    func scannerCommands() async throws {
        let (on, off): ([UInt8], [UInt8]) = ([0x16, 0x54, 0x0D], [0x16, 0x55, 0x0D])
        let (cable, till) = (try SerialCable(), try SerialCable())
        let wallet = try SilentWallet()
        let daemon = try await Self.daemon(
            #"""
            [{"name": "qr-1", "lane": "reader-1",
              "in": {"serial": {"device": "\#(cable.path)", "commands": "honeywell"}}},
             {"name": "till", "lane": "reader-1",
              "out": {"line": {"device": "\#(till.path)", "templates": {"allow": "OK{enter}"}}}}]
            """#, readers: [#""benchLink": "tcp://127.0.0.1:\#(wallet.port)""#])
        let program = try Self.program(at: daemon)
        try await cable.expect(off, "off at the start")
        try await Self.state("ready", at: daemon, lane: "reader-1")
        let id = try await daemon.order(#", "lane": "reader-1""#)
        // The states that both accessories have reported meanwhile were events of the lane too.
        try await cable.expect(on, "on for the phone")
        #expect(try await daemon.asApp.call("DELETE", "/v1/presentations/\(id)").status == 200)
        try await cable.expect(off, "off at the end")
        program.signal(SIGTERM)
        _ = try await program.ended()
        #expect(cable.received() == off, "off at the stop")
    }

    // MARK: Tries

    /// Runs `countersign accessory`.
    private static func accessory(_ arguments: String..., at daemon: ReaderDaemon) throws -> BuiltProgram {
        try BuiltProgram(
            "countersign", ["accessory"] + arguments + ["--socket", daemon.folder.path + "/socket"])
    }

    @Test("An operator's try closes the contact once without a receipt, and is in both logs")
    func tryLock() async throws {
        let cable = try SerialCable()
        let daemon = try await Self.daemon(
            Self.lock(cable, trial: false), scopes: ["accessory", "app", "admin"])
        let program = try Self.program(at: daemon)
        try await cable.expect(Self.off, "off before anything else")
        try await Self.state("ready", at: daemon)
        let list = try Self.accessory("list", at: daemon)
        #expect(try await list.ended() == 0 && list.output == "lock at lane-1: relay, ready\n")
        let other = try Self.accessory("try", "gate", at: daemon)
        #expect(try await other.ended() == 64 && other.errors.contains("there is no accessory gate"))
        let run = try Self.accessory("try", "lock", at: daemon)
        #expect(try await run.ended() == 0, "\(run.errors)")
        #expect(run.output.contains("lock: the contact closed and opened again"))
        try await cable.expect(Self.on + Self.off, "one pulse")
        #expect(cable.received() == [])
        #expect(try await daemon.asAdmin.call("GET", "/v1/receipts/1").status == 404)
        #expect(program.errors.contains("lock: the operator tries the accessory (pulse)"))
        #expect(program.errors.contains("lock: the try has ended (pulsed)"))
        #expect(daemon.daemon.errors.contains("an operator tries an accessory"))
        program.signal(SIGTERM)
        _ = try await program.ended()
        try await Self.state("notAnswering", at: daemon)
        let late = try Self.accessory("try", "lock", at: daemon)
        #expect(try await late.ended() == 69 && late.errors.contains("notAnswering"))
        #expect(cable.received() == Self.off)
    }

    @Test("A scanner that is tried describes the next code, and passes neither the code nor its text on")
    func tryScanner() async throws {
        let cable = try SerialCable()
        let daemon = try await Self.daemon(
            #"[{"name": "qr-1", "lane": "lane-1", "in": {"serial": {"device": "\#(cable.path)"}}}]"#,
            scopes: ["accessory", "app", "admin"])
        let program = try Self.program(at: daemon)
        try await Self.state("ready", at: daemon)
        let phone = "mdoc:\(Self.engagement)"
        for (number, (text, words)) in [
            ("4006381333931", "not a phone's code, 13 characters"),
            (phone, "a phone's code, \(phone.utf8.count) characters"),
        ].enumerated() {
            let run = try Self.accessory("try", "qr-1", at: daemon)
            try await program.said("qr-1: the operator tries the accessory (scan)", times: number + 1)
            try cable.send("\(text)\r\n")
            #expect(try await run.ended() == 0, "\(run.errors)")
            #expect(run.output == "qr-1: \(words)\n")
        }
        // After the try, the next code goes to the lane, which waits for nobody.
        try cable.send("https://shop.example/menu\r\nmdoc:AQIDBA\r\n")
        try await program.said("qr-1: the daemon refuses a code")
        for text in ["4006381333931", "AQIDBA", Self.engagement, "shop.example"] {
            #expect(!program.errors.contains(text) && !daemon.daemon.errors.contains(text))
        }
        program.signal(SIGTERM)
        _ = try await program.ended()
    }

    /// The device engagement of ISO/IEC 18013-5, D.3.1, in base64url.
    static let engagement: String = {
        let hex =
            "a30063312e30018201d818584ba4010220012158205a88d182bce5f42efa59943f33359d2e8a968ff289d93e5fa444b624343167fe225820b16e8cf858ddc7690407ba61d4c338237a8cfcf3de6aa672fc60a557aa32fc670281830201a300f401f50b5045efef742b2c4837a9a3b0e1d05a6917"
        var bytes: [UInt8] = []
        var rest = hex[...]
        while !rest.isEmpty {
            bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }()
}

/// A listener that accepts connections of the bench link and says nothing, so that a lane stays armed.
final class SilentWallet: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        port = try ReaderDaemon.freePort()
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        try #require(isBound && listen(descriptor, 16) == 0)
    }

    deinit { close(descriptor) }
}
