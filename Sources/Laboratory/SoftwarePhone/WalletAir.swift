package import CommandLineInterface
package import FieldTrace
internal import JSON
internal import MdocModel
internal import MdocSession
package import MdocWallet
internal import NDEF
internal import ReaderService
internal import Reports
package import Transport

/// The software wallet over Bluetooth. It serves readers one after another.
package struct WalletAir {
    private let radio: any BluetoothLERadio
    private let wallet: Wallet
    /// The engagement of the QR code that a phone on a virtual reader shows. Nil if the phone shows no QR
    /// code.
    private let shown: WalletEngagement?
    /// The engagements of a phone on a virtual reader. Nil without such a phone: each reader then gets a new
    /// QR code.
    private let taps: LatestEngagement?
    /// The Bluetooth actions of a replayed phone. Nil for a wallet that acts by itself.
    private let script: AirScript?

    package init(
        radio: any BluetoothLERadio, wallet: Wallet, shown: WalletEngagement? = nil,
        taps: LatestEngagement?, script: AirScript? = nil
    ) {
        self.radio = radio
        self.wallet = wallet
        self.shown = shown
        self.taps = taps
        self.script = script
    }

    /// The maximum time to search for the reader of a tap. After a QR code, the search has no limit, because
    /// the code may be scanned at any time.
    private static let timeout: Duration = .seconds(60)
    /// The pause between two attempts to connect.
    private static let pause: Duration = .milliseconds(500)

    /// Serves this many readers. If `readers` is 0, serves readers until the task is cancelled.
    package func run(readers: Int) async throws(CommandFailure) {
        var number = 1
        while readers == 0 || number <= readers {
            guard let engagement = try await engagement(number) else { return }
            let server = WalletServer(name: "reader \(number)")
            // A reader is counted only after a link was made, so a failed connection leaves the number
            // unchanged.
            if let link = await latestLink(engagement, server) {
                await serve(engagement, over: link, server)
                number += 1
            }
            if Task.isCancelled { return }
        }
    }

    /// Returns the engagement of the next reader. Returns nil if the task was cancelled.
    private func engagement(_ number: Int) async throws(CommandFailure) -> WalletEngagement? {
        // The phone on a virtual reader shows the same QR code to every reader. Without a QR code, each tap
        // makes a new engagement.
        if let taps { return if let shown { shown } else { await taps.next() } }
        do throws(WalletError) {
            let engagement = try wallet.engagement(.qr, number: number, now: .now)
            Terminal.result(engagement.uri)
            return engagement
        } catch {
            throw .unavailable("the wallet cannot make its device engagement: \(error)")
        }
    }

    /// Serves one session over the link, and then ends the link.
    private func serve(
        _ engagement: WalletEngagement, over link: any BluetoothLELink, _ server: WalletServer
    ) async {
        let driver = await LinkDriver(link, as: .holder, settings: BLETransferSettings())
        var session = WalletSession(wallet, engagement: engagement)
        await server.serve(&session, over: LinkChannel(driver: driver))
        // A new task is used, so that the reader is notified even if this task is cancelled.
        await Task { await driver.leave(sending: nil) }.value
    }

    // MARK: The link

    /// Connects to the engagement's reader. Returns nil if the connection fails, or a newer tap replaces the
    /// engagement.
    private func latestLink(
        _ engagement: WalletEngagement, _ server: WalletServer
    ) async -> (any BluetoothLELink)? {
        let attempt = Task { await link(engagement, server) }
        let newer = Task {
            let engagement = await taps?.next()
            if engagement != nil { attempt.cancel() }
            return engagement
        }
        let made = await withTaskCancellationHandler {
            await attempt.value
        } onCancel: {
            attempt.cancel()
        }
        newer.cancel()
        // `newer` may have removed the engagement of a newer tap from `taps`. That engagement is recorded
        // again, so that the next call finds it.
        if let engagement = await newer.value { taps?.record(engagement) }
        return made
    }

    /// Tries to connect again and again. Returns nil after `timeout`, if the task is cancelled, if the
    /// engagement offers no Bluetooth, or if the traced phone made no link.
    private func link(
        _ engagement: WalletEngagement, _ server: WalletServer
    ) async -> (any BluetoothLELink)? {
        guard let reach = engagement.reader else {
            server.note("the engagement has no Bluetooth")
            return nil
        }
        if let script, await !waits(before: script, server) { return nil }
        let deadline = taps == nil ? nil : ContinuousClock.now + Self.timeout
        while !Task.isCancelled, deadline.map({ .now < $0 }) ?? true {
            do throws(BluetoothLEError) {
                let link = try await HolderConnecting(radio: radio, reader: reach).link()
                server.note(
                    link.kind == .server
                        ? "the reader connected to the phone" : "the phone connected to the reader")
                return script?.leavesAfter.map { ReplayLink(link, leavesAfter: $0) } ?? link
            } catch {
                guard error != .cancelled else { break }
                server.note("no connection: \(error.text)")
            }
            try? await Task.sleep(for: Self.pause, clock: .continuous)
        }
        return nil
    }
}

extension WalletAir {
    /// Waits as long as the traced phone did before it connected. Returns false if the phone made no link.
    private func waits(before script: AirScript, _ server: WalletServer) async -> Bool {
        guard let connects = script.connects else {
            server.note("the traced phone made no Bluetooth connection")
            // The phone waits as long as it would search for the reader of a tap. A newer tap cancels the
            // wait.
            try? await Task.sleep(for: Self.timeout, clock: .continuous)
            return false
        }
        try? await Task.sleep(for: connects, clock: .continuous)
        return true
    }
}

extension BluetoothLEError {
    fileprivate var text: String {
        switch self {
        case .radioUnavailable(let fault): fault.advice
        case .connectionFailed(let fault): "the connection failed (\(fault.id.rawValue))"
        case .serviceIncomplete: "the reader's GATT service is incomplete"
        case .notSubscribed: "the reader did not subscribe"
        case .linkLost: "the reader left"
        case .alreadyWaiting: "the radio is in use"
        case .cancelled: "stopped"
        }
    }
}

/// A Bluetooth link as the channel of a session's messages.
private struct LinkChannel: MessageChannel {
    let driver: LinkDriver

    func send(_ message: ArraySlice<UInt8>) async throws(TransportError) {
        do throws(LinkDriver.End) {
            try await driver.send(Array(message))
        } catch {
            throw TransportError(error)
        }
    }

    func receive() async throws(TransportError) -> [UInt8] {
        do throws(LinkDriver.End) {
            return try await driver.receive().message
        } catch {
            throw TransportError(error)
        }
    }

    func close() async { await driver.leave(sending: nil) }
}

extension TransportError {
    fileprivate init(_ end: LinkDriver.End) {
        switch end {
        case .stopped: self = .cancelled
        // For the session it does not matter whether the reader left or the radio failed.
        case .machine, .radioUnavailable: self = .closed(by: .peer)
        }
    }
}
