package import BlueZBench
internal import Deadlines
internal import MdocWallet
internal import NDEF
internal import Transport

/// A customer's phone that is tapped at a reader, and answers through the air, by another's host stack.
package struct TappedAirPhone: Sendable {
    package let phone: Phone
    package let air: AirPhone
    private let listener: FramedTCPListener
    private let holder: Task<HolderEnd.Log, Never>

    package init(of customers: Customers) throws {
        let phone = try customers.phone()
        self.phone = phone
        listener = try FramedTCPListener(on: SocketAddress(host: "127.0.0.1", port: 0))
        air = try AirPhone(.central, wallet: listener.address.port)
        holder = AirStage.serving(customers.presented.wallet, at: listener) {
            try await awaited("a tap", within: .seconds(3600), every: .milliseconds(1)) { phone.engagement }
        }
    }

    /// What the phone saw, once it has left.
    package func end() async throws -> HolderEnd.Log {
        _ = try await air.end()
        await air.leave()
        await listener.close()
        holder.cancel()
        return await holder.value
    }
}

extension Customers {
    /// Those whose phones connect to the reader over Bluetooth.
    package static func withBluetooth() throws -> Customers {
        try Customers {
            $0.profile = .generic
            $0.profile.bluetoothRole = .centralOnly
        }
    }
}
