import Accessories
import Testing

@Suite("The requests to a board, one after another")
struct RelayExchangeTests {
    @Test("Each request to a Modbus TCP unit has a new number, and the answer to an earlier one is refused")
    func transactions() throws {
        var exchange = RelayExchange(
            board: .modbusTCP(host: "192.0.2.7", port: 502, unit: 1, coil: 0), channel: 1)
        let begun = exchange.begin(.off)
        let first = try #require(begun)
        #expect(try exchange.end(first.bytes) == .accepted)
        let second = exchange.begin(.off)
        #expect(first.bytes.prefix(2) != second?.bytes.prefix(2))
        #expect(throws: RelayFault.wrongTransaction) { try exchange.end(first.bytes) }
        for _ in 0..<70_000 { _ = exchange.begin(.read) }
    }

    @Test("A silent board is a fault only if it should have answered")
    func silence() throws {
        var modbus = RelayExchange(board: .modbusRTU(device: "", speed: 9600, unit: 1, coil: 0), channel: 1)
        _ = modbus.begin(.off)
        #expect(!modbus.isComplete([]))
        #expect(throws: RelayFault.noReply) { try modbus.end([]) }
        var lcus = RelayExchange(board: .lcus(device: ""), channel: 1)
        _ = lcus.begin(.off)
        #expect(lcus.isComplete([]))
        #expect(try lcus.end([]) == .accepted)
    }

    @Test("An answer without a request, and a second answer, are refused")
    func unasked() throws {
        var exchange = RelayExchange(board: .lcus(device: ""), channel: 1)
        #expect(throws: RelayFault.replyUnexpected) { try exchange.end([]) }
        _ = exchange.begin(.on)
        _ = try exchange.end([])
        #expect(throws: RelayFault.replyUnexpected) { try exchange.end([]) }
        #expect(exchange.begin(.read) == nil)
        #expect(throws: RelayFault.replyUnexpected) { try exchange.end([]) }
    }

    private let kmtronic = RelayBoard.kmtronic(device: "")
    private let all: [UInt8] = [0xff, 9, 0]
    private let single: [UInt8] = [0xff, 1, 3]

    /// The question that is asked next, which the board does not answer.
    private func askInVain(_ exchange: inout RelayExchange) -> [UInt8]? {
        let request = exchange.begin(.read)
        #expect(throws: RelayFault.noReply) { try exchange.end([]) }
        return request?.bytes
    }

    @Test(
        "A KMTronic board is asked for one contact only after it left the other question unanswered three times"
    )
    func kmtronicQuestion() throws {
        var exchange = RelayExchange(board: kmtronic, channel: 1)
        for _ in 0..<3 { #expect(askInVain(&exchange) == all) }
        #expect(exchange.begin(.off)?.bytes == [0xff, 1, 0])
        #expect(try exchange.end([]) == .accepted)
        #expect(exchange.begin(.read)?.bytes == single)
        #expect(try exchange.end([0xff, 1, 0]) == .state(isOn: false))
        #expect(exchange.begin(.read)?.bytes == single)
    }

    @Test("A KMTronic board that has answered once, or has more contacts, is never asked for one contact")
    func kmtronicAll() throws {
        var answered = RelayExchange(board: kmtronic, channel: 1)
        #expect(answered.begin(.read)?.bytes == all)
        #expect(try answered.end([0, 0, 0, 0]) == .state(isOn: false))
        for _ in 0..<9 { #expect(askInVain(&answered) == all) }
        var third = RelayExchange(board: kmtronic, channel: 3)
        for _ in 0..<9 { #expect(askInVain(&third) == all) }
    }

    @Test("A wrong answer of a KMTronic board is no silence")
    func kmtronicWrong() {
        var exchange = RelayExchange(board: kmtronic, channel: 1)
        for _ in 0..<9 {
            #expect(exchange.begin(.read)?.bytes == all)
            #expect(throws: RelayFault.illegalState(7)) { try exchange.end([7, 0, 0, 0]) }
        }
    }
}
