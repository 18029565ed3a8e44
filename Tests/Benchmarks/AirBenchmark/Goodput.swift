import BlueZBench
import Deadlines
import PresentationStage
import ReaderService

/// How fast answers come, beside the same bytes over a bare link.
struct Goodput {
    let way: Way
    /// Of the portrait.
    let size: Int
    private let scene: Scene
    /// Bytes of the answer's message.
    private(set) var bytes = 0
    /// Bytes a second.
    private(set) var presented: [Double] = []
    private(set) var raw: [Double] = []

    init(_ way: Way, size: Int) throws {
        self.way = way
        self.size = size
        scene = try way.scene(portrait: size)
    }

    /// Of each pair, in one round.
    var ratios: [Double] { zip(presented, raw).map { $0 / $1 } }

    /// One presentation and one raw echo, in alternating order.
    mutating func measure(round: Int) async throws {
        if bytes == 0 { _ = try await present() }
        if round.isMultiple(of: 2) {
            presented.append(try await present())
            raw.append(try await echo())
        } else {
            raw.append(try await echo())
            presented.append(try await present())
        }
    }

    private mutating func present() async throws -> Double {
        let result = try await scene.present(way.mode, phone: way.phoneOptions)
        guard result.summary == "verified", let time = result.presentation.duration(of: .transfer),
            let count = result.phone.fact("bytes", of: "response").flatMap({ Int($0) })
        else { throw Overdue("an answer: \(result.summary) \(result.phone.lines)") }
        bytes = count
        return Double(count) / time.inSeconds
    }

    private func echo() async throws -> Double {
        Double(bytes) / (try await RawEcho.run(way, bytes: bytes)).inSeconds
    }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}
