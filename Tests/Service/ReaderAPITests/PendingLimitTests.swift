import Testing

@testable import ReaderAPI

@Suite("Places to wait for the disk")
struct PendingLimitTests {
    @Test
    func `There are sixteen, and who leaves makes place for another`() {
        let room = PendingLimit()
        for _ in 0..<16 { #expect(room.enter()) }
        #expect(!room.enter())
        room.leave()
        #expect(room.enter())
        #expect(!room.enter())
    }
}
