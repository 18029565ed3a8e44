import Testing
import Transport

@testable import PCSCTransport

@Suite("What lies on a reader counts")
struct CardPlaceTests {
    private let start = ContinuousClock.now

    private func inserted() -> CardPlace {
        var place = CardPlace()
        place.insert(stay: 1, now: start)
        return place
    }

    /// Tried, taken away, and back after `absence`.
    private func back(after absence: Duration, nextPresentation: Bool) -> CardPlace {
        var place = inserted()
        place.recordAttempt()
        if nextPresentation { place.beginPresentation() }
        place.remove(now: start)
        place.insert(stay: 2, now: start + absence)
        return place
    }

    @Test("A card counts once, and again only where that is asked for")
    func once() {
        var place = CardPlace()
        #expect(!place.isUsable(again: true))
        place = inserted()
        #expect(place.isUsable(again: false))
        place.recordAttempt()
        #expect(!place.isUsable(again: false))
        #expect(place.isUsable(again: true))
        place.remove(now: start)
        #expect(!place.isUsable(again: true))
    }

    @Test("Q208 A card that is back within half a second never left, one that is back later has another stay")
    func flicker() {
        let flickered = back(after: .milliseconds(499), nextPresentation: false)
        #expect(flickered.stay == 1 && !flickered.isUsable(again: false))
        let tapped = back(after: .milliseconds(500), nextPresentation: false)
        #expect(tapped.stay == 2 && tapped.isUsable(again: false))
    }

    @Test("Q208 The card of one presentation counts for the next only after a second of absence")
    func nextPresentation() {
        #expect(!back(after: .milliseconds(999), nextPresentation: true).isUsable(again: true))
        #expect(back(after: .seconds(1), nextPresentation: true).isUsable(again: false))
        #expect(back(after: .milliseconds(999), nextPresentation: false).isUsable(again: false))
    }

    @Test("Q208 A reader that announces the same card every 250 ms never makes it the next one's")
    func announcedForEver() {
        var place = back(after: .milliseconds(250), nextPresentation: true)
        for step in 1...40 {
            place.remove(now: start + .milliseconds(250 * step))
            place.insert(stay: 2 + step, now: start + .milliseconds(250 * step + 200))
            #expect(!place.isUsable(again: true))
        }
        place.remove(now: start + .seconds(20))
        place.insert(stay: 99, now: start + .seconds(21))
        #expect(place.isUsable(again: false) && place.stay == 99)
    }

    @Test("Q208 A card that was there before the presentation and was not tried counts")
    func untried() {
        var place = inserted()
        place.beginPresentation()
        #expect(place.isUsable(again: false))
    }

    @Test("Q203 A card that wakes up while it lies there is in the same stay")
    func wakes() {
        var place = inserted()
        place.recordAttempt()
        place.insert(stay: 2, now: start + .seconds(6))
        #expect(place.stay == 1 && !place.isUsable(again: false) && place.isUsable(again: true))
    }

    @Test(
        "Q209 A command that failed while pcscd has lost the reader speaks of the reader, else of the phone",
        arguments: [
            PCSCTransportError.cardLost, .linkLost, .unexpected(code: 0x8010_0001, during: .transmit),
        ])
    func unplugged(_ error: PCSCTransportError) {
        #expect(ContactlessError(error, isReaderListed: false) == .readerUnavailable(.readerMissing))
        #expect(ContactlessError(error, isReaderListed: true) == .cardLost)
    }

    @Test("Q209 A reader that pcscd itself misses is named, and pcscd's own end is not the reader's")
    func missing() {
        #expect(
            ContactlessError(.readerMissing("A"), isReaderListed: true)
                == .readerUnavailable(.readerMissing))
        #expect(ContactlessError(.serviceLost, isReaderListed: true) == .cardLost)
        #expect(ContactlessError(.cancelled, isReaderListed: false) == .cancelled)
    }
}
