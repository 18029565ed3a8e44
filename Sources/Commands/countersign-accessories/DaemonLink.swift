internal import Accessories
internal import DaemonClient
internal import JSON
internal import Transport

/// The calls to `countersignd`, over its Unix socket.
///
/// The calls run on two threads, so that no worker of a device waits for the daemon: one thread for outputs, one for
/// states and codes. Each thread makes its calls in their order. A call fails after two seconds without an answer.
///
/// The daemon knows this program by its user, who has the scope `accessory`.
final class DaemonLink: Sendable {
    /// The time to wait for an answer, in seconds: that of a claim, which is worth nothing later.
    private static let timeout = 2

    let path: String
    private let socket: DaemonSocket
    private let outputs = WorkerThread()
    private let others = WorkerThread()

    init(path: String) {
        self.path = path
        socket = DaemonSocket(path: path, timeout: Self.timeout)
    }

    /// Reports the state of an accessory.
    func report(_ state: AccessoryState, of accessory: String) {
        others.perform { [socket] in
            // Without an answer the daemon does not know this program, and gets all states when it does.
            _ = try? socket.call(
                "PUT", "/v1/accessories/\(accessory)/state", body: ["state": .string(state.rawValue)])
        }
    }

    /// Asks the daemon to mark an output as given. After the answer `given` the output may act, once.
    func claim(_ output: DueOutput, answer: @escaping @Sendable (ClaimAnswer) -> Void) {
        outputs.perform { [socket] in
            do throws(DaemonClientError) {
                try Self.send("given", of: output, to: socket)
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
        outputs.perform { [socket] in try? Self.send(end.rawValue, of: output, to: socket) }
    }

    private static func send(
        _ state: String, of output: DueOutput, to socket: DaemonSocket
    ) throws(DaemonClientError) {
        try socket.call(
            "POST", "/v1/accessories/\(output.accessory)/outputs/\(output.number)",
            body: ["state": .string(state)])
    }

    /// Passes a code to a lane: a phone's code, or the reason why the scanned text is none.
    func pass(_ code: ScannedCode, by accessory: String, to lane: String) {
        let word: (String, JSONValue) =
            switch code {
            case .engagement(let engagement): ("uri", .string(engagement.uri()))
            case .fault(let fault): ("fault", .string(fault.rawValue))
            }
        others.perform { [socket] in
            do throws(DaemonClientError) {
                try socket.call(
                    "POST", "/v1/lanes/\(lane)/engagement",
                    body: .object([("accessory", .string(accessory)), word]))
            } catch {
                // The text of a refusal is the daemon's, which contains nothing of the code.
                if case .refused(let why) = error {
                    Journal.write("\(accessory): the daemon refuses a code: \(why)")
                } else {
                    Journal.write("\(accessory): a code is dropped, because countersignd does not answer")
                }
            }
        }
    }

    /// Starts a preset of a lane.
    func ask(_ preset: String, at lane: String, by accessory: String) {
        others.perform { [socket] in
            do throws(DaemonClientError) {
                try socket.call(
                    "POST", "/v1/lanes/\(lane)/presentations", body: ["preset": .string(preset)])
            } catch {
                guard case .refused(let why) = error else { return }
                Journal.write("\(accessory): the daemon refuses a preset: \(why)")
            }
        }
    }
}
