import Accessories
import AccessoryDevices
import Deadlines
import Foundation
import Testing

/// The scanner is a gadget of the kernel at a host controller of software, and comes in as `/dev/ttyACM0` (cdc_acm).
@Suite(
    "A serial scanner at USB", .serialized, .enabled(if: ForeignProgram.isThere, ForeignProgram.absence))
struct SerialScannerTests {
    private static let speed = 115_200

    /// Reads until the machine has a code.
    private static func nextCode(
        from line: borrowing SerialLine, _ framing: inout ScanFraming
    ) throws -> ScannedCode {
        while true {
            try waitUntilReadable(line.descriptor)
            let scanned = framing.receive(try line.read()[...], at: MonotonicNow.sinceBoot)
            if let code = scanned.first { return ScannedCode(code) }
        }
    }

    @Test(
        "A code arrives as the scanner sent it, and commands arrive at the scanner",
        arguments: ["cr", "crlf"])
    func code(_ end: String) async throws {
        let sample = try SampleEngagement()
        let scanner = try await ForeignProgram("serial-scanner", [sample.path, "--end", end])
        let line = try SerialLine(path: try #require(scanner.place.first), speed: Self.speed)
        let commands = ScannerCommands(.honeywell)
        try line.write(commands.on)
        #expect(try await scanner.lines("heard", count: 1) == ["heard 16540d"])
        scanner.act()
        var framing = ScanFraming(maker: .honeywell)
        #expect(try Self.nextCode(from: line, &framing).uri == SampleEngagement.uri)
        try line.write(commands.off)
        #expect(try await scanner.lines("heard", count: 2).last == "heard 16550d")
        try await scanner.end()
    }

    @Test("A scanner in use is busy, and is free when it was closed")
    func busy() async throws {
        let sample = try SampleEngagement()
        let scanner = try await ForeignProgram("serial-scanner", [sample.path])
        let path = try #require(scanner.place.first)
        do {
            let line = try SerialLine(path: path, speed: Self.speed)
            #expect(throws: DeviceFault.busy) { _ = try SerialLine(path: path, speed: Self.speed) }
            #expect(try line.read().isEmpty)
        }
        _ = try SerialLine(path: path, speed: Self.speed)
        try await scanner.end()
    }

    @Test("A scanner that is unplugged is absent, and its path leads to the next one that is plugged in")
    func unplugged() async throws {
        let sample = try SampleEngagement()
        let scanner = try await ForeignProgram("serial-scanner", [sample.path])
        let path = try #require(scanner.place.first)
        let line = try SerialLine(path: path, speed: Self.speed)
        try await scanner.end()
        try waitUntilReadable(line.descriptor)
        #expect(throws: DeviceFault.absent) { try line.read() }
        #expect(throws: DeviceFault.absent) { try line.write([0x16, 0x54, 0x0d]) }
        try await until("the end of the link") { !FileManager.default.fileExists(atPath: path) }
        #expect(throws: DeviceFault.absent) { _ = try SerialLine(path: path, speed: Self.speed) }
        let other = try await ForeignProgram("serial-scanner", [sample.path])
        #expect(other.place == [path])
        let next = try SerialLine(path: path, speed: Self.speed)
        other.act()
        var framing = ScanFraming()
        #expect(try Self.nextCode(from: next, &framing).uri == SampleEngagement.uri)
        try await other.end()
    }
}
