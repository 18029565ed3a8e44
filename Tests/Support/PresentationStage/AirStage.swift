package import BlueZBench
package import BlueZTransport
internal import Deadlines
internal import MdocModel
package import MdocWallet
package import NDEF
package import ReaderService
internal import Synchronization
internal import Testing
package import Transport

/// One presentation on the virtual air: the reader on bluetoothd, a phone with another's host stack, and behind that
/// the scene's wallet.
package struct AirStage {
    package let scene: Scene
    package let phone: AirPhone
    package let reader: Task<Presentation, Never>
    /// What was held to the reader, where the phone's QR code was not scanned.
    package let tapped: Phone?
    private let holder: Task<HolderEnd.Log, Never>
    private let listener: FramedTCPListener

    /// What came of it.
    package struct Result {
        package let presentation: Presentation
        package let phone: AirPhone
        package let tapped: Phone?
        package let holder: HolderEnd.Log
        /// From the outcome until nothing was on the air any more.
        package let leaving: Duration

        package var summary: String { presentation.summary }
    }

    /// Begins one, with the phone held to `field` unless its QR code is scanned.
    package static func begin(
        _ scene: Scene, _ mode: AirPhone.Mode, phone options: [String] = [],
        by retrieval: RetrievalPlan? = nil, deadlines: PresentationDeadlines = .onAir,
        radio: any BluetoothLERadio = BlueZRadio.onBench,
        at field: (Phone) async throws -> any ContactlessReader = { Field($0) }
    ) async throws -> AirStage {
        // systemd would have done it if the last phone has ended bluetoothd.
        try await AirBench.control(.start)
        let listener = try FramedTCPListener(on: SocketAddress(host: "127.0.0.1", port: 0))
        let phone = try AirPhone(mode, wallet: listener.address.port, options)
        let transaction = try scene.transaction(
            deadlines: deadlines, retrieval: retrieval ?? .over(mode))
        guard scene.handover == .qr else {
            let tapped = try scene.phone()
            let holder = serving(scene.wallet, at: listener) { try await scene.engagement(of: tapped) }
            let field = try await field(tapped)
            let reader = Task { await transaction.run(at: field, radio: radio) }
            return AirStage(
                scene: scene, phone: phone, reader: reader, tapped: tapped, holder: holder, listener: listener
            )
        }
        let engagement = try scene.wallet.engagement(.qr, now: .now)
        let scanned = try DeviceEngagement(engagement.deviceEngagement[...])
        let holder = serving(scene.wallet, at: listener) { engagement }
        let reader = Task { await transaction.run(scanned: scanned, radio: radio) }
        return AirStage(
            scene: scene, phone: phone, reader: reader, tapped: nil, holder: holder, listener: listener)
    }

    /// The wallet, for every phone that comes; what the last of them saw that had a request.
    package static func serving(
        _ wallet: Wallet, at listener: FramedTCPListener,
        _ engagement: @escaping @Sendable () async throws -> WalletEngagement
    ) -> Task<HolderEnd.Log, Never> {
        Task {
            await withTaskGroup(of: HolderEnd.Log.self) { group in
                while let channel = try? await listener.accept() {
                    group.addTask {
                        guard let engaged = try? await engagement(),
                            let link = try? WalletBenchLink(wallet, engaged: engaged)
                        else { return HolderEnd.Log() }
                        return await HolderEnd.serve(link, over: channel)
                    }
                }
                return await group.reduce(HolderEnd.Log()) { $1.request == nil ? $0 : $1 }
            }
        }
    }

    /// Another phone with the same wallet, as when the person tries again.
    package func again(_ mode: AirPhone.Mode, _ options: [String] = []) throws -> AirPhone {
        try AirPhone(mode, wallet: listener.address.port, options)
    }

    /// Waits until the phone has said a word, or until the presentation is over before that; whether it said it.
    @discardableResult
    package func phoneSaid(_ word: String) async throws -> Bool {
        let isOver = Mutex(false)
        Task {
            _ = await reader.value
            isOver.withLock { $0 = true }
        }
        try await until("a word of the phone", within: .seconds(600)) { [phone] in
            phone.lines.contains { $0.hasPrefix(word + " ") } || isOver.withLock { $0 }
        }
        return phone.lines.contains { $0.hasPrefix(word + " ") }
    }

    /// Waits for the outcome, for the end of everything that is on the air, and for the phone's leaving.
    package func end(phoneWithin timeout: Duration = .seconds(20)) async throws -> Result {
        let presentation = await reader.value
        let (_, leaving) = await timed { await presentation.waitUntilLeft() }
        _ = try? await phone.end(within: timeout)
        await phone.leave()
        await listener.close()
        holder.cancel()
        return Result(
            presentation: presentation, phone: phone, tapped: tapped, holder: await holder.value,
            leaving: leaving)
    }
}

extension BlueZRadio {
    /// The one of the bench's adapter, for all suites: what one leaves behind, the next one meets.
    package static let onBench = BlueZRadio()
}

extension RetrievalPlan {
    /// Bluetooth alone, by this mode where there is a choice.
    package static func over(_ mode: Mode, _ l2cap: L2CAP = .engagement) -> RetrievalPlan {
        var plan = RetrievalPlan()
        plan.transport = .bluetoothLE
        plan.mode = mode
        plan.l2cap = l2cap
        return plan
    }

    package static func over(_ mode: AirPhone.Mode) -> RetrievalPlan {
        over(mode == .central ? .centralClient : .peripheralServer)
    }
}

extension Scene {
    /// A phone that has Bluetooth alone.
    package static func onAir(
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
    package func engagement(of phone: Phone) async throws -> WalletEngagement {
        try await until("an engagement", every: .milliseconds(1)) { [events] in
            events.all.contains(.engaged)
        }
        return try #require(phone.engagement)
    }

    /// One presentation on the air, to its end.
    package func present(
        _ mode: AirPhone.Mode, phone options: [String] = [], by retrieval: RetrievalPlan? = nil,
        deadlines: PresentationDeadlines = .onAir, radio: any BluetoothLERadio = BlueZRadio.onBench
    ) async throws -> AirStage.Result {
        try await AirStage.begin(
            self, mode, phone: options, by: retrieval, deadlines: deadlines, radio: radio
        ).end()
    }
}

extension PresentationDeadlines {
    /// Long enough for a phone whose host stack is being loaded.
    package static let onAir = ample.with {
        $0.connection = .seconds(60)
        $0.termination = .seconds(2)
    }
}

extension AirPhone.Mode {
    /// The role of a phone that has this mode alone.
    package var role: BluetoothLERole { self == .central ? .centralOnly : .peripheralOnly }
}
