import BlueZBench
import BlueZTransport
import Deadlines
import Foundation
import MdocWallet
import PresentationStage
import ReaderService

/// What a presentation's steps take, by a trace of the air and by the reader's own clock.
struct Latency {
    let way: Way
    let handover: HandoverKind
    private let scene: @Sendable () throws -> Scene

    /// In milliseconds, one a round.
    struct Times {
        /// From State 01 on the air to the request's first chunk there.
        var startOnAir: [Double] = []
        /// The same of a bare link, which has its request ready.
        var startOfBareLink: [Double] = []
        /// From the started link to the chunk in its socket.
        var start: [Double] = []
        /// From the answer's last chunk on the air to the verdict, without the verification.
        var verdictOnAir: [Double] = []
        /// From the last chunk's delivery by the link.
        var verdict: [Double] = []
        var verification: [Double] = []
        /// From the engagement to our advertisement; negative: it was there before.
        var advertised: [Double] = []
    }

    private(set) var times = Times()

    init(_ way: Way, _ handover: HandoverKind) {
        self.way = way
        self.handover = handover
        scene = { try way.scene(handover, portrait: 25_000) }
    }

    mutating func measure(round: Int) async throws {
        let scene = try scene()
        let radio = StopwatchRadio(radio: BlueZRadio.onBench)
        var ends: (result: AirStage.Result, verdict: Double)?
        let trace = try await AirBench.tracing("latency-\(way.mode)-\(handover.rawValue)") {
            let stage = try await AirStage.begin(scene, way.mode, phone: way.phoneOptions, radio: radio)
            _ = await stage.reader.value
            let verdict = Date().timeIntervalSince1970
            ends = (try await stage.end(), verdict)
        }
        guard let (result, verdict) = ends, result.summary == "verified",
            let verification = result.presentation.duration(of: .verification)
        else { throw Overdue("a verdict: \(ends?.result.summary ?? "")") }
        try note(trace, radio.marks, verdict - verification.inSeconds)
        times.verification.append(verification.inSeconds * 1000)
        try await measureBareLink()
        guard way == .centralClient else { return }
        // The phone has a Handover Select when it has read its last byte.
        let engaged =
            handover == .negotiated ? result.tapped?.log.engaged : scene.events.time(of: .engaged)
        guard let engaged, let advertised = advertising(trace, engaged) else { throw Overdue("a beacon") }
        times.advertised.append((advertised - engaged) * 1000)
    }

    /// In negotiated handover the first, or else the first after the engagement: the one with the phone's UUID.
    private func advertising(_ trace: AirTrace, _ engaged: Double) -> Double? {
        trace.events.first {
            $0.step == .advertising(true) && (handover == .negotiated || $0.time >= engaged)
        }?.time
    }

    private mutating func note(_ trace: AirTrace, _ marks: Marks, _ verdict: Double) throws {
        guard let start = startToRequest(trace),
            let last = trace.first(where: {
                if case .chunk(_, isLast: true, byReader: false) = $0 { true } else { false }
            }),
            let started = marks[.started], let sent = marks[.firstSent], let received = marks[.lastReceived]
        else { throw Overdue("a step in \(trace.steps)") }
        times.startOnAir.append(start)
        times.start.append((sent - started) * 1000)
        times.verdictOnAir.append((verdict - last.time) * 1000)
        times.verdict.append((verdict - received) * 1000)
    }

    private func startToRequest(_ trace: AirTrace) -> Double? {
        guard let start = trace.first(where: { if case .state(1, _) = $0 { true } else { false } }),
            let request = trace.first(where: {
                if case .chunk(_, _, byReader: true) = $0 { true } else { false }
            })
        else { return nil }
        return (request.time - start.time) * 1000
    }

    private mutating func measureBareLink() async throws {
        let trace = try await AirBench.tracing("latency-\(way.mode)-bare") {
            try await RawEcho.run(way, bytes: 400)
        }
        guard let time = startToRequest(trace) else { throw Overdue("a start in \(trace.steps)") }
        times.startOfBareLink.append(time)
    }
}
