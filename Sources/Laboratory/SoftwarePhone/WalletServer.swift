package import CommandLineInterface
internal import JSON
internal import MdocModel
package import MdocWallet
internal import Transport

/// The software wallet in one session with one reader, over any channel.
struct WalletServer {
    /// The name of the reader in the notes for the user, such as `reader 1`.
    let name: String

    /// Answers the reader until the session or the channel ends. A fault of this reader ends only this
    /// session.
    ///
    /// - Parameter greeting: the message that the phone sends first, on a bench link. Nil over Bluetooth.
    func serve(
        _ session: inout WalletSession, over channel: some MessageChannel, greeting: [UInt8]? = nil
    ) async {
        do throws(TransportError) {
            if let greeting { try await channel.send(greeting) }
            try await answer(&session, over: channel)
            note(session.readerStatus.map { "ended by the reader, status \($0.rawValue)" } ?? "done")
        } catch {
            note("the connection to the reader ended early")
        }
    }

    /// Receives and answers the reader's messages.
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
                // If the reader sends a message while the person decides, such as the end of the session, the
                // pending answer is dropped and this message is answered instead.
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

    /// Returns notes on unusual parts of a request.
    private func remarks(on request: [UInt8]?) -> [String] {
        request.flatMap { try? DeviceRequest($0[...]) }?.remarks ?? []
    }

    /// Waits while the person decides. Returns the reader's message if one arrives meanwhile, or nil.
    private func nextMessage(
        on channel: some MessageChannel, within delay: Duration
    ) async throws(TransportError) -> [UInt8]? {
        guard delay > .zero else { return nil }
        // A receive has no timeout, so the timer cancels it when the person has decided.
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
            // This task is not cancelled, so the timer cancelled the receive: no message came in time.
            return nil
        }
    }

    func note(_ text: String) {
        Terminal.message("\(name): \(text)")
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
        case .unsigned: "the reader's request is not signed"
        case .signatureWrong: "the reader's signature does not match the request"
        case .chainWrong: "not every certificate in the reader's chain is signed by the next one"
        case .rootSent: "the reader's chain contains the root, which a reader must not send"
        case .unknownReader: "no root in --reader-roots or --reader-list issued the reader's certificate"
        // This text is never shown, because `notAuthenticated` never contains the finding `trusted`.
        case .trusted: "the reader's certificate has no subject"
        }
    }
}

/// The software wallet's end of the bench link. It serves readers one after another.
package struct WalletListener {
    private let listener: FramedTCPListener
    private let wallet: Wallet
    private let handover: HandoverKind
    /// The phone on a virtual reader, which makes an engagement at each tap. Nil without such a phone: each
    /// reader then gets a new engagement.
    private let phone: WalletPhone?

    /// Listens at `endpoint`, which must be an address of this computer.
    package init(
        at endpoint: EndpointArgument, _ wallet: Wallet, handover: HandoverKind, phone: WalletPhone?
    ) throws(CommandFailure) {
        do throws(TransportError) {
            listener = try FramedTCPListener(on: try endpoint.transportAddress)
        } catch .addressNotLoopback {
            throw .usage("--listen accepts only an address of this computer, such as tcp://127.0.0.1:7000")
        } catch {
            throw .unavailable("cannot listen at tcp://\(endpoint.host):\(endpoint.port)")
        }
        self.wallet = wallet
        self.handover = handover
        self.phone = phone
    }

    /// Prints the address of the bench link to standard output.
    package func announce() {
        Terminal.result("tcp://\(listener.address.host):\(listener.address.port)")
    }

    /// Serves this many readers. If `readers` is 0, serves readers until the task is cancelled.
    package func run(readers: Int) async throws(CommandFailure) {
        var number = 1
        while readers == 0 || number <= readers {
            let known = try engagement(number)
            do throws(TransportError) {
                let channel = try await listener.accept()
                // A peer that leaves before the tap does not count as a reader.
                if let engagement = await engagementAfterTap(known, watching: channel) {
                    await serve(engagement, over: channel, number: number)
                    number += 1
                }
                await channel.close()
            } catch .cancelled {
                break
            } catch {
                throw .unavailable("the bench link stopped: its socket reported an error")
            }
        }
        await listener.close()
    }

    /// Returns the engagement for the next reader. Without a phone on a virtual reader, makes the engagement,
    /// and prints the text of its QR code. With such a phone, returns the engagement of the QR code that it
    /// shows, or nil if a tap will make the engagement.
    private func engagement(_ number: Int) throws(CommandFailure) -> WalletEngagement? {
        guard phone == nil else { return phone?.shown }
        do throws(WalletError) {
            let engagement = try wallet.engagement(handover, number: number, now: .now)
            if handover == .qr { Terminal.result(engagement.uri) }
            return engagement
        } catch {
            throw .unavailable("the wallet cannot make its device engagement: \(error)")
        }
    }

    /// Returns the known engagement, or waits for the engagement of the next tap. Returns nil if the peer
    /// closes the connection or sends a message before the tap.
    private func engagementAfterTap(
        _ known: WalletEngagement?, watching channel: FramedTCPChannel
    ) async -> WalletEngagement? {
        guard known == nil, let taps = phone?.taps else { return known }
        return await withTaskGroup(of: WalletEngagement?.self) { group in
            group.addTask { await taps.next() }
            group.addTask {
                // A reader sends nothing before the greeting, so a message or an error ends the wait.
                _ = try? await channel.receive()
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            // If a tap came during the cancellation, its engagement is recorded again for the next peer.
            if first == nil, let late = await group.next() ?? nil { taps.record(late) }
            return first
        }
    }

    /// Sends the greeting, and serves the session of one reader.
    private func serve(_ engagement: WalletEngagement, over channel: FramedTCPChannel, number: Int) async {
        let server = WalletServer(name: "reader \(number)")
        do throws(WalletError) {
            var link = try WalletBenchLink(wallet, engaged: engagement)
            await server.serve(&link.session, over: channel, greeting: link.greeting)
        } catch {
            server.note("the greeting of the bench link cannot be made")
        }
    }
}
