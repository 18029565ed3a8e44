import BlueZBench
import BlueZTransport
import MdocModel
import MdocWallet
import NDEF
import ReaderService
import Testing
import Transport

/// One presentation on the virtual air: the reader on bluetoothd, a phone with another's host stack, and behind that
/// the scene's wallet.
struct AirStage {
    let scene: Scene
    let phone: AirPhone
    let reader: Task<Presentation, Never>
    private let holder: Task<HolderEnd.Log, any Error>
    private let listener: FramedTCPListener

    /// What came of it.
    struct Result {
        let presentation: Presentation
        let phone: AirPhone
        let holder: HolderEnd.Log
        /// From the outcome until nothing was on the air any more.
        let leaving: Duration
    }

    /// Begins one, with the phone held to `field` unless its QR code is scanned.
    static func begin(
        _ scene: Scene, _ mode: AirPhone.Mode, phone options: [String] = [],
        by retrieval: RetrievalPlan? = nil, deadlines: PresentationDeadlines = .onAir,
        radio: any BluetoothLERadio = BlueZRadio(), at field: ((Phone) async throws -> any ContactlessReader)? = nil
    ) async throws -> AirStage {
        let listener = try FramedTCPListener(on: SocketAddress(host: "127.0.0.1", port: 0))
        let phone = try AirPhone(mode, wallet: listener.address.port, options)
        var plan = retrieval ?? RetrievalPlan()
        if retrieval == nil {
            plan.transport = .bluetoothLE
            plan.mode = mode == .central ? .centralClient : .peripheralServer
        }
        let transaction = try scene.transaction(deadlines: deadlines, retrieval: plan)
        let reader: Task<Presentation, Never>
        let holder: Task<HolderEnd.Log, any Error>
        if scene.handover == .qr {
            let engagement = try scene.wallet.engagement(.qr, now: .now)
            let scanned = try DeviceEngagement(engagement.deviceEngagement[...])
            holder = serving(scene, at: listener) { engagement }
            reader = Task { await transaction.run(scanned: scanned, radio: radio) }
        } else {
            let tapped = try scene.phone()
            holder = serving(scene, at: listener) { try await scene.engagement(of: tapped) }
            let field = try await field?(tapped) ?? Field(tapped)
            reader = Task { await transaction.run(at: field, radio: radio) }
        }
        return AirStage(scene: scene, phone: phone, reader: reader, holder: holder, listener: listener)
    }

    private static func serving(
        _ scene: Scene, at listener: FramedTCPListener,
        _ engagement: @escaping @Sendable () async throws -> WalletEngagement
    ) -> Task<HolderEnd.Log, any Error> {
        Task {
            let channel = try await listener.accept()
            let link = try WalletBenchLink(scene.wallet, engaged: try await engagement())
            return await HolderEnd.serve(link, over: channel)
        }
    }

    /// Waits for the outcome, for the end of everything that is on the air, and for the phone's leaving.
    func end() async throws -> Result {
        let presentation = await reader.value
        let (_, leaving) = await timed { await presentation.left() }
        _ = try? await phone.end(within: .seconds(10))
        await phone.leave()
        await listener.close()
        holder.cancel()
        return Result(
            presentation: presentation, phone: phone, holder: (try? await holder.value) ?? HolderEnd.Log(),
            leaving: leaving)
    }
}

extension Scene {
    /// A phone that has Bluetooth alone.
    static func onAir(
        _ handover: HandoverKind = .qr, _ role: BluetoothLERole = .centralOnly,
        _ proof: Holder.DeviceAuthentication = .signature, portrait: Int = 2400,
        _ change: (inout Wallet) -> Void = { _ in }
    ) throws -> Scene {
        try Scene(presentation(.generic, proof, portrait: portrait), handover: handover) {
            $0.profile.nfcCarrier = nil
            $0.profile.bluetoothRole = role
            change(&$0)
        }
    }

    /// What a tap came to, once the reader has all of it.
    func engagement(of phone: Phone) async throws -> WalletEngagement {
        while !events.all.contains(.engaged) { try await Task.sleep(for: .milliseconds(1)) }
        return try #require(phone.engagement)
    }

    /// One presentation on the air, to its end.
    func present(
        _ mode: AirPhone.Mode, phone options: [String] = [], by retrieval: RetrievalPlan? = nil,
        deadlines: PresentationDeadlines = .onAir, radio: any BluetoothLERadio = BlueZRadio()
    ) async throws -> AirStage.Result {
        try await AirStage.begin(
            self, mode, phone: options, by: retrieval, deadlines: deadlines, radio: radio
        ).end()
    }
}

extension PresentationDeadlines {
    /// Long enough for a phone whose host stack is being loaded.
    static let onAir = ample.with {
        $0.connection = .seconds(60)
        $0.farewell = .seconds(2)
    }
}

extension AirPhone.Mode {
    /// The role of a phone that has this mode alone.
    var role: BluetoothLERole { self == .central ? .centralOnly : .peripheralOnly }
}
