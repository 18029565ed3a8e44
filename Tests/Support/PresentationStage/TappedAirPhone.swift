package import BlueZBench
internal import Deadlines
internal import MdocWallet
internal import NDEF

/// A customer's phone that is tapped at a reader, and answers through the air, by another's host stack.
package struct TappedAirPhone: Sendable {
    package let phone: Phone
    private let answering: WalletAirPhone

    package init(of customers: Customers) throws {
        let phone = try customers.phone()
        self.phone = phone
        answering = try WalletAirPhone(customers.presented.wallet) {
            try await awaited("a tap", within: .seconds(3600), every: .milliseconds(1)) { phone.engagement }
        }
    }

    package var air: AirPhone { answering.air }

    /// What the phone saw, once it has left.
    package func end() async throws -> HolderEnd.Log { try await answering.end() }
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
