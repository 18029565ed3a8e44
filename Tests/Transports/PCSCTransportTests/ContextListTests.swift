import Deadlines
import Synchronization
import Testing
import Transport

@testable import PCSCTransport

@Suite("Contexts at the end of the process")
struct ContextListTests {
    private let list = ContextList()

    /// A change that ends when it is told to, and the close of the list.
    private struct Steps {
        var isUnderWay = false
        var mayEnd = false
        var hasEnded = false
        /// Whether the change had ended when the list was closed.
        var closedAfterIt: Bool?
    }

    @Test("The end waits for a context that is on its way, and lets no other begin")
    func closing() async throws {
        let steps = SharedSteps()
        defer { steps.change { $0.mayEnd = true } }
        let (changing, ending) = (WorkerThread(), WorkerThread())
        changing.perform { [list] in
            list.change {
                steps.change { $0.isUnderWay = true }
                while !steps.now.mayEnd {}
                steps.change { $0.hasEnded = true }
            }
        }
        try await until("the change") { steps.now.isUnderWay }
        ending.perform { [list] in
            list.close(within: 120_000)
            steps.change { $0.closedAfterIt = $0.hasEnded }
        }
        try await until("the end") { [list] in list.change {} == nil }
        #expect(steps.now.closedAfterIt == nil)
        steps.change { $0.mayEnd = true }
        try await until("the close") { steps.now.closedAfterIt != nil }
        #expect(steps.now.closedAfterIt == true)
    }

    @Test("The end waits no longer than its limit for a pcscd that hangs")
    func hung() async throws {
        let steps = SharedSteps()
        defer { steps.change { $0.mayEnd = true } }
        let (changing, ending) = (WorkerThread(), WorkerThread())
        changing.perform { [list] in
            list.change {
                steps.change { $0.isUnderWay = true }
                while !steps.now.mayEnd {}
            }
        }
        try await until("the change") { steps.now.isUnderWay }
        ending.perform { [list] in
            list.close(within: 1)
            steps.change { $0.closedAfterIt = $0.hasEnded }
        }
        try await until("the close") { steps.now.closedAfterIt == false }
    }

    @Test("Before the end every change is made, and its answer returned")
    func changes() {
        #expect(list.change { 1 } == 1)
        #expect(list.change { 2 } == 2)
        list.close()
        #expect(list.change { 3 } == nil)
    }

    private final class SharedSteps: Sendable {
        private let steps = Mutex(Steps())

        var now: Steps { steps.withLock { $0 } }

        func change(_ body: (inout Steps) -> Void) { steps.withLock { body(&$0) } }
    }
}
