import ISO7816
import MdocSession
import Testing
import Transport

@testable import ReaderService

/// The series of taps as a value: ends of taps and instants in, steps out. The short times are of `PresentationDeadlines`.
@Suite("The taps of a presentation")
struct TapSeriesTests {
    typealias Step = TapSeries.Step

    private let start = ContinuousClock.now
    private let deadlines = PresentationDeadlines()

    private func series(
        hasNFC: Bool = true, version2: RetrievalPlan.NFCVersion2 = .off
    ) -> TapSeries {
        TapSeries(deadlines, hasNFC: hasNFC, version2: version2, now: start)
    }

    /// The last instant before one.
    private func before(_ seconds: Duration) -> ContinuousClock.Instant { start + seconds - .nanoseconds(1) }

    private func wait(
        _ events: [PresentationEvent] = [], until seconds: Duration, again: Duration? = nil
    ) -> Step {
        Step(events: events, next: .wait(until: start + seconds, again: again))
    }

    private func end(_ failure: PresentationFailure, _ events: [PresentationEvent] = []) -> Step {
        Step(events: events, next: .end(failure))
    }

    /// A wallet that failed, and a phone that left, in the engagement.
    private static let failed = NFCEndReason(.selectApplication, .status(.unknownError))
    private static let left = NFCEndReason(.initialMessage, .cardLost)
    private static let mute = NFCEndReason(.selectApplication, .cardMute)
    private static let locked = NFCEndReason(.selectApplication, .noWalletYet)

    // MARK: The deadline

    @Test("Q191 Without a phone the series ends at the deadline of the engagement, and not before")
    func engagement() {
        var taps = series()
        #expect(taps.start == wait([.armed], until: .seconds(120)))
        #expect(taps.receive(.cancelled, now: before(.seconds(120))) == wait(until: .seconds(120)))
        let now = start + .seconds(120)
        #expect(taps.receive(.cancelled, now: now) == end(.engagementOverdue(lastTap: nil)))
    }

    @Test("Q5 A tap that broke off leaves 30 s for the next, and shortens no wait")
    func nextTap() {
        var early = series()
        #expect(
            early.receive(.broken(Self.left), stay: 1, now: start + .seconds(80))
                == wait([.tapAgain(Self.left)], until: .seconds(120), again: .milliseconds(700)))
        var late = series()
        #expect(
            late.receive(.broken(Self.left), stay: 1, now: start + .seconds(100))
                == wait([.tapAgain(Self.left)], until: .seconds(130), again: .milliseconds(700)))
        #expect(
            late.receive(.cancelled, now: before(.seconds(130)))
                == wait(until: .seconds(130), again: .milliseconds(700)))
        #expect(
            late.receive(.cancelled, now: start + .seconds(130))
                == end(.engagementOverdue(lastTap: Self.left)))
    }

    @Test("A link that broke in the data transfer is the reason once no further tap came")
    func linkLost() {
        var taps = series()
        _ = taps.receive(.broken(NFCEndReason(.receiveMessage, .cardLost)), stay: 1, now: start)
        #expect(taps.receive(.cancelled, now: start + .seconds(120)) == end(.linkLost))
    }

    @Test("A tap that another tap would not help ends the series at once")
    func failure() {
        var taps = series()
        #expect(
            taps.receive(.failed(.consentOverdue), stay: 1, now: start + .seconds(1)) == end(.consentOverdue))
    }

    @Test("Taps that break off end the series at the twentieth, and not at the one before")
    func mostTaps() {
        var taps = series()
        var now = start
        for stay in 1..<TapSeries.mostTaps {
            now += .seconds(20)
            guard case .wait = taps.receive(.broken(Self.left), stay: stay, now: now).next else {
                Issue.record("over at tap \(stay)")
                return
            }
        }
        #expect(
            taps.receive(.broken(Self.left), stay: TapSeries.mostTaps, now: now + .seconds(20))
                == end(.engagementOverdue(lastTap: Self.left)))
    }

    // MARK: The reader

    @Test("A phone that left before it could be read ends no wait before its time")
    func cardLost() {
        var taps = series()
        #expect(taps.receive(.cardLost, now: before(.seconds(120))) == wait(until: .seconds(120)))
        let now = start + .seconds(120)
        #expect(taps.receive(.cardLost, now: now) == end(.engagementOverdue(lastTap: nil)))
    }

    @Test("A reader that is lost ends the series at once")
    func readerLost() {
        var taps = series()
        #expect(
            taps.receive(.readerUnavailable(.noReader), now: start + .seconds(1))
                == end(.readerUnavailable(.noReader)))
    }

    @Test("Q212 A reader that hangs is waited for, and is the reason once the time is over")
    func readerBlocked() {
        var taps = series()
        #expect(
            taps.receive(.readerUnavailable(.readerBlocked), now: before(.seconds(120)))
                == wait([.readerSilent], until: .seconds(120)))
        #expect(
            taps.receive(.readerUnavailable(.readerBlocked), now: start + .seconds(120))
                == end(.readerUnavailable(.readerBlocked)))
    }

    // MARK: A phone that stays

    @Test("Q202 A phone that stays is tried again after 0.7 s, and has to be lifted after the fourth try")
    func tries() {
        var taps = series()
        for milliseconds in [0, 700, 1400] {
            #expect(
                taps.receive(.broken(Self.failed), stay: 1, now: start + .milliseconds(milliseconds))
                    == wait(until: .seconds(3), again: .milliseconds(700)))
        }
        #expect(
            taps.receive(.broken(Self.failed), stay: 1, now: start + .milliseconds(2100))
                == wait([.liftAndTapAgain(Self.failed)], until: .seconds(120)))
        #expect(
            taps.receive(.broken(Self.failed), stay: 1, now: start + .seconds(110))
                == wait(until: .seconds(120)))
    }

    @Test("Q202 A phone that stays is tried for 3 s, and then has to be lifted")
    func timeForTries() {
        var taps = series()
        _ = taps.receive(.broken(Self.failed), stay: 1, now: start)
        var late = taps
        #expect(
            taps.receive(.broken(Self.failed), stay: 1, now: before(.seconds(3)))
                == wait(until: .seconds(3), again: .milliseconds(700)))
        #expect(
            late.receive(.broken(Self.failed), stay: 1, now: start + .seconds(3))
                == wait([.liftAndTapAgain(Self.failed)], until: .seconds(120)))
    }

    @Test("Q202 A phone that came back is tried anew, in a time of its own")
    func anotherStay() {
        var taps = series()
        for _ in 0..<3 { _ = taps.receive(.broken(Self.failed), stay: 1, now: start) }
        #expect(
            taps.receive(.broken(Self.failed), stay: 2, now: start + .seconds(2))
                == wait(until: .seconds(5), again: .milliseconds(700)))
    }

    @Test(
        "Q202 A phone that did not stay for the next try is asked to tap again when the time for tries is over"
    )
    func lifted() {
        var taps = series()
        _ = taps.receive(.broken(Self.failed), stay: 1, now: start)
        #expect(
            taps.receive(.cancelled, now: before(.seconds(3)))
                == wait(until: .seconds(3), again: .milliseconds(700)))
        #expect(
            taps.receive(.cancelled, now: start + .seconds(3))
                == wait([.tapAgain(Self.failed)], until: .seconds(120)))
    }

    @Test("Q202 The time for tries ends with the time of all taps, where that is shorter")
    func triesAtTheEnd() {
        var short = deadlines
        (short.engagement, short.nextTap) = (.seconds(1), .seconds(1))
        var taps = TapSeries(short, now: start)
        #expect(
            taps.receive(.broken(Self.failed), stay: 1, now: start + .milliseconds(500))
                == wait(until: .milliseconds(1500), again: .milliseconds(700)))
        #expect(
            taps.receive(.cancelled, now: start + .milliseconds(1500))
                == end(.engagementOverdue(lastTap: Self.failed)))
    }

    @Test("Q202 A reader's fault at the end of the time for tries is not taken for its loss")
    func faultAfterTries() {
        var taps = series()
        _ = taps.receive(.broken(Self.failed), stay: 1, now: start)
        var early = taps
        #expect(
            early.receive(.readerUnavailable(.readerInUse), now: before(.seconds(3)))
                == end(.readerUnavailable(.readerInUse)))
        #expect(
            taps.receive(.readerUnavailable(.readerInUse), now: start + .seconds(3))
                == wait([.tapAgain(Self.failed)], until: .seconds(120)))
    }

    @Test("Q203 A mute card is looked at once a second after its tries, and keeps no series alive")
    func mute() {
        var taps = series()
        for _ in 0..<3 {
            #expect(
                taps.receive(.cardMute(stay: 1), now: start)
                    == wait(until: .seconds(3), again: .milliseconds(700)))
        }
        #expect(
            taps.receive(.cardMute(stay: 1), now: start)
                == wait([.liftAndTapAgain(Self.mute)], until: .seconds(120), again: .seconds(1)))
        #expect(
            taps.receive(.cardMute(stay: 1), now: before(.seconds(120)))
                == wait(until: .seconds(120), again: .seconds(1)))
        #expect(
            taps.receive(.cardMute(stay: 1), now: start + .seconds(120))
                == end(.engagementOverdue(lastTap: Self.mute)))
    }

    @Test("Q1 Q206 A phone without a wallet is locked at first, and after 2 s something else")
    func noWallet() {
        var taps = series()
        let look = wait(until: .seconds(120), again: .milliseconds(250))
        #expect(
            taps.receive(.noWallet(Self.locked), stay: 1, now: start + .seconds(1))
                == wait([.phoneLocked], until: .seconds(120), again: .milliseconds(250)))
        #expect(taps.receive(.noWallet(Self.locked), stay: 1, now: before(.seconds(3))) == look)
        let other = wait([.notAnID], until: .seconds(120), again: .seconds(1))
        #expect(taps.receive(.noWallet(Self.locked), stay: 1, now: start + .seconds(3)) == other)
        #expect(
            taps.receive(.noWallet(Self.locked), stay: 1, now: start + .seconds(4))
                == wait(until: .seconds(120), again: .seconds(1)))
        #expect(
            taps.receive(.noWallet(Self.locked), stay: 2, now: start + .seconds(5))
                == wait([.phoneLocked], until: .seconds(120), again: .milliseconds(250)))
    }

    @Test("Q7 A phone without a wallet does not lengthen the wait")
    func noWalletAtTheEnd() {
        var taps = series()
        #expect(
            taps.receive(.noWallet(Self.locked), stay: 1, now: before(.seconds(120)))
                == wait([.phoneLocked], until: .seconds(120), again: .milliseconds(250)))
        var other = series()
        #expect(
            other.receive(.noWallet(Self.locked), stay: 1, now: start + .seconds(120))
                == end(.engagementOverdue(lastTap: Self.locked), [.phoneLocked]))
    }

    @Test("Q12 A QR code is offered with the second tap that broke off, once")
    func offersQR() {
        var taps = series()
        let again = Duration.milliseconds(700)
        for (stay, events) in [
            (1, [.tapAgain(Self.left)]), (2, [.tapAgain(Self.left), .offerQR]), (3, [.tapAgain(Self.left)]),
        ] as [(Int, [PresentationEvent])] {
            #expect(
                taps.receive(.broken(Self.left), stay: stay, now: start)
                    == wait(events, until: .seconds(120), again: again))
        }
    }

    // MARK: Bluetooth

    @Test("Q207 After two phones that did not connect NFC is offered alone, once, and then a QR code")
    func unconnected() {
        var taps = series()
        for (number, events, offersBluetooth) in [
            (1, [.armed], true), (2, [.armed], false), (3, [.armed, .offerQR], true), (4, [.armed], true),
        ] as [(Int, [PresentationEvent], Bool)] {
            #expect(
                taps.receive(.unconnected, stay: number, now: start) == wait(events, until: .seconds(120)))
            #expect(taps.offer(now: start).bluetooth == offersBluetooth)
        }
        #expect(taps.receive(.cancelled, now: start + .seconds(120)) == end(.connectionOverdue))
    }

    @Test("Q207 Where only Bluetooth is allowed it is always offered, and the QR code one phone earlier")
    func unconnectedWithoutNFC() {
        var taps = series(hasNFC: false)
        for (number, events) in [(1, [.armed]), (2, [.armed, .offerQR]), (3, [.armed])]
            as [(Int, [PresentationEvent])]
        {
            #expect(
                taps.receive(.unconnected, stay: number, now: start) == wait(events, until: .seconds(120)))
            #expect(taps.offer(now: start) == TapSeries.Offer(bluetooth: true, version2: false))
        }
    }

    @Test("Q207 A phone that did not connect leaves 30 s for the next, and the twentieth is the last")
    func mostUnconnected() {
        var taps = series()
        #expect(
            taps.receive(.unconnected, stay: 1, now: start + .seconds(110))
                == wait([.armed], until: .seconds(140)))
        for stay in 2..<TapSeries.mostTaps {
            guard case .wait = taps.receive(.unconnected, stay: stay, now: start + .seconds(120)).next else {
                Issue.record("over at phone \(stay)")
                return
            }
        }
        let last = taps.receive(.unconnected, stay: TapSeries.mostTaps, now: start + .seconds(120))
        #expect(last == end(.connectionOverdue))
    }

    @Test(
        "Q207 A phone that cannot answer over NFC alone counts as not connected where only NFC was offered",
        arguments: [
            TapEnd.failed(.noUsableRetrieval), .broken(NFCEndReason(.handoverSelect, .messageUnexpected)),
        ]
    )
    func nfcAlone(_ tapEnd: TapEnd) {
        var taps = series()
        for stay in 1...2 { _ = taps.receive(.unconnected, stay: stay, now: start) }
        #expect(
            taps.receive(tapEnd, stay: 3, now: start) == wait([.armed, .offerQR], until: .seconds(120)))
        var other = series()
        let step = other.receive(tapEnd, stay: 3, now: start)
        if case .failed(let failure) = tapEnd {
            #expect(step == end(failure))
        } else {
            #expect(step == wait(until: .seconds(3), again: .milliseconds(700)))
        }
    }

    // MARK: NFC v2

    @Test("A phone that fails in NFC v2 is followed by classic handover for 60 s")
    func version2Rest() {
        for phase in [NFCPhase.selectVersion2, .handoverVersion2] {
            var taps = series(version2: .automatic)
            #expect(taps.offer(now: start).version2)
            let now = start + .seconds(5)
            _ = taps.receive(.broken(NFCEndReason(phase, .messageUnexpected)), stay: 1, now: now)
            #expect(!taps.offer(now: now).version2)
            #expect(!taps.offer(now: before(.seconds(65))).version2)
            #expect(taps.offer(now: start + .seconds(65)).version2)
        }
    }

    @Test("A phone that only left NFC v2, or failed outside it, is followed by NFC v2")
    func version2Again() {
        for reason in [NFCEndReason(.handoverVersion2, .cardLost), Self.failed] {
            var taps = series(version2: .automatic)
            _ = taps.receive(.broken(reason), stay: 1, now: start)
            #expect(taps.offer(now: start).version2)
        }
    }

    @Test(
        "NFC v2 is tried at every tap if it is the only way, never if it is off, and only where NFC is allowed"
    )
    func version2Use() {
        var only = series(version2: .only)
        _ = only.receive(.broken(NFCEndReason(.handoverVersion2, .messageUnexpected)), stay: 1, now: start)
        #expect(only.offer(now: start).version2)
        #expect(!series(version2: .off).offer(now: start).version2)
        for use in [RetrievalPlan.NFCVersion2.automatic, .only] {
            #expect(!series(hasNFC: false, version2: use).offer(now: start).version2)
        }
    }

    @Test(
        "A phone that left with the request has 300 s to confirm, from the first time on, and no QR code is offered"
    )
    func requestTaken() {
        let reason = NFCEndReason(.awaitResponse, .cardLost)
        var taps = series(version2: .automatic)
        for (stay, seconds) in [(1, 10), (2, 200)] {
            #expect(
                taps.receive(.requestTaken(reason), stay: stay, now: start + .seconds(seconds))
                    == wait([.confirmThenTapAgain], until: .seconds(310), again: .milliseconds(700)))
        }
        #expect(
            taps.receive(.cancelled, now: before(.seconds(310)))
                == wait(until: .seconds(310), again: .milliseconds(700)))
        #expect(taps.receive(.cancelled, now: start + .seconds(310)) == end(.consentOverdue))
    }

    @Test("A phone that leaves with the request at the end of its time has 30 s for the next tap")
    func requestTakenLate() {
        let reason = NFCEndReason(.awaitResponse, .cardLost)
        var taps = series(version2: .automatic)
        _ = taps.receive(.requestTaken(reason), stay: 1, now: start)
        #expect(
            taps.receive(.requestTaken(reason), stay: 2, now: start + .seconds(299))
                == wait([.confirmThenTapAgain], until: .seconds(329), again: .milliseconds(700)))
    }
}
