import BlueZBench
import BlueZTransport
import Foundation
import MdocWallet
import PresentationStage

/// Measures retrieval over Bluetooth in the guest of `Hardware/VirtualBench/with-bluez`; see `Hardware/benchmark`.
///
///     AirBenchmark ROUNDS [COMPUTING WAKING]     the host's yardstick, where it is known
///     AirBenchmark yardstick                     measures that, here
@main
enum AirBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "yardstick" {
            let here = Yardstick.measure()
            return print(here.computing, here.waking)
        }
        guard AirBench.isHere, let rounds = arguments.first.flatMap({ Int($0) }), rounds > 0 else {
            print("runs inside Hardware/VirtualBench/with-bluez: see Hardware/benchmark")
            exit(64)
        }
        let numbers = arguments.dropFirst().compactMap { Double($0) }
        let host = numbers.count == 2 ? Yardstick(computing: numbers[0], waking: numbers[1]) : nil
        var sheet = Sheet(rounds: rounds)
        sheet.compare(Yardstick.measure(), with: host)
        try await AirPhone.prepare()
        try await BlueZRadio.onBench.prepare()
        sheet.add(try await goodputs(rounds))
        sheet.add(try await latencies(rounds))
        sheet.judge()
        exit(sheet.isMet ? 0 : 1)
    }

    private static func goodputs(_ rounds: Int) async throws -> [Goodput] {
        var rows = try Way.allCases.flatMap { way in
            try [25_000, 90_000].map { try Goodput(way, size: $0) }
        }
        for round in 0..<rounds {
            for row in rows.indices { try await rows[row].measure(round: round) }
        }
        return rows
    }

    private static func latencies(_ rounds: Int) async throws -> [Latency] {
        var rows = [
            Latency(.centralClient, .negotiated), Latency(.centralClient, .static),
            Latency(.centralClient, .qr), Latency(.peripheralServer, .qr),
        ]
        for round in 0..<rounds {
            for row in rows.indices { try await rows[row].measure(round: round) }
        }
        return rows
    }
}
