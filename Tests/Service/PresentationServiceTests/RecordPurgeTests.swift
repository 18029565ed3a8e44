import MdocModel
import Testing

@testable import PresentationService

@Suite("When retained data is looked at again")
struct RecordPurgeTests {
    @Test(
        "At the deadline, and at least once a minute, since clocks are set",
        arguments: [(nil, 60), (5, 5), (60, 60), (61, 60), (86_400, 60), (0, 60), (-5, 60)]
            as [(Int64?, Int64)])
    func wait(_ due: Int64?, _ seconds: Int64) {
        let now = Timestamp(secondsSince1970: 1_800_000_000)
        #expect(RecordPurge.wait(from: now, until: due.map { now.advanced(bySeconds: $0) }) == seconds)
    }
}
