import Foundation

/// What btmon recorded of an adapter, as far as the order of a transaction and its security can be seen in it.
package struct AirTrace: Sendable {
    /// A step that is seen on the air, or on its way there.
    package enum Step: Equatable, Sendable {
        case advertising(Bool)
        /// The longest time between two advertisements.
        case advertisementInterval(Duration)
        /// The flags in an advertisement, nil where it has none.
        case advertisementFlags(UInt8?)
        case scanning(Bool)
        /// The reader opens a link with a connection interval in this range, in units of 1.25 ms.
        case connecting(interval: ClosedRange<Int>)
        case connected
        /// The peripheral asks for such an interval.
        case intervalRequest(ClosedRange<Int>, byReader: Bool)
        case disconnected
        /// An ATT_MTU that one side can take.
        case mtu(Int)
        case subscribed
        case unsubscribed
        /// The client read this characteristic (the last byte of its number).
        case read(UInt8)
        /// A value of State.
        case state(UInt8, byReader: Bool)
        /// A part of a message over characteristics.
        case chunk(length: Int, isLast: Bool, byReader: Bool)
        /// A channel was asked for.
        case channel
        /// Data over a channel.
        case channelData(byReader: Bool)
        /// A security manager's packet: its code.
        case security(UInt8)
    }

    package struct Event: Sendable {
        /// Seconds since 1970.
        package let time: Double
        package let step: Step
    }

    package let events: [Event]
    /// The table of the service: for each characteristic the low byte of its handle, and the last of its number.
    package let characteristics: [UInt8]

    /// The trace that `btmon -w` left, of the first adapter.
    package init(file: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        var reader = TraceReader()
        var at = 16
        while at + 24 <= bytes.count {
            let length = Int(bytes.big(at + 4, 4))
            guard at + 24 + length <= bytes.count else { break }
            let time = Double(Int64(bytes.big(at + 16, 8)) - 0x00E0_3AB4_4A67_6000) / 1e6 + 946_684_800
            let packet = bytes[(at + 24)..<(at + 24 + length)]
            if bytes.big(at + 8, 2) == 0 { reader.take(Int(bytes.big(at + 10, 2)), Array(packet), time) }
            at += 24 + length
        }
        events = reader.events
        characteristics = reader.characteristics.sorted { $0.key < $1.key }.flatMap {
            [UInt8($0 & 0xff), $1]
        }
    }

    package var steps: [Step] { events.map(\.step) }

    /// When the first step like this was.
    package func first(where isMeant: (Step) -> Bool) -> Event? { events.first { isMeant($0.step) } }
}

extension [UInt8] {
    fileprivate func big(_ at: Int, _ count: Int) -> UInt64 {
        self[at..<(at + count)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    fileprivate func little(_ at: Int) -> Int { Int(self[at]) | Int(self[at + 1]) << 8 }
}

/// Puts packets together out of the record of Linux's monitor (btsnoop, datalink 2001).
private struct TraceReader {
    var events: [AirTrace.Event] = []
    /// What has come of a packet, by handle and direction.
    private var parts: [Int: [UInt8]] = [:]
    /// The characteristics' value handles, as they were discovered: the last byte of their numbers.
    private(set) var characteristics: [Int: UInt8] = [:]

    private enum Kind { static let command = 2, event = 3, sent = 4, received = 5 }

    mutating func take(_ kind: Int, _ packet: [UInt8], _ time: Double) {
        switch kind {
        case Kind.command where packet.count > 3: command(packet.little(0), Array(packet[3...]), time)
        case Kind.event where packet.count > 2: event(packet[0], Array(packet[2...]), time)
        case Kind.sent, Kind.received: fragment(packet, sent: kind == Kind.sent, time)
        default: break
        }
    }

    private mutating func add(_ step: AirTrace.Step, _ time: Double) {
        events.append(AirTrace.Event(time: time, step: step))
    }

    /// Bluetooth Core, volume 4 part E, 7.8: LE Set (Extended) Advertising Enable, LE Set (Extended) Scan Enable.
    private mutating func command(_ opcode: Int, _ parameters: [UInt8], _ time: Double) {
        switch opcode {
        case 0x200a, 0x2039: add(.advertising(parameters[0] == 1), time)
        // LE Set (Extended) Advertising Parameters, in units of 0.625 ms.
        case 0x2006: add(.advertisementInterval(.microseconds(625 * parameters.little(2))), time)
        case 0x2036:
            let units = parameters.little(6) | Int(parameters[8]) << 16
            add(.advertisementInterval(.microseconds(625 * units)), time)
        // LE Set (Extended) Advertising Data, in one piece.
        case 0x2008: add(.advertisementFlags(flags(in: parameters.dropFirst())), time)
        case 0x2037: add(.advertisementFlags(flags(in: parameters.dropFirst(4))), time)
        // LE (Extended) Create Connection, at the first PHY.
        case 0x200d: add(.connecting(interval: interval(in: parameters, at: 13)), time)
        case 0x2043: add(.connecting(interval: interval(in: parameters, at: 14)), time)
        case 0x200c, 0x2042: add(.scanning(parameters[0] == 1), time)
        default: break
        }
    }

    private func interval(in parameters: [UInt8], at index: Int) -> ClosedRange<Int> {
        let shortest = parameters.little(index)
        return shortest...max(shortest, parameters.little(index + 2))
    }

    /// Core Specification Supplement, part A, 1.3: the value of the AD structure with type 01.
    private func flags(in data: ArraySlice<UInt8>) -> UInt8? {
        var rest = data
        while let length = rest.popFirst(), length > 1, Int(length) <= rest.count {
            if rest.first == 0x01 { return rest.dropFirst().first }
            rest = rest.dropFirst(Int(length))
        }
        return nil
    }

    private mutating func event(_ code: UInt8, _ parameters: [UInt8], _ time: Double) {
        switch code {
        case 0x05: add(.disconnected, time)
        // LE Connection Complete, and its enhanced form, when they succeeded.
        case 0x3e where [0x01, 0x0a].contains(parameters[0]) && parameters.count > 1 && parameters[1] == 0:
            add(.connected, time)
        default: break
        }
    }

    /// Volume 4 part E, 5.4.2, and volume 3 part A, 3.1: ACL data, and the L2CAP packet in it.
    private mutating func fragment(_ packet: [UInt8], sent: Bool, _ time: Double) {
        guard packet.count > 4 else { return }
        let handle = packet.little(0)
        let key = handle & 0xfff | (sent ? 0x1000 : 0)
        let begins = handle >> 12 & 3 != 1
        parts[key] = begins ? Array(packet[4...]) : (parts[key] ?? []) + packet[4...]
        guard let whole = parts[key], whole.count >= 4, whole.count >= 4 + whole.little(0) else { return }
        parts[key] = nil
        let payload = Array(whole[4...])
        switch whole.little(2) {
        case 4: attribute(payload, sent: sent, time)
        // Connection Parameter Update Request: volume 3 part A, 4.20.
        case 5 where payload[0] == 0x12:
            add(.intervalRequest(interval(in: payload, at: 4), byReader: sent), time)
        case 5 where [0x14, 0x17].contains(payload[0]): add(.channel, time)
        case 5: break
        case 6: add(.security(payload[0]), time)
        default: add(.channelData(byReader: sent), time)
        }
    }

    /// Volume 3 part F, 3.4: what matters of ATT.
    private mutating func attribute(_ unit: [UInt8], sent: Bool, _ time: Double) {
        switch unit[0] {
        case 0x02, 0x03: add(.mtu(unit.little(1)), time)
        case 0x09 where unit[1] == 21: discovered(unit)
        case 0x0a: characteristics[unit.little(1)].map { add(.read($0), time) }
        case 0x12, 0x52, 0x1b: value(unit, sent: sent, time)
        default: break
        }
    }

    /// Characteristics with UUIDs of 128 bits: handle, properties, value handle, UUID in little-endian.
    private mutating func discovered(_ unit: [UInt8]) {
        for start in stride(from: 2, through: unit.count - 21, by: 21) {
            characteristics[unit.little(start + 3)] = unit[start + 17]
        }
    }

    private mutating func value(_ unit: [UInt8], sent: Bool, _ time: Double) {
        let value = unit.dropFirst(3)
        guard let first = value.first else { return }
        switch characteristics[unit.little(1)] {
        case 0x01, 0x05: add(.state(first, byReader: sent), time)
        case 0x02, 0x03, 0x06, 0x07:
            add(.chunk(length: value.count, isLast: first == 0, byReader: sent), time)
        case nil where unit[0] == 0x12 && value.count == 2:
            add(first == 0 ? .unsubscribed : .subscribed, time)
        default: break
        }
    }
}
