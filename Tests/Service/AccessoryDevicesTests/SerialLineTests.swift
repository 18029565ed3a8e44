import Accessories
import AccessoryDevices
import Glibc
import OtherPrograms
import SerialBench
import Testing

@Suite("Serial lines")
struct SerialLineTests {
    private let cable: SerialCable

    init() throws {
        cable = try SerialCable()
    }

    @Test("All 256 bytes pass both ways as they are, and no byte comes back as an echo")
    func raw() async throws {
        let line = try SerialLine(path: cable.path, speed: 115_200)
        let all = [UInt8](0...255)
        try cable.send(all)
        let found = try collected(all.count, from: line.descriptor) { () throws(DeviceFault) in
            try line.read()
        }
        #expect(found == all)
        // An echo of the bytes above would come first.
        try line.write(all.reversed())
        try await cable.expect(all.reversed(), "the bytes of the other side")
    }

    @Test("A read without bytes gives none, and one of many bytes at most as many as were asked for")
    func count() throws {
        let line = try SerialLine(path: cable.path, speed: 9600)
        #expect(try line.read().isEmpty)
        try cable.send([1, 2, 3, 4, 5])
        try waitUntilReadable(line.descriptor)
        #expect(try line.read(upTo: 2).count <= 2)
    }

    @Test("Bytes from before the opening are discarded, later ones are not")
    func discarded() throws {
        try cable.send(Array("old\r".utf8))
        try cable.waitForArrival()
        let line = try SerialLine(path: cable.path, speed: 9600)
        try cable.send(Array("new".utf8))
        let found = try collected(3, from: line.descriptor) { () throws(DeviceFault) in try line.read() }
        #expect(found == Array("new".utf8))
    }

    @Test("A line that is open is busy, and can be opened when it was closed")
    func exclusive() throws {
        let path = cable.path
        do {
            let line = try SerialLine(path: path, speed: 9600)
            #expect(throws: DeviceFault.busy) { _ = try SerialLine(path: path, speed: 9600) }
            #expect(try Self.lockedByAnotherProgram(path) != 0)
            #expect(try line.read().isEmpty)
        }
        #expect(try Self.lockedByAnotherProgram(path) == 0)
        _ = try SerialLine(path: path, speed: 9600)
    }

    /// The exit code of flock(1), which is 0 if that program could open the line and lock it.
    private static func lockedByAnotherProgram(_ path: String) throws -> Int32 {
        try ChildProcess(["flock", "--nonblock", path, "true"]).waitForEnd()
    }

    @Test("A line whose other side has hung up is absent, for reading and for writing")
    func hungUp() throws {
        let line = try SerialLine(path: cable.path, speed: 9600)
        try line.write([1])
        cable.hangUp()
        try waitUntilReadable(line.descriptor)
        #expect(throws: DeviceFault.absent) { try line.read() }
        #expect(throws: DeviceFault.absent) { try line.write([1]) }
    }

    @Test("A line that accepts no more bytes does not answer, and the call ends")
    func full() throws {
        let line = try SerialLine(path: cable.path, speed: 9600)
        let start = MonotonicNow.sinceBoot
        #expect(throws: DeviceFault.notAnswering) { try line.write([UInt8](repeating: 0x55, count: 1 << 20)) }
        #expect(MonotonicNow.sinceBoot - start >= .seconds(1))
    }

    @Test("Each speed of the table opens the line", arguments: SerialLine.speeds)
    func speed(_ speed: Int) throws {
        _ = try SerialLine(path: cable.path, speed: speed)
    }

    @Test("A speed that is not in the table is misconfigured", arguments: [0, -1, 1, 9601, 110, 1_000_000])
    func otherSpeed(_ speed: Int) throws {
        let path = cable.path
        let error = #expect(throws: DeviceFault.self) { _ = try SerialLine(path: path, speed: speed) }
        #expect(error?.state == .misconfigured)
    }

    @Test("The table reaches from 1200 to 921600 bits per second")
    func table() {
        #expect(SerialLine.speeds.first == 1200 && SerialLine.speeds.last == 921_600)
        #expect(SerialLine.speeds.contains(9600) && SerialLine.speeds.contains(115_200))
    }
}
