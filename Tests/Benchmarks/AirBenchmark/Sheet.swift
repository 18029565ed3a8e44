import Foundation
import MdocWallet

/// What was measured, in lines for people, and which limits it meets.
struct Sheet {
    let rounds: Int
    private var limits: [(text: String, isMet: Bool)] = []

    init(rounds: Int) {
        self.rounds = rounds
    }

    var isMet: Bool { limits.allSatisfy(\.isMet) }

    func compare(_ guest: Yardstick, with host: Yardstick?) {
        print("The guest computes for \(number(guest.computing)) ms", terminator: "")
        print(" and wakes a thread in \(number(guest.waking)) µs", terminator: "")
        guard let host else { return print() }
        let (computing, waking) = (guest.computing / host.computing, guest.waking / host.waking)
        print(": \(number(computing)) and \(number(waking)) times what this machine takes itself")
    }

    mutating func add(_ rows: [Goodput]) {
        print("\nGoodput of answers, in KB/s, medians of \(rounds) rounds")
        line(["", "presentation", "raw echo", "ratio", "lowest", "highest"])
        for row in rows {
            let name = "\(row.way.rawValue), \(row.size / 1000) KB"
            let ratio = row.ratios.median
            line(
                [name, number(row.presented.median / 1000), number(row.raw.median / 1000), hundredths(ratio)]
                    + [row.ratios.min(), row.ratios.max()].map { hundredths($0 ?? 0) })
            limit("goodput, \(name): ≥ 0.90 of raw", hundredths(ratio), ratio >= 0.9)
        }
    }

    mutating func add(_ rows: [Latency]) {
        print("\nSteps, in ms, medians of \(rounds) rounds: on the air, and by the reader's own clock")
        line(["", "start to", "of a", "", "last chunk", "", "verifi-", "engaged"])
        line(["", "request", "bare link", "own", "to verdict", "own", "cation", "to beacon"])
        for row in rows { add(row) }
    }

    private mutating func add(_ row: Latency) {
        let times = row.times
        let name = "\(row.way.rawValue), \(row.handover.rawValue)"
        let columns = [
            times.startOnAir, times.startOfBareLink, times.start, times.verdictOnAir, times.verdict,
            times.verification,
            times.advertised,
        ]
        line([name] + columns.map { $0.isEmpty ? "" : number($0.median) })
        limit("start to request, \(name): ≤ 10 ms", times.startOnAir.median, 10)
        limit("last chunk to verdict, \(name): ≤ 5 ms and the verification", times.verdictOnAir.median, 5)
        guard let latest = times.advertised.max() else { return }
        if row.handover == .negotiated {
            limit("on the air before the Handover Select, \(name): each time", latest, 0)
        } else {
            limit("engagement to on the air, \(name): ≤ 50 ms", times.advertised.median, 50)
        }
    }

    func judge() {
        print("\nLimits")
        for limit in limits { print(limit.isMet ? "met   " : "missed", limit.text) }
    }

    private mutating func limit(_ text: String, _ value: Double, _ most: Double) {
        limit(text, number(value) + " ms", value <= most)
    }

    private mutating func limit(_ text: String, _ value: String, _ isMet: Bool) {
        limits.append(("\(text): \(value)", isMet))
    }

    private func line(_ cells: [String]) {
        let widths = [28] + cells.dropFirst().map { _ in 12 }
        print(
            zip(cells, widths).map { cell, width in
                let space = String(repeating: " ", count: max(width - cell.count, 0))
                return width == 12 ? space + cell : cell + space
            }.joined())
    }

    private func number(_ value: Double) -> String { String(format: "%.1f", value) }

    private func hundredths(_ value: Double) -> String { String(format: "%.2f", value) }
}

extension [Double] {
    /// Of no values, zero.
    var median: Double {
        guard !isEmpty else { return 0 }
        let ordered = sorted()
        return (ordered[(count - 1) / 2] + ordered[count / 2]) / 2
    }
}
