import Testing
import Transport

@testable import countersign_accessories

@Suite("The end of work on another thread")
struct CompletionTests {
    @Test("A wait ends with the work, at once if the work has ended before, and again for a second caller")
    func ends() {
        let completion = Completion()
        let thread = WorkerThread()
        thread.perform { completion.complete() }
        #expect(completion.wait(until: .now + .seconds(60)))
        #expect(completion.wait(until: .now + .seconds(60)))
        #expect(completion.wait(until: .zero))
    }

    @Test("Work that does not end is left when the time has passed")
    func late() {
        let completion = Completion()
        let start = Duration.now
        #expect(!completion.wait(until: start + .milliseconds(20)))
        #expect(!completion.wait(until: .zero))
        completion.complete()
        #expect(completion.wait(until: .zero))
    }
}
