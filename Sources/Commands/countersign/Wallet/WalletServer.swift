internal import MdocModel
internal import MdocSession
internal import MdocWallet
internal import Transport

/// The software wallet at its end of one bench link.
struct WalletServer {
    let wallet: Wallet
    let handover: HandoverKind
    /// Counts the readers, each of which gets an engagement of its own.
    let number: Int

    /// Plays the phone until the session or the link ends. What goes wrong with this reader ends it, not the wallet.
    func serve(_ channel: FramedTCPChannel) async {
        do {
            var link = try WalletBenchLink(wallet, handover: handover, number: number, now: .now)
            try await channel.send(link.greeting)
            try await answer(&link, over: channel)
            note(link.readerStatus.map { "ended by the reader, status \($0.rawValue)" } ?? "done")
        } catch {
            note("the link ended early")
        }
        await channel.close()
    }

    private func answer(
        _ link: inout WalletBenchLink, over channel: FramedTCPChannel
    ) async throws(TransportError) {
        var message = try await channel.receive()
        while true {
            switch link.receive(message[...]) {
            case .end: return
            case .send(let answer, let delay):
                if let next = try await nextMessage(on: channel, within: delay) {
                    message = next
                    continue
                }
                try await channel.send(answer)
                note("answered")
            case .sendLast(let answer, let delay):
                if let next = try await nextMessage(on: channel, within: delay) {
                    message = next
                    continue
                }
                return try await channel.send(answer)
            }
            message = try await channel.receive()
        }
    }

    /// What the reader says while the person still decides; nil when it waits.
    private func nextMessage(
        on channel: FramedTCPChannel, within delay: Duration
    ) async throws(TransportError) -> [UInt8]? {
        guard delay > .zero else { return nil }
        let receiving = Task { () -> Result<[UInt8], TransportError> in
            do throws(TransportError) {
                return .success(try await channel.receive())
            } catch {
                return .failure(error)
            }
        }
        let timer = Task {
            try await Task.sleep(for: delay, clock: .continuous)
            receiving.cancel()
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await receiving.value
        } onCancel: {
            receiving.cancel()
        }
        do throws(TransportError) {
            return try result.get()
        } catch .cancelled where !Task.isCancelled {
            return nil
        }
    }

    private func note(_ text: String) {
        Terminal.note("reader \(number): \(text)")
    }
}
