import BlueZBench
import Foundation
import Glibc
import Testing

/// The virtual air itself: what a phone does to it must not change what the next phone finds.
extension OneAfterAnother {
    @Suite("The virtual air", .enabled(if: AirBench.isHere, AirBench.absence))
    struct AirBenchTests {
        @Test("A phone that vanishes while another one is advertised to it takes nobody with it")
        func vanishes() async throws {
            let scanning = try HCISocket()
            let advertising = try HCISocket()
            for phone in [scanning, advertising] { try phone.command(.reset) }
            try scanning.command(.setScanParameters)
            try scanning.command(.enableScan)
            try advertising.command(.setAdvertisingParameters)

            // While it stands still, the air learns of the advertisement first and of the loss after it.
            let air = try #require(
                pid_t(
                    try String(contentsOfFile: "/run/countersign-daemons/btvirt", encoding: .utf8)
                        .trimmingCharacters(in: .whitespacesAndNewlines)))
            try #require(kill(air, SIGSTOP) == 0)
            try advertising.send(.enableAdvertising)
            scanning.leave()
            try #require(kill(air, SIGCONT) == 0)

            try advertising.confirm(.enableAdvertising)
            try advertising.command(.reset)
            advertising.leave()
            try HCISocket().command(.reset)
        }

        /// The flags of an advertisement, and whether a phone that wants general discoverable takes it.
        struct Flags: Sendable, CustomTestStringConvertible {
            let text: String
            let isTaken: Bool

            var testDescription: String { text }

            static let all = [("06", true), ("02", true), ("04", false), ("05", false), ("none", false)]
                .map { Flags(text: $0, isTaken: $1) }
        }

        @Test(
            "Q201 A phone with a strict scanner finds what is general discoverable, and ignores anything else",
            arguments: Flags.all)
        func strictScanner(_ flags: Flags) async throws {
            let strict = try await scanner(
                of: flags, ["--strict-scanner"], says: flags.isTaken ? "found" : "heard")
            #expect(strict.fact("flags", of: "heard") == flags.text)
            #expect(strict.fact("taken", of: "heard") == (flags.isTaken ? "yes" : "no"))
            #expect(strict.lines.contains { $0.hasPrefix("found ") } == flags.isTaken, "\(strict.lines)")

            // The twin: another phone finds all of them.
            _ = try await scanner(of: flags, [], says: "found")
        }

        /// A phone that looks for one with these flags, once it has said that word. What it finds it connects to, and
        /// that one then advertises no more: each has its own.
        private func scanner(
            of flags: Flags, _ options: [String], says word: String
        ) async throws -> AirPhone {
            let uuid = "12345678-9abc-4def-8123-456789abcdef"
            let advertising = try AirPhone(.peripheral, uuid: uuid, ["--flags", flags.text])
            try await advertising.said("advertising")
            let scanning = try AirPhone(
                .central, uuid: uuid, ["--address", "random:F2:C1:22:33:44:66"] + options)
            try await scanning.said(word)
            await scanning.leave()
            await advertising.leave()
            return scanning
        }
    }
}

/// A controller on the virtual air, spoken to in HCI commands (Bluetooth Core 5.3, volume 4, part E).
private final class HCISocket {
    enum Command {
        case reset, setScanParameters, enableScan, setAdvertisingParameters, enableAdvertising

        /// The opcode, and the parameters.
        var content: (UInt16, [UInt8]) {
            switch self {
            case .reset: (0x0C03, [])
            case .setAdvertisingParameters:
                (0x2006, [0x20, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0])
            case .enableAdvertising: (0x200A, [1])
            case .setScanParameters: (0x200B, [0, 0x10, 0, 0x10, 0, 0, 0])
            case .enableScan: (0x200C, [1, 0])
            }
        }
    }

    private var descriptor: Int32

    init() throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
            unsafe path.copyBytes(from: "/tmp/bt-server-le".utf8)
        }
        let status = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0, "nobody is there: \(errno)")
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { leave() }

    func leave() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    func command(_ command: Command) throws {
        try send(command)
        try confirm(command)
    }

    func send(_ command: Command) throws {
        let (opcode, parameters) = command.content
        let packet = [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters
        let sent = unsafe Glibc.send(descriptor, packet, packet.count, Int32(MSG_NOSIGNAL))
        try #require(sent == packet.count, "the air is gone: \(errno)")
    }

    /// Waits for Command Complete with status 0.
    func confirm(_ command: Command) throws {
        var event = [UInt8](repeating: 0, count: 7)
        let received = unsafe recv(descriptor, &event, event.count, Int32(MSG_WAITALL))
        let opcode = command.content.0
        try #require(received == event.count, "the air is gone: \(errno)")
        #expect(event == [4, 0x0E, 4, 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), 0])
    }
}
