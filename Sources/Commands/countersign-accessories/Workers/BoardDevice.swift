internal import Accessories
internal import AccessoryDevices

/// The fault of a command to a contact: of the device, which is then closed, or of the board's reply.
enum BoardFault: Error {
    case device(DeviceFault)
    case reply(RelayFault)
}

/// The device of one or more contacts.
protocol BoardDevice: ~Copyable {
    /// The descriptor that is readable when the device was unplugged; `nil` if the kernel does not tell.
    var descriptor: Int32? { get }
    /// Reads and drops what the device has sent without a request. Throws if the device is gone.
    func drain() throws(DeviceFault)
    /// Sends a command to a contact, and waits for the reply.
    func perform(_ command: RelayCommand, _ exchange: inout RelayExchange) throws(BoardFault) -> RelayAnswer
}

/// Work with the device of a board, whatever kind the device is.
protocol BoardUse {
    associatedtype Value
    mutating func use(_ device: borrowing some BoardDevice & ~Copyable) throws(DeviceFault) -> Value
}

extension RelayBoard {
    /// Opens the device of the board, uses it, and closes it.
    ///
    /// - Parameter channels: the contacts that are used. A board that does not have them is refused.
    func open<Use: BoardUse>(channels: [Int], for work: inout Use) throws(DeviceFault) -> Use.Value {
        switch self {
        case .gpio(let chip, let line, let isActiveLow):
            return try work.use(GPIOBoard(chip: chip, line: line, isActiveLow: isActiveLow))
        case .lcus(let path), .kmtronic(let path):
            return try work.use(SerialBoard(path: path, speed: speed ?? 9600))
        case .modbusRTU(let path, let speed, _, _):
            return try work.use(SerialBoard(path: path, speed: speed))
        case .modbusTCP(let host, let port, _, _): return try work.use(NetworkBoard(host: host, port: port))
        case .usbRelay, .hidRelay: return try work.use(HIDBoard(self, channels: channels))
        }
    }
}

/// A GPIO line of this computer.
struct GPIOBoard: BoardDevice, ~Copyable {
    private let line: GPIOLine

    init(chip: String, line: Int, isActiveLow: Bool) throws(DeviceFault) {
        self.line = try GPIOLine(chip: chip, line: line, isActiveLow: isActiveLow)
    }

    var descriptor: Int32? { nil }

    func drain() throws(DeviceFault) {}

    func perform(_ command: RelayCommand, _ exchange: inout RelayExchange) throws(BoardFault) -> RelayAnswer {
        do throws(DeviceFault) {
            switch command {
            case .on: try line.set(true)
            case .off: try line.set(false)
            case .read, .readSingle: return .state(isOn: try line.isOn())
            }
            return .accepted
        } catch {
            throw .device(error)
        }
    }
}

/// A board at a serial line.
struct SerialBoard: BoardDevice, ~Copyable {
    private let line: SerialLine

    init(path: String, speed: Int) throws(DeviceFault) {
        line = try SerialLine(path: path, speed: speed)
    }

    var descriptor: Int32? { line.descriptor }

    func drain() throws(DeviceFault) { _ = try line.read() }

    func perform(_ command: RelayCommand, _ exchange: inout RelayExchange) throws(BoardFault) -> RelayAnswer {
        try StreamReply.exchange(
            command, &exchange, over: line.descriptor,
            write: { bytes throws(DeviceFault) in try line.write(bytes) },
            read: { () throws(DeviceFault) in try line.read() })
    }
}

/// A board in the network.
struct NetworkBoard: BoardDevice, ~Copyable {
    private let line: StreamLine

    init(host: String, port: UInt16) throws(DeviceFault) {
        line = try StreamLine(host: host, port: port)
    }

    var descriptor: Int32? { line.descriptor }

    func drain() throws(DeviceFault) { _ = try line.read() }

    func perform(_ command: RelayCommand, _ exchange: inout RelayExchange) throws(BoardFault) -> RelayAnswer {
        try StreamReply.exchange(
            command, &exchange, over: line.descriptor,
            write: { bytes throws(DeviceFault) in try line.write(bytes) },
            read: { () throws(DeviceFault) in try line.read() })
    }
}

/// The requests and replies over a stream of bytes.
private enum StreamReply {
    /// The time for a reply.
    private static let limit = Duration.milliseconds(500)

    static func exchange(
        _ command: RelayCommand, _ exchange: inout RelayExchange, over descriptor: Int32,
        write: ([UInt8]) throws(DeviceFault) -> Void, read: () throws(DeviceFault) -> [UInt8]
    ) throws(BoardFault) -> RelayAnswer {
        guard let request = exchange.begin(command) else { throw .reply(.replyUnexpected) }
        var reply: [UInt8] = []
        do throws(DeviceFault) {
            // Bytes that wait belong to an earlier request.
            _ = try read()
            try write(request.bytes)
            let end = MonotonicNow.sinceBoot + limit
            while !exchange.isComplete(reply) {
                let left = end - MonotonicNow.sinceBoot
                guard left > .zero else { break }
                var waiting = WaitSet()
                waiting.add(descriptor)
                _ = try waiting.wait(atMost: left)
                reply += try read()
            }
        } catch {
            throw .device(error)
        }
        do throws(RelayFault) { return try exchange.end(reply) } catch { throw .reply(error) }
    }
}

/// A board at USB that is written and read as HID reports.
struct HIDBoard: BoardDevice, ~Copyable {
    private let device: HIDRawDevice

    /// Opens the board, and checks its product text against the contacts of the configuration.
    init(_ board: RelayBoard, channels: [Int]) throws(DeviceFault) {
        guard let path = try RelayFinder.path(of: board) else { throw .absent }
        let device = try HIDRawDevice(path: path)
        for channel in channels {
            if let fault = board.fault(product: device.product, channel: channel) {
                throw .misconfigured(fault.explanation)
            }
        }
        self.device = device
    }

    var descriptor: Int32? { device.descriptor }

    func drain() throws(DeviceFault) { _ = try device.read() }

    func perform(_ command: RelayCommand, _ exchange: inout RelayExchange) throws(BoardFault) -> RelayAnswer {
        guard let request = exchange.begin(command) else { throw .reply(.replyUnexpected) }
        var reply: [UInt8] = []
        do throws(DeviceFault) {
            if case .hidFeature(let length) = request.transport {
                reply = try device.feature(report: request.bytes.first ?? 0, length: length)
            } else {
                try device.write(request.bytes)
            }
        } catch {
            throw .device(error)
        }
        do throws(RelayFault) { return try exchange.end(reply) } catch { throw .reply(error) }
    }
}
