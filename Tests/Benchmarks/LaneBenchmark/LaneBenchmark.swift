import Foundation
import Glibc
import PCSCBench

/// Measures what lanes cost each other: two at virtual readers and six on bench links, each alone and all at once. See
/// `Hardware/benchmark`.
///
///     LaneBenchmark [ROUNDS]
@main
enum LaneBenchmark {
    /// How much longer a lane may take for its own part beside seven others.
    private static let limit = 1.1

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let rounds = arguments.first.map { Int($0) } ?? 30
        guard let rounds, rounds > 0, VirtualBench.isHere else {
            print("runs inside Hardware/VirtualBench/with-pcscd: see Hardware/benchmark")
            exit(64)
        }
        let coordinator = try await MeasuredCoordinator()
        // The phones are this process, and their work is not to be measured: they get what is left over.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        try await coordinator.present(at: coordinator.lanes, round: 0)
        var (alone, together) = (Times(), Times())
        for round in 1...rounds {
            // The phones of a kind take turns at being alone.
            for kind in MeasuredCoordinator.Kind.allCases {
                let lanes = coordinator.lanes.filter { $0.kind == kind }
                try await alone.add(coordinator.present(at: [lanes[round % lanes.count]], round: round))
            }
            try await together.add(coordinator.present(at: coordinator.lanes, round: round))
        }
        let kinds = MeasuredCoordinator.Kind.allCases
        let rows = kinds.map { (name: $0.rawValue, alone: alone.median($0), together: together.median($0)) }
        let isMet = rows.allSatisfy { $0.together <= $0.alone * limit }
        var report: [String: Any] = ["rounds": rounds, "limit": limit, "isMet": isMet]
        for row in rows {
            report[row.name] = [
                "aloneMilliseconds": row.alone, "togetherMilliseconds": row.together,
                "ratio": row.together / row.alone,
            ]
        }
        let json = try JSONSerialization.data(
            withJSONObject: report, options: [.prettyPrinted, .sortedKeys])
        print(String(decoding: json, as: UTF8.self))
        exit(isMet ? 0 : 1)
    }
}

/// Own times in milliseconds, by the kind of lane.
private struct Times {
    private var all: [MeasuredCoordinator.Kind: [Double]] = [:]

    mutating func add(_ times: [(MeasuredCoordinator.Kind, Double)]) {
        for (kind, time) in times { all[kind, default: []].append(time) }
    }

    func median(_ kind: MeasuredCoordinator.Kind) -> Double {
        let sorted = (all[kind] ?? []).sorted()
        guard !sorted.isEmpty else { return .nan }
        return (sorted[sorted.count / 2] + sorted[(sorted.count - 1) / 2]) / 2
    }
}
