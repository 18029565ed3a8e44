import Glibc
import Synchronization
import Testing
import Transport

@testable import BlueZTransport

/// The channel itself needs a kernel with Bluetooth: that it opens is shown on the bench. Here the system has none.
extension OneAfterAnother.PeerConnectingTests {
    /// A phone with a characteristic that names a channel, and what bluetoothd says when that is read.
    private static func naming(
        _ reading: @escaping @Sendable (FakeBluetoothd, _ device: String) -> FakeBluetoothd.Reply
    ) -> @Sendable (FakeBluetoothd, String, String) -> FakeBluetoothd.Reply? {
        { bluetoothd, method, path in
            switch method {
            case "StartDiscovery":
                bluetoothd.show("dev_1", uuid: service.uuid)
                return nil
            case "Connect":
                bluetoothd.connect(path)
                bluetoothd.addService(service, to: path, with: [.psm])
                bluetoothd.resolve(path)
                return .values([])
            case "ReadValue": return reading(bluetoothd, device)
            default: return nil
            }
        }
    }

    /// The steps with the phone, from the connection on.
    private static func steps(of bluetoothd: FakeBluetoothd) -> [String] {
        Array(bluetoothd.calls.drop { !$0.hasPrefix("Connect") }).filter { !$0.hasSuffix("hci0") }
    }

    private static let subscribing = [
        "AcquireNotify serverToClient", "AcquireNotify state", "AcquireWrite clientToServer",
        "AcquireWrite state",
    ]

    @Test("Q61 A channel that does not open leaves the characteristics to serve, on the same connection")
    func notOpened() async throws {
        try await with(Self.naming { _, _ in .values([.bytes([0, 0, 0, 0x85])]) }) { radio, bluetoothd in
            let named = Mutex<[UInt8]?>(nil)
            let link = try await radio.connect(to: Self.service) { bytes in
                named.withLock { $0 = bytes }
                return 0x85
            }
            #expect(named.withLock { $0 } == [0, 0, 0, 0x85])
            #expect(link.kind == .client)
            #expect(attempts(link) == 1)
            #expect(
                Self.steps(of: bluetoothd) == ["Connect dev_1", "ReadValue psm"] + Self.subscribing,
                "read before anything is subscribed to")
            try await link.signal(1)
            var byte: UInt8 = 0
            #expect(unsafe recv(bluetoothd.socket("AcquireWrite state"), &byte, 1, 0) == 1 && byte == 1)
            await link.close()
            #expect(bluetoothd.count("RemoveDevice") == 1)
        }
    }

    @Test("Q85 Channels that do not open leave no descriptor open")
    func notOpenedWithoutLeak() async throws {
        try await with(Self.naming { _, _ in .values([.bytes([0x85, 0])]) }) { radio, bluetoothd in
            var before = 0
            for turn in 0..<5 {
                await (try radio.connect(to: Self.service) { _ in 0x85 }).close()
                bluetoothd.closeSockets()
                if turn == 0 { before = openDescriptors() }
            }
            try await expectOpenDescriptors(atMost: before)
        }
    }

    @Test("Q61 The characteristic is not even read where no channel is wanted")
    func notWanted() async throws {
        try await with(Self.naming { _, _ in .values([.bytes([0, 0, 0, 0x85])]) }) { radio, bluetoothd in
            let link = try await radio.connect(to: Self.service)
            #expect(Self.steps(of: bluetoothd) == ["Connect dev_1"] + Self.subscribing)
            await link.close()
        }
    }

    @Test(
        "Q61 Q65 A characteristic that cannot be read, or names nothing that is wanted, leaves the others to serve",
        arguments: [nil, []] as [[UInt8]?])
    func notNamed(_ value: [UInt8]?) async throws {
        let reply = Self.naming { _, _ in
            value.map { .values([.bytes($0)]) } ?? .error("org.bluez.Error.NotPermitted")
        }
        try await with(reply) { radio, bluetoothd in
            let link = try await radio.connect(to: Self.service) { $0.isEmpty ? nil : 0x85 }
            #expect(link.kind == .client)
            #expect(bluetoothd.count("Connect") == 1)
            #expect(Self.steps(of: bluetoothd).suffix(4) == Self.subscribing[...])
            await link.close()
        }
    }

    @Test("Q82 A phone that leaves while its characteristic is read is looked for again")
    func leavesWhileRead() async throws {
        let failures = Mutex(1)
        let reply = Self.naming { bluetoothd, device in
            let isLeaving = failures.withLock {
                $0 -= 1
                return $0 >= 0
            }
            guard isLeaving else { return .values([.bytes([0, 0, 0, 0x85])]) }
            bluetoothd.change(device, "org.bluez.Device1", ["Connected": .boolean(false)])
            return .error("org.bluez.Error.Failed")
        }
        try await with(reply) { radio, bluetoothd in
            let link = try await radio.connect(to: Self.service) { _ in 0x85 }
            #expect(attempts(link) == 2)
            #expect(bluetoothd.count("RemoveDevice") == 1)
            await link.close()
        }
    }

    @Test("Q85 Cancelled while the characteristic is read, connecting leaves nothing behind")
    func cancelledWhileRead() async throws {
        let connecting = Mutex<Task<any BluetoothLELink, any Error>?>(nil)
        let reply = Self.naming { _, _ in
            connecting.withLock { $0?.cancel() }
            return .values([.bytes([0, 0, 0, 0x85])])
        }
        try await with(reply) { radio, bluetoothd in
            let task = Task { try await radio.connect(to: Self.service) { _ in 0x85 } }
            connecting.withLock { $0 = task }
            await #expect(throws: BluetoothLEError.cancelled) { try await task.value }
            #expect(bluetoothd.count("AcquireNotify") == 0)
            // Once more where the search ends before bluetoothd has said that the peer is gone.
            #expect((1...2).contains(bluetoothd.count("RemoveDevice")))
            #expect(bluetoothd.devices.isEmpty)
            #expect(bluetoothd.count("Connect") == 1, "nobody is reached for a second time")
        }
    }
}
