internal import Accessories
internal import AccessoryDevices
internal import MQTTClient
internal import Synchronization

/// A message to the worker of an accessory.
enum WorkerMessage: Sendable {
    /// The daemon has announced an output.
    case output(DueOutput)
    /// The daemon has answered to the claim of an output.
    case claimed(ClaimAnswer, output: Int64)
    /// A message about the operator's try.
    case attempt(TryMessage)
    /// The lanes of the daemon, with their presets.
    case lanes([LaneDescription])
    /// The state of a lane has changed.
    case lane(LaneNews)
    /// The connection to the daemon has ended.
    case daemonLost
    case broker(BrokerEvent)
    /// The daemon has connected again and knows no states: report the state once more.
    case reportAgain
    case stop
}

/// A message about a try of the worker's accessory.
enum TryMessage: Sendable {
    /// The daemon has announced a try.
    case begun(AccessoryTry)
    /// The daemon has answered to the claim of a try.
    case claimed(ClaimAnswer, number: Int64)
}

/// A lane, as the daemon announces it.
struct LaneDescription: Equatable, Sendable {
    let name: String
    /// The names of the lane's presets that ask for no data.
    let presets: [String]
}

/// The state of a lane, as the daemon announces it.
struct LaneNews: Equatable, Sendable {
    let lane: String
    /// The presentation state of the HTTP API, or `idle`.
    let state: String
    /// Whether the lane takes a phone's code now.
    let takesCode: Bool
    /// Whether the standing order of the lane is paused.
    let isPaused: Bool
    /// Whether the reader or an accessory of the lane is not ready.
    let hasProblem: Bool
}

/// The messages for one worker, which waits for them together with its device.
final class Mailbox: Sendable {
    /// The maximum number of waiting messages. A worker that is this far behind hangs in a call to its device, and
    /// loses the oldest messages but `stop`.
    private static let capacity = 512

    private let messages = Mutex<[WorkerMessage]>([])
    private let stopped = Atomic(false)
    private let wakeUp: WakeUp

    /// - Throws: `failed` if the process has no descriptor left.
    init() throws(DeviceFault) {
        wakeUp = try WakeUp()
    }

    /// The descriptor that is readable while a message waits.
    var descriptor: Int32 { wakeUp.descriptor }

    /// Whether `stop` was posted. A worker checks this before it opens its device: the message itself is lost if the
    /// device fails while an earlier message is followed.
    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    func post(_ message: WorkerMessage) {
        if case .stop = message { stopped.store(true, ordering: .releasing) }
        messages.withLock { messages in
            if messages.count == Self.capacity, case .stop = messages[0] {
                messages.remove(at: 1)
            } else if messages.count == Self.capacity {
                messages.removeFirst()
            }
            messages.append(message)
        }
        wakeUp.wake()
    }

    /// Returns the waiting messages, in their order.
    func takeAll() -> [WorkerMessage] {
        wakeUp.clear()
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
