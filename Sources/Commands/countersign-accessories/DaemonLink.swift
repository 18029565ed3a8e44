internal import Accessories
internal import DaemonClient
internal import JSON
internal import Synchronization
internal import Transport

/// The calls to `countersignd`, over its Unix socket.
///
/// The calls run on two threads, so that no worker of a device waits for the daemon: one thread for outputs, one for
/// states and codes. Each thread makes its calls in their order. A call fails after two seconds without an answer.
///
/// The daemon knows this program by its user, who has the scope `accessory`.
final class DaemonLink: Sendable {
    /// The time to wait for an answer, in seconds: that of a claim, which is worth nothing later.
    private static let timeout = Int(ClaimAnswer.limit.components.seconds)

    /// The number of attempts to report the end of an output.
    private static let mostAttempts = 3
    /// The time after which a code is worth nothing: the customer has left or shows it again.
    private static let codeTime = Duration.seconds(2)
    /// The maximum number of codes that wait for the daemon.
    private static let mostCodes = 8

    let path: String
    private let waitingCodes = Atomic(0)
    /// The texts of the journal about codes and presets, by accessory.
    private let texts = Mutex<[String: RepeatedText]>([:])
    private let socket: DaemonSocket
    private let outputs = WorkerThread()
    private let others = WorkerThread()

    init(path: String) {
        self.path = path
        socket = DaemonSocket(path: path, timeout: Self.timeout)
    }

    /// Reports the state of an accessory.
    ///
    /// - Parameter failed: called if the daemon did not answer, after a pause.
    func report(
        _ state: AccessoryState, of accessory: String, failed: @escaping @Sendable () -> Void = {}
    ) {
        others.perform { [socket] in
            do throws(DaemonClientError) {
                try socket.call(
                    "PUT", "/v1/accessories/\(accessory)/state", body: ["state": .string(state.rawValue)])
            } catch {
                // A daemon that refuses has no stream of this program, and gets all states when it has.
                guard case .unreachable = error else { return }
                Pause.sleep(.seconds(1))
                failed()
            }
        }
    }

    /// Asks the daemon to mark an output as given. After the answer `given` the output may act, once.
    func claim(_ output: DueOutput, answer: @escaping @Sendable (ClaimAnswer) -> Void) {
        claim(Step("given", of: output), answer: answer)
    }

    /// Asks the daemon whether a try may close its contact. After the answer `given` it may, once.
    func claim(_ attempt: AccessoryTry, answer: @escaping @Sendable (ClaimAnswer) -> Void) {
        claim(Step("given", of: attempt), answer: answer)
    }

    private func claim(_ step: Step, answer: @escaping @Sendable (ClaimAnswer) -> Void) {
        outputs.perform { [socket] in
            do throws(DaemonClientError) {
                try socket.call("POST", step.target, body: step.body)
                answer(.given)
            } catch {
                // Without an answer the daemon may have marked the output all the same.
                if case .refused = error { answer(.notDue) } else { answer(.failed) }
            }
        }
    }

    /// Reports how an output ended. If the daemon cannot be reached, it settles the output by itself: an output that was
    /// given becomes `unknown`.
    func finish(_ output: DueOutput, as end: OutputEnd) {
        finish(Step(end.rawValue, of: output))
    }

    /// Reports how a try ended. If the daemon cannot be reached, it answers the operator by itself that the end is not
    /// known.
    func finish(_ attempt: AccessoryTry, as result: TryResult) {
        finish(Step(result.kind.rawValue, of: attempt, characters: result.characters))
    }

    private func finish(_ step: Step) {
        outputs.perform { [socket] in
            for _ in 0..<Self.mostAttempts {
                do throws(DaemonClientError) {
                    try socket.call("POST", step.target, body: step.body)
                    return
                } catch {
                    guard case .unreachable = error else { return }
                }
            }
        }
    }

    /// The call that reports a step of an output or of a try.
    private struct Step: Sendable {
        let target: String
        let body: JSONValue

        init(_ state: String, of output: DueOutput) {
            target = "/v1/accessories/\(output.accessory)/outputs/\(output.number)"
            body = ["state": .string(state)]
        }

        init(_ state: String, of attempt: AccessoryTry, characters: Int? = nil) {
            target = "/v1/accessories/\(attempt.accessory)/tries/\(attempt.number)"
            let length = characters.map { [("characters", JSONValue.integer(Int64($0)))] } ?? []
            body = .object([("state", .string(state))] + length)
        }
    }

    /// Passes a code to a lane: a phone's code, or the reason why the scanned text is none.
    func pass(_ code: ScannedCode, by accessory: String, to lane: String) {
        let word: (String, JSONValue) =
            switch code {
            case .engagement(let engagement): ("uri", .string(engagement.uri()))
            case .fault(let fault): ("fault", .string(fault.rawValue))
            }
        guard waitingCodes.load(ordering: .relaxed) < Self.mostCodes else { return }
        waitingCodes.add(1, ordering: .relaxed)
        let scanned = Duration.now
        others.perform { [self] in
            waitingCodes.subtract(1, ordering: .relaxed)
            guard Duration.now - scanned < Self.codeTime else { return }
            do throws(DaemonClientError) {
                try socket.call(
                    "POST", "/v1/lanes/\(lane)/engagement",
                    body: .object([("accessory", .string(accessory)), word]))
                write(texts.withLock { $0[accessory]?.end() ?? [] }, about: accessory)
            } catch {
                // The text of a refusal is the daemon's, which contains nothing of the code.
                if case .refused(let why) = error {
                    record("the daemon refuses a code: \(why)", about: accessory)
                } else {
                    record("a code is dropped, because countersignd does not answer", about: accessory)
                }
            }
        }
    }

    /// Starts a preset of a lane.
    func ask(_ preset: String, at lane: String, by accessory: String) {
        others.perform { [self] in
            do throws(DaemonClientError) {
                try socket.call(
                    "POST", "/v1/lanes/\(lane)/presentations", body: ["preset": .string(preset)])
            } catch {
                guard case .refused(let why) = error else { return }
                record("the daemon refuses a preset: \(why)", about: accessory)
            }
        }
    }

    /// Writes a text about an accessory to the journal. A text that comes again is counted, also if the daemon's time to
    /// wait in it is another.
    private func record(_ text: String, about accessory: String) {
        write(
            texts.withLock { $0[accessory, default: RepeatedText()].record(text) }, about: accessory)
    }

    private func write(_ lines: [String], about accessory: String) {
        for line in lines { Journal.write("\(accessory): \(line)") }
    }
}
