internal import BlueZBench
internal import MdocWallet
internal import Transport

/// A phone on the air, by another's host stack, and its wallet in this process.
struct WalletAirPhone: Sendable {
    let air: AirPhone
    private let listener: FramedTCPListener
    private let holder: Task<HolderEnd.Log, Never>

    /// - Parameter engagement: returns the engagement that the reader has, once there is one.
    init(_ wallet: Wallet, _ engagement: @escaping @Sendable () async throws -> WalletEngagement) throws {
        listener = try FramedTCPListener(on: SocketAddress(host: "127.0.0.1", port: 0))
        air = try AirPhone(.central, wallet: listener.address.port)
        holder = AirStage.serving(wallet, at: listener, engagement)
    }

    /// What the phone saw, once it has left.
    func end() async throws -> HolderEnd.Log {
        _ = try await air.end()
        await air.leave()
        await listener.close()
        holder.cancel()
        return await holder.value
    }
}
