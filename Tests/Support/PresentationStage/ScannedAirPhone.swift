package import BlueZBench
internal import MdocWallet

/// A customer's phone that shows a QR code, and answers through the air, by another's host stack.
package struct ScannedAirPhone: Sendable {
    /// The text of the code.
    package let uri: String
    private let answering: WalletAirPhone

    package init(of customers: Customers) throws {
        let wallet = customers.presented.wallet
        let engagement = try wallet.engagement(.qr, now: .now)
        uri = engagement.uri
        answering = try WalletAirPhone(wallet) { engagement }
    }

    package var air: AirPhone { answering.air }

    /// What the phone saw, once it has left.
    package func end() async throws -> HolderEnd.Log { try await answering.end() }
}
