import MdocModel
import Testing
import WalletPresentation

@testable import ReaderStore

@Suite("The number of nonces and the next sweep, as a value")
struct NonceCountTests {
    private static let start = Timestamp(secondsSince1970: 1_800_000_000)

    /// Whether one more nonce is issued.
    private static func adds(_ count: inout NonceCount, upTo capacity: Int) -> Bool {
        (try? count.add(upTo: capacity)) != nil
    }

    @Test("Nonces that are issued during a sweep count after it")
    func during() {
        var count = NonceCount()
        count.beginSweep(at: Self.start)
        count.endSweep(leaving: 3)
        #expect(Self.adds(&count, upTo: 10))
        count.beginSweep(at: Self.start.advanced(bySeconds: 2))
        for _ in 0..<3 { #expect(Self.adds(&count, upTo: 10)) }
        // The sweep deleted the three old nonces, and saw the one that came before it.
        count.endSweep(leaving: 1)
        for _ in 0..<6 { #expect(Self.adds(&count, upTo: 10)) }
        #expect(throws: NonceStoreError.refused(.tooMany)) { try count.add(upTo: 10) }
    }

    @Test("Only one sweep begins in an interval, and a refused one is repeated at once")
    func due() {
        var count = NonceCount()
        #expect(count.isSweepDue(at: Self.start))
        count.beginSweep(at: Self.start)
        #expect(!count.isSweepDue(at: Self.start.advanced(bySeconds: 1)))
        count.failSweep()
        #expect(count.isSweepDue(at: Self.start))
        count.beginSweep(at: Self.start)
        count.endSweep(leaving: 0)
        #expect(!count.isSweepDue(at: Self.start.advanced(bySeconds: 1)))
        #expect(count.isSweepDue(at: Self.start.advanced(bySeconds: NonceTerms.sweepInterval)))
    }
}
