internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocWallet
internal import Transport

/// The software wallet in one session with one reader, over whatever carries its messages.
struct WalletServer {
    /// The reader's name in what is said of it.
    let name: String

    /// Plays the phone until the session or the channel ends. What goes wrong with this reader ends it, not the
    /// wallet.
    func serve(
        _ session: inout WalletSession, over channel: some MessageChannel, greeting: [UInt8]? = nil
    ) async {
        do throws(TransportError) {
            if let greeting { try await channel.send(greeting) }
            try await answer(&session, over: channel)
            note(session.readerStatus.map { "ended by the reader, status \($0.rawValue)" } ?? "done")
        } catch {
            note("the link ended early")
        }
    }

    private func answer(
        _ session: inout WalletSession, over channel: some MessageChannel
    ) async throws(TransportError) {
        var message = try await channel.receive()
        while true {
            let reply = session.receive(message[...])
            if let shown = session.readerShown { note(shown.text) }
            if reply != .end { remarks(on: session.deviceRequest).forEach(note) }
            switch reply {
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

    /// What the request asks that is worth a line.
    private func remarks(on request: [UInt8]?) -> [String] {
        request.flatMap { try? DeviceRequest($0[...]) }?.remarks ?? []
    }

    /// What the reader says while the person still decides; nil when it waits.
    private func nextMessage(
        on channel: some MessageChannel, within delay: Duration
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

    func note(_ text: String) {
        Terminal.note("\(name): \(text)")
    }
}

extension ReaderShown {
    fileprivate var text: String {
        switch self {
        case .authenticated(let subject): "the reader is authenticated: \(Terminal.safe(subject))"
        case .notAuthenticated(let finding): "the reader is not authenticated: \(finding.text)"
        }
    }
}

extension ReaderTrust.Finding {
    fileprivate var text: String {
        switch self {
        case .unsigned: "its request is not signed"
        case .signatureWrong: "its signature is wrong"
        case .chainWrong: "its certificates do not sign one another"
        case .rootSent: "it sent its root"
        case .unknownReader: "no root of --reader-roots or --reader-list certified it"
        case .trusted: "its certificate has no subject"
        }
    }
}
