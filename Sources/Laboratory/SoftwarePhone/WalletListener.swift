package import CommandLineInterface
internal import JSON
internal import MdocModel
package import MdocWallet
internal import Transport

/// The software wallet at its end of the TCP bench link, for one reader after the other.
package struct WalletListener {
    private let listener: FramedTCPListener
    private let wallet: Wallet
    private let handover: HandoverKind
    /// The phone on the virtual reader, whose taps engage. Without one each reader gets an engagement made for it.
    private let phone: WalletPhone?

    /// Listens at `endpoint`.
    package init(
        at endpoint: EndpointArgument, _ wallet: Wallet, handover: HandoverKind, phone: WalletPhone?
    ) throws(CommandFailure) {
        do throws(TransportError) {
            listener = try FramedTCPListener(on: try endpoint.transportAddress)
        } catch .addressNotLoopback {
            throw .usage("--listen takes only an address of this computer, such as tcp://127.0.0.1:7000")
        } catch {
            throw .unavailable("cannot listen at tcp://\(endpoint.host):\(endpoint.port)")
        }
        self.wallet = wallet
        self.handover = handover
        self.phone = phone
    }

    /// Says where it listens.
    package func announce() {
        Terminal.result("tcp://\(listener.address.host):\(listener.address.port)")
    }

    /// Serves this many readers; with 0 until the task is cancelled.
    package func run(readers: Int) async throws(CommandFailure) {
        var number = 1
        while readers == 0 || number <= readers {
            let known = try engagement(number)
            do throws(TransportError) {
                let channel = try await listener.accept()
                if let engagement = await tapped(known, while: channel) {
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

    /// What the next reader will be engaged with, where that takes no tap; a QR code is shown.
    private func engagement(_ number: Int) throws(CommandFailure) -> WalletEngagement? {
        guard phone == nil else { return phone?.shown }
        do throws(WalletError) {
            let engagement = try wallet.engagement(handover, number: number, now: .now)
            if handover == .qr { Terminal.result(engagement.uri) }
            return engagement
        } catch {
            throw .unavailable("the wallet cannot engage: \(error)")
        }
    }

    /// Waits for the tap; nil when the peer leaves, or speaks, before that.
    private func tapped(_ known: WalletEngagement?, while channel: FramedTCPChannel) async
        -> WalletEngagement?
    {
        guard known == nil, let taps = phone?.taps else { return known }
        return await withTaskGroup(of: WalletEngagement?.self) { group in
            group.addTask { await taps.take() }
            group.addTask {
                _ = try? await channel.receive()
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            // The tap is there for the next peer.
            if first == nil, let late = await group.next() ?? nil { taps.put(late) }
            return first
        }
    }

    private func serve(_ engagement: WalletEngagement, over channel: FramedTCPChannel, number: Int) async {
        let server = WalletServer(name: "reader \(number)")
        do throws(WalletError) {
            var link = try WalletBenchLink(wallet, engaged: engagement)
            await server.serve(&link.session, over: channel, greeting: link.greeting)
        } catch {
            server.note("cannot be greeted")
        }
    }
}
