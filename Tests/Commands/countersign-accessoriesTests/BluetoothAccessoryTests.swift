import BlueZBench
import Deadlines
import Glibc
import MdocModel
import OtherPrograms
import PCSCBench
import PresentationStage
import SerialBench
import Testing

/// The whole way of a customer at an unattended lane: a code at a scanner or a tap, the answer through the
/// air, and the contact of a lock.
@Suite(
    "Accessories of a lane with Bluetooth, with the real pcscd and the real bluetoothd", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence),
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct BluetoothAccessoryTests {
    private static let pulse = AccessoryProgramTests.on + AccessoryProgramTests.off
    private static let acceptsCodes = #", "engagements": ["nfc", "qr"]"#

    @Test("A phone's code at a scanner leads to an allow, opens the lock once, and engages nothing again")
    func opened() async throws {
        let gate = try await Gate(lock: Self.acceptsCodes)
        let phone = try ScannedAirPhone(of: gate.customers)
        let id = try await gate.scan(phone)
        try await gate.board.expect(Self.pulse, "one pulse")
        #expect(try await AccessoryProgramTests.outputs(gate.daemon) == ["done"])
        let statement = try await gate.statement(of: id)
        #expect(statement["version"] as? Int == 2 && statement["engagement"] as? String == "qr")
        #expect(statement["outcome"] as? String == "allow" && statement["proof"] as? String == "plain")
        let next = try await gate.daemon.order()
        // The program drops what it has read within the last 2 s, and reads the code again after that.
        try await until("the refusal of the used code", every: .milliseconds(500)) {
            try gate.scanner.send("\(phone.uri)\r\n")
            return gate.program.errors.contains("this code was used already")
        }
        let record = try await gate.daemon.asApp.call("GET", "/v1/presentations/\(next)").json()
        #expect(record["state"] as? String == "armed")
        try await gate.expectNothingMore()
    }

    @Test(
        "After a deny the lock stays closed, and a lock that accepts taps alone refuses a scanned phone",
        arguments: [
            (acceptsCodes, "age over 65", "deny", nil), ("", "age over 21", "allow", ["refused"]),
        ] as [(String, String, String, [String]?)])
    func closed(members: String, intent: String, outcome: String, states: [String]?) async throws {
        let gate = try await Gate(lock: members)
        let id = try await gate.scan(ScannedAirPhone(of: gate.customers), intent: intent)
        let statement = try await gate.statement(of: id)
        #expect(statement["engagement"] as? String == "qr" && statement["outcome"] as? String == outcome)
        if let states { #expect(try await AccessoryProgramTests.outputs(gate.daemon) == states) }
        try await gate.expectNothingMore()
        if states == nil {
            #expect(try await gate.daemon.asAdmin.call("GET", "/v1/receipts/2").problem == "receiptUnknown")
        }
    }

    @Test("A scanner that is unplugged during a tap changes nothing about the tap, and the lock opens once")
    func unplugged() async throws {
        let gate = try await Gate()
        let reader = try VirtualReader()
        defer { reader.lift() }
        let tapped = try TappedAirPhone(of: gate.customers)
        let id = try await gate.daemon.order(Gate.receipt)
        let states = try await gate.daemon.end(of: id) { state in
            switch state {
            case "armed": try await reader.hold(tapped.phone)
            case "engaged":
                gate.scanner.hangUp()
                reader.lift()
            default: break
            }
        }
        #expect(states.last == "verified", "\(tapped.air.lines)")
        try await gate.board.expect(Self.pulse, "one pulse")
        #expect(try await AccessoryProgramTests.outputs(gate.daemon) == ["done"])
        #expect(try await gate.statement(of: id)["engagement"] as? String == "nfc")
        try await gate.reach("absent", of: "qr-1")
        #expect(try await tapped.end().readerStatus == .termination)
        try await gate.expectNothingMore()
    }
}

/// A lane with a lock at an LCUS board and a serial scanner. The lock is a trial accessory, because a test
/// issuer signs the customers' documents.
private struct Gate: Sendable {
    /// The member of an order that asks for a receipt.
    static let receipt = #", "retention": "receipt""#
    private static let lane = "reader-1"

    let customers: Customers
    let daemon: ReaderDaemon
    let program: BuiltProgram
    let board: SerialCable
    let scanner: SerialCable

    /// - Parameter members: further members of the lock, as JSON.
    init(lock members: String = "") async throws {
        // systemd would have done it if the last phone has ended bluetoothd.
        try await AirBench.control(.start)
        customers = try .withBluetooth()
        (board, scanner) = (try SerialCable(), try SerialCable())
        let accessories = #"""
            [{"name": "lock", "lane": "\#(Self.lane)", "trial": true\#(members),
              "out": {"relay": {"lcus": {"device": "\#(board.path)", "channel": 1}, "pulseMs": 200}}},
             {"name": "qr-1", "lane": "\#(Self.lane)", "in": {"serial": {"device": "\#(scanner.path)"}}}]
            """#
        daemon = try await ReaderDaemon(
            lanes: [], readers: [#""reader": "\#(VirtualBench.first)", "transport": "ble""#],
            roots: [customers.root], members: ["accessories": accessories],
            socketScopes: ["accessory", "app"])
        program = try AccessoryProgramTests.program(at: daemon)
        try await board.expect(AccessoryProgramTests.off, "off before anything else")
        try await reach("trial", of: "lock")
        try await reach("ready", of: "qr-1")
    }

    /// Waits until the daemon knows this state of an accessory.
    func reach(_ state: String, of name: String) async throws {
        try await AccessoryProgramTests.state(state, of: name, at: daemon, lane: Self.lane)
    }

    /// Orders a presentation with a receipt, holds a phone's code before the scanner, and waits for the end.
    ///
    /// - Returns: the presentation's id.
    func scan(_ phone: ScannedAirPhone, intent: String = "age over 21") async throws -> String {
        let id = try await daemon.order(Self.receipt, intent: intent)
        let states = try await daemon.end(of: id) { state in
            if state == "armed" { try scanner.send("]Q1\(phone.uri)\r\n") }
        }
        #expect(states.last == "verified", "\(phone.air.lines) \(program.errors)")
        #expect(try await phone.end().readerStatus == .termination)
        return id
    }

    /// The statement of a presentation's receipt.
    func statement(of id: String) async throws -> [String: Any] {
        let receipt = try await daemon.receipt(of: id)
        let reply = try await daemon.asAdmin.call("GET", "/v1/receipts/\(receipt)")
        return try #require(try reply.json()["statement"] as? [String: Any])
    }

    /// Ends the program, and expects that the board has received nothing more than the "off" at the program's
    /// end, and that no log has the text of a code.
    func expectNothingMore() async throws {
        program.signal(SIGTERM)
        #expect(try await program.ended() == 0)
        #expect(board.received() == AccessoryProgramTests.off)
        #expect(!program.errors.contains("mdoc:") && !daemon.daemon.errors.contains("mdoc:"))
    }
}
