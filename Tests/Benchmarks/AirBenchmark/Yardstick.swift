import Dispatch
import Foundation

/// Two pieces of work that tell how slow a guest is beside its host.
struct Yardstick {
    /// Milliseconds of a fixed computation.
    let computing: Double
    /// Microseconds for one thread to wake another and be woken.
    let waking: Double

    init(computing: Double, waking: Double) {
        self.computing = computing
        self.waking = waking
    }

    /// Measures here, the best of five.
    static func measure() -> Yardstick {
        let computing = (0..<5).map { _ in milliseconds { compute() } }.min() ?? 0
        let rounds = 500
        let waking = (0..<5).map { _ in milliseconds { wake(rounds) } * 1000 / Double(rounds) }.min() ?? 0
        return Yardstick(computing: computing, waking: waking)
    }

    private static func milliseconds(_ body: () -> Void) -> Double {
        ContinuousClock().measure(body).inSeconds * 1000
    }

    /// Calls, allocations and memory, as programs of every day have them.
    private static func compute() {
        var counts: [String: Int] = [:]
        for number in 0..<40_000 { counts["word \(number &* 2_654_435_761 % 1009)", default: 0] += 1 }
        precondition(counts.count == 1009)
    }

    private static func wake(_ rounds: Int) {
        let there = DispatchSemaphore(value: 0)
        let back = DispatchSemaphore(value: 0)
        let thread = Thread {
            for _ in 0..<rounds {
                there.wait()
                back.signal()
            }
        }
        thread.start()
        for _ in 0..<rounds {
            there.signal()
            back.wait()
        }
    }
}
