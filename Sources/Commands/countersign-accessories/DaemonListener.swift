internal import Accessories
internal import DaemonClient
internal import JSON

/// The connection on which the daemon announces accessories, lanes and outputs.
///
/// Without a connection the workers keep their devices, and nothing is given. An output that became due meanwhile is never
/// announced.
struct DaemonListener {
    /// The pause before the next attempt to connect.
    private static let pause = Duration.seconds(1)
    private static let target = "/v1/accessories/events"

    let path: String
    let accessories: RunningAccessories

    /// Listens until the process ends.
    func run() -> Never {
        var faults = RepeatedText()
        while true {
            let fault = listen { for line in faults.end() { Journal.write(line) } }
            accessories.post(.daemonLost)
            for line in faults.record(fault) { Journal.write(line) }
            Pause.sleep(Self.pause)
        }
    }

    /// Listens to one connection, and returns the reason for its end.
    ///
    /// - Parameter connected: called with the first event.
    private func listen(connected: () -> Void) -> String {
        do throws(DaemonClientError) {
            var stream = try DaemonEventStream(at: path, target: Self.target)
            while let event = try stream.next() {
                connected()
                follow(event)
            }
            return "countersignd has ended the connection"
        } catch {
            return switch error {
            case .unreachable: "countersignd does not answer at \(path): start countersignd"
            case .refused(let why):
                "countersignd refuses this program (\(why)): give its user the scope accessory in the member socket.users"
            case .notAnAnswer, .malformed: "the program at \(path) is not countersignd"
            }
        }
    }

    private func follow(_ event: DaemonEvent) {
        do throws(JSONFault) {
            switch try AccessoryEvent(event) {
            case .accessories(let list, let faults):
                for fault in faults { Journal.write("an accessory is left out: \(fault)") }
                accessories.replace(by: list)
            case .lanes(let lanes): accessories.post(.lanes(lanes))
            case .lane(let news): accessories.post(.lane(news))
            case .output(let output): accessories.deliver(output)
            case .attempt(let attempt): accessories.deliver(attempt)
            case nil: break
            }
        } catch {
            Journal.write(
                "an event of countersignd cannot be read: update this program and countersignd together")
        }
    }
}
