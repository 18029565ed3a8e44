internal import Foundation
package import MdocModel
internal import MdocSession
package import MdocWallet
internal import ReaderService
internal import Synchronization
package import Transport

/// A phone with a card in it, and what it saw.
package final class Phone: Sendable {
    package struct Log {
        package var commands: [[UInt8]] = []
        package var requests: [[UInt8]] = []
        package var readerStatus: SessionStatus?
        package var taps = 0
        /// When the last byte of the Handover Select was read, in seconds since 1970.
        package var engaged: Double?
    }

    private let card: Mutex<WalletCard>
    private let state = Mutex(Log())

    package init(_ card: consuming WalletCard) {
        self.card = Mutex(card)
    }

    package var log: Log { state.withLock { $0 } }

    /// What the tap came to, once its last byte was read.
    package var engagement: WalletEngagement? { card.withLock { $0.engagement } }

    package func comeIntoField() {
        state.withLock { $0.taps += 1 }
        card.withLock { $0.insert() }
    }

    package func answer(_ command: ArraySlice<UInt8>) -> WalletCard.Answer {
        let now = ContinuousClock.now
        let (answer, request, status, isEngaged) = card.withLock { card in
            (card.answer(command, now: now), card.deviceRequest, card.readerStatus, card.engagement != nil)
        }
        state.withLock { log in
            log.commands.append(Array(command))
            if let request, request != log.requests.last { log.requests.append(request) }
            if let status { log.readerStatus = status }
            if isEngaged, log.engaged == nil { log.engaged = Date().timeIntervalSince1970 }
        }
        return answer
    }
}

extension Phone.Log {
    /// How many commands of this instruction came.
    package func count(of instruction: UInt8) -> Int { commands.count { $0[1] == instruction } }
}

/// A reader's field without a reader: phones come into it one after the other, each when the one before was let go.
package final class Field: ContactlessReader {
    private struct State {
        var coming: [Phone]
        var phone: Phone?
        /// How many cards were handed out.
        var cards = 0
        var stays = 0
        var presentations = 0
    }

    private let state: Mutex<State>
    private let limits: ContactlessLimits

    package init(_ phones: [Phone], _ limits: ContactlessLimits = .extended) {
        state = Mutex(State(coming: phones))
        self.limits = limits
    }

    package convenience init(_ phone: Phone) {
        self.init([phone])
    }

    package var cards: Int { state.withLock { $0.cards } }

    /// One more phone is held to the reader.
    package func tap(_ phone: Phone) {
        state.withLock { $0.coming.append(phone) }
    }

    package func beginPresentation() async {
        state.withLock { $0.presentations += 1 }
    }

    package func nextCard(again pause: Duration?) async throws(ContactlessError) -> any ContactlessCard {
        let again = pause.map { ContinuousClock.now + $0 }
        while true {
            if let (phone, stay) = next(again: again.map { $0 <= .now } ?? false) {
                phone.comeIntoField()
                return CardInField(phone: phone, field: self, limits: limits, stay: stay)
            }
            do { try await Task.sleep(for: .milliseconds(1)) } catch { throw .cancelled }
        }
    }

    /// One that stays is handed out again rather than the next; without `again` it makes room for the next.
    private func next(again: Bool) -> (Phone, stay: Int)? {
        state.withLock { state in
            if let phone = state.phone, again {
                state.cards += 1
                return (phone, state.stays)
            }
            guard !state.coming.isEmpty, !again || state.phone == nil else { return nil }
            let phone = state.coming.removeFirst()
            state.phone = phone
            state.cards += 1
            state.stays += 1
            return (phone, state.stays)
        }
    }

    fileprivate func holds(_ phone: Phone) -> Bool { state.withLock { $0.phone === phone } }

    /// The phone that is there is taken away.
    package func lift() {
        state.withLock { $0.phone = nil }
    }
}

extension ContactlessLimits {
    package static let extended = ContactlessLimits(
        commandData: 4096, responseData: 4096, allowsExtended: true)
    package static let short = ContactlessLimits(
        commandData: 255, responseData: 256, allowsExtended: false)
}

private struct CardInField: ContactlessCard {
    let phone: Phone
    let field: Field
    let limits: ContactlessLimits
    let stay: Int

    func exchange(_ command: ArraySlice<UInt8>) async throws(ContactlessError) -> [UInt8] {
        guard field.holds(phone) else { throw .cardLost }
        switch phone.answer(command) {
        case .respond(let answer): return answer
        case .respondAt(let answer, let instant):
            repeat {
                do { try await Task.sleep(for: .milliseconds(1)) } catch { throw .cancelled }
                guard field.holds(phone) else { throw .cardLost }
            } while ContinuousClock.now < instant
            return answer
        case .remove:
            field.lift()
            throw .cardLost
        }
    }

    func release() async {}
}

/// The phone's end of a bench link over any channel.
package enum HolderEnd {
    package struct Log: Sendable {
        /// Those of one session, in their order.
        package var requests: [[UInt8]] = []
        package var transcript: SessionTranscript?
        package var readerStatus: SessionStatus?

        package init() {}

        package var request: [UInt8]? { requests.last }

        /// Takes note of what the session has seen by now.
        mutating func note(_ session: borrowing WalletSession) {
            if let request = session.deviceRequest, request != requests.last { requests.append(request) }
            transcript = session.transcript
            readerStatus = session.readerStatus
        }
    }

    /// Plays the phone until the link or the session ends; what it saw.
    package static func serve(_ scene: Scene, over channel: any MessageChannel) async throws -> Log {
        await serve(try scene.link(), over: channel)
    }

    /// The same for a link that is there already.
    package static func serve(
        _ link: consuming WalletBenchLink, over channel: any MessageChannel
    ) async -> Log {
        var log = Log()
        do throws(TransportError) {
            try await channel.send(link.greeting)
            while true {
                let reply = link.session.receive(try await channel.receive()[...])
                log.note(link.session)
                switch reply {
                case .send(let message, let delay), .sendLast(let message, let delay):
                    try? await Task.sleep(for: delay)
                    try await channel.send(message)
                case .end:
                    await channel.close()
                    return log
                }
            }
        } catch {
            return log
        }
    }

    /// The same over Bluetooth, for a link that is up and started.
    package static func serve(
        _ wallet: Wallet, _ engagement: WalletEngagement, over link: any BluetoothLELink
    ) async -> Log {
        var log = Log()
        var session = WalletSession(wallet, engagement: engagement)
        let driver = await LinkDriver(link, as: .holder, settings: BLETransferSettings())
        do throws(LinkDriver.End) {
            while true {
                let reply = session.receive(try await driver.receive().message[...])
                log.note(session)
                switch reply {
                case .send(let message, _), .sendLast(let message, _): try await driver.send(message)
                case .end: break
                }
            }
        } catch {
            await link.close()
            return log
        }
    }
}
