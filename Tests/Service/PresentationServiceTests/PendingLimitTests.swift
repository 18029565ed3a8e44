import Testing

@testable import PresentationService

@Suite("Places to wait for the disk")
struct PendingLimitTests {
    @Test
    func `There are sixteen, four of them for one caller, and who leaves makes place for another`() {
        let room = PendingLimit()
        for _ in 0..<4 { #expect(room.enter("screen")) }
        #expect(!room.enter("screen"))
        for caller in ["a", "b", "c"] { for _ in 0..<4 { #expect(room.enter(caller)) } }
        #expect(!room.enter("d"))
        room.leave("screen")
        #expect(room.enter("d"))
        #expect(!room.enter("screen"))
    }
}
