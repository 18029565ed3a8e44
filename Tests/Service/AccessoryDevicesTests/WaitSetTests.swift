import AccessoryDevices
import Foundation
import Glibc
import SerialBench
import Testing

@Suite("Waiting for devices")
struct WaitSetTests {
    /// A signal that two threads have.
    private final class Shared: Sendable {
        let wakeUp: WakeUp

        init() throws {
            wakeUp = try WakeUp()
        }
    }

    @Test("A wait without a ready descriptor ends at its limit, not before", arguments: [0, 1, 30])
    func limit(_ milliseconds: Int) throws {
        let wakeUp = try WakeUp()
        var waiting = WaitSet()
        waiting.add(wakeUp.descriptor)
        let start = MonotonicNow.sinceBoot
        #expect(try waiting.wait(atMost: .milliseconds(milliseconds)).isEmpty)
        #expect(MonotonicNow.sinceBoot - start >= .milliseconds(milliseconds))
        wakeUp.clear()
    }

    @Test("Part of a millisecond is waited for as a whole one, and a time that has passed not at all")
    func rounding() throws {
        var waiting = WaitSet()
        let start = MonotonicNow.sinceBoot
        #expect(try waiting.wait(atMost: .microseconds(100)).isEmpty)
        #expect(MonotonicNow.sinceBoot - start >= .microseconds(100))
        #expect(try waiting.wait(atMost: .seconds(-5)).isEmpty)
    }

    @Test("Another thread ends a wait, and a wake-up before the wait counts")
    func wakeUp() throws {
        let shared = try Shared()
        var waiting = WaitSet()
        waiting.add(shared.wakeUp.descriptor)
        for _ in 0..<3 {
            Thread.detachNewThread { shared.wakeUp.wake() }
            #expect(try waiting.wait(atMost: .seconds(60)) == [shared.wakeUp.descriptor])
            shared.wakeUp.clear()
        }
        for _ in 0..<3 { shared.wakeUp.wake() }
        #expect(try waiting.wait(atMost: .seconds(60)) == [shared.wakeUp.descriptor])
        // One clearing is enough for all wake-ups before it.
        shared.wakeUp.clear()
        #expect(try waiting.wait(atMost: .zero).isEmpty)
        // A clearing without a wake-up does not wait.
        shared.wakeUp.clear()
    }

    @Test("Only the descriptors that are ready are returned, among them one with room to write")
    func several() throws {
        let idle = try WakeUp()
        let ready = try WakeUp()
        let writable = try WakeUp()
        var waiting = WaitSet()
        waiting.add(idle.descriptor)
        waiting.add(ready.descriptor)
        waiting.add(writable.descriptor, isWriting: true)
        ready.wake()
        #expect(try waiting.wait(atMost: .seconds(60)) == [ready.descriptor, writable.descriptor])
        idle.wake()
        ready.clear()
        #expect(try waiting.wait(atMost: .seconds(60)) == [idle.descriptor, writable.descriptor])
        writable.clear()
    }

    @Test("A descriptor whose other side has hung up is ready")
    func hungUp() throws {
        let cable = try SerialCable()
        let line = try SerialLine(path: cable.path, speed: 9600)
        var waiting = WaitSet()
        waiting.add(line.descriptor)
        #expect(try waiting.wait(atMost: .zero).isEmpty)
        cable.hangUp()
        #expect(try waiting.wait(atMost: .seconds(60)) == [line.descriptor])
    }

    @Test("The clock goes on, and counts from the start of the computer")
    func clock() {
        let first = MonotonicNow.sinceBoot
        #expect(first > .zero)
        #expect(MonotonicNow.sinceBoot >= first)
    }
}
