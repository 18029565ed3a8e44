import Deadlines
import Dispatch
import Glibc
import Synchronization
import Testing
import Transport

@testable import BlueZTransport

extension OneAfterAnother {
    @Suite("A socket of packets")
    struct PacketSocketTests {
        let busQueue: BusQueue
        let queue: DispatchQueue

        init() throws {
            busQueue = try BusQueue(SocketPoller.shared)
            queue = busQueue.queue
        }

        /// A packet socket on `queue`, and the other end.
        private func pair() throws -> (socket: Owned, other: Int32) {
            var ends: [Int32] = [-1, -1]
            let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            try #require(unsafe socketpair(AF_UNIX, type, 0, &ends) == 0)
            return (Owned(PacketSocket(owning: ends[0], longest: 16, queue: busQueue)), ends[1])
        }

        /// What lives on the queue alone.
        final class Owned: @unchecked Sendable {
            var socket: PacketSocket?
            var packets: [[UInt8]] = []
            var isEnded = false
            var room = Int.max
            var written = 0

            init(_ socket: PacketSocket) { self.socket = socket }
        }

        private func start(_ owned: Owned) {
            queue.sync {
                owned.socket?.start(
                    received: { [weak owned] packet in
                        // The test may have ended.
                        guard let owned else { return false }
                        owned.packets.append(packet)
                        return owned.packets.count < owned.room
                    },
                    ended: { [weak owned] in owned?.isEnded = true })
            }
        }

        private func until(_ what: String, _ condition: @escaping @Sendable () -> Bool) async throws {
            try await Deadlines.until(what) { [queue] in queue.sync(execute: condition) }
        }

        private func write(_ descriptor: Int32, _ packet: [UInt8]) {
            #expect(unsafe Glibc.send(descriptor, packet, packet.count, Int32(MSG_NOSIGNAL)) == packet.count)
        }

        @Test("An empty packet is a packet, not the end; the end comes after all that was sent")
        func empty() async throws {
            let (owned, other) = try pair()
            start(owned)
            for packet: [UInt8] in [[1, 2], [], [3]] { write(other, packet) }
            try await until("three packets") { owned.packets.count == 3 }
            #expect(queue.sync { owned.packets } == [[1, 2], [], [3]])
            #expect(queue.sync { !owned.isEnded })
            write(other, [4])
            close(other)
            try await until("the end") { owned.isEnded }
            #expect(queue.sync { owned.packets.last } == [4])
            #expect(queue.sync { owned.socket?.send(.none, [1]) } == .closed)
        }

        @Test("Packets keep their bounds; one that is too long is seen to be")
        func bounds() async throws {
            let (owned, other) = try pair()
            start(owned)
            write(other, [UInt8](repeating: 1, count: 16))
            write(other, [UInt8](repeating: 2, count: 40))
            try await until("two packets") { owned.packets.count == 2 }
            #expect(queue.sync { owned.packets.map(\.count) } == [16, 17])
            close(other)
        }

        @Test("Reading stops when there is no room, and goes on when there is")
        func pause() async throws {
            let (owned, other) = try pair()
            queue.sync { owned.room = 2 }
            start(owned)
            for byte in 0..<6 as Range<UInt8> { write(other, [byte]) }
            try await until("two packets") { owned.packets.count == 2 }
            // Nothing more may come meanwhile, which only time can show.
            try await Task.sleep(for: .milliseconds(50))
            #expect(queue.sync { owned.packets.count } == 2)
            queue.sync {
                owned.room = 4
                owned.socket?.proceed()
            }
            try await until("four packets") { owned.packets.count == 4 }
            queue.sync { owned.socket?.drainAll() }
            #expect(queue.sync { owned.packets.count } == 6, "what has to be delivered is, room or not")
            queue.sync { owned.socket?.close() }
            try await until("the other end's end") {
                var byte: UInt8 = 0
                return unsafe recv(other, &byte, 1, 0) == 0
            }
            close(other)
        }

        @Test("A full socket says so, and calls when there is room, or when it is closed")
        func full() async throws {
            let (owned, other) = try pair()
            start(owned)
            var sent = 0
            while queue.sync(execute: { owned.socket?.send(.byte(1), [2, 3]) }) == .taken { sent += 1 }
            #expect(sent > 10)
            #expect(queue.sync { owned.socket?.send(.byte(1), [2, 3]) } == .full)
            #expect(queue.sync { owned.socket?.isEmptied } == false)
            queue.sync { owned.socket?.whenWritable { owned.written += 1 } }
            // Nothing more may come meanwhile, which only time can show.
            try await Task.sleep(for: .milliseconds(50))
            #expect(queue.sync { owned.written } == 0)
            var packet = [UInt8](repeating: 0, count: 8)
            for _ in 0..<sent { #expect(unsafe recv(other, &packet, 8, 0) == 3) }
            #expect(Array(packet.prefix(3)) == [1, 2, 3])
            try await until("room") { owned.written == 1 }
            #expect(queue.sync { owned.socket?.isEmptied } == true)
            while queue.sync(execute: { owned.socket?.send(.length(9), []) }) == .taken {}
            queue.sync {
                owned.socket?.whenWritable { owned.written += 1 }
                owned.socket?.whenWritable { owned.written += 1 }
                owned.socket?.close()
            }
            #expect(queue.sync { owned.written } == 3)
            #expect(unsafe recv(other, &packet, 8, 0) == 4 && Array(packet.prefix(4)) == [0, 0, 0, 9])
            close(other)
        }

        @Test("However a socket goes, its descriptor is closed, once, and nobody waits for ever")
        func release() async throws {
            let before = openDescriptors()
            for round in 0..<40 {
                let (owned, other) = try pair()
                if round % 2 == 0 { start(owned) }
                queue.sync {
                    if round % 3 == 0 { owned.room = 0 }
                    if round % 5 == 0 { while owned.socket?.send(.none, [1]) == .taken {} }
                    owned.socket?.whenWritable { owned.written += 1 }
                }
                write(other, [1])
                if round % 4 == 0 { queue.sync { owned.socket?.close() } }
                queue.sync { owned.socket = nil }
                try await until("the writer's turn") { owned.written == 1 }
                close(other)
            }
            try await expectOpenDescriptors(atMost: before)
        }
    }
}
