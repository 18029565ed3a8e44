import Deadlines
import Dispatch
import Glibc
import Synchronization
import Testing
import Transport

@testable import BlueZTransport

extension OneAfterAnother {
    @Suite("The message bus", .enabled(if: PrivateBus.isHere, PrivateBus.absence))
    struct BusTests {
        static let method = BusMember("org.example.Test", "Echo")

        /// Two connections, of which the second answers calls to /test with their own arguments.
        static func pair(
            _ bus: PrivateBus,
            answering: @escaping @Sendable (Bus, BusMessage) -> Void = { bus, message in
                let values = (try? message.values()) ?? []
                bus.assumeIsolated { $0.answer(message, values) }
            }
        ) async throws -> (caller: Bus, answerer: Bus, name: String, registration: Bus.Registration) {
            let caller = try await bus.connect().bus
            let (answerer, name) = try await bus.connect()
            let registration = try await answerer.export("/test") { [weak answerer] message in
                if let answerer { answering(answerer, message) }
                return true
            }
            return (caller, answerer, name, registration)
        }

        @Test("Every kind of value comes back as it was sent")
        func roundTrip() async throws {
            try await PrivateBus.with { bus in
                let (caller, answerer, name, registration) = try await Self.pair(bus)
                let properties: [String: BusValue] = [
                    "flag": .boolean(true), "bytes": .bytes([0, 255, 7]), "none": .bytes([]),
                    "texts": .strings(["a", ""]),
                    "paths": .paths(["/a", "/b/c"]), "number": .uint16(517), "nested": .map(["x": .byte(1)]),
                ]
                let values: [BusValue] = [
                    .boolean(false), .boolean(true), .byte(200), .int16(-90), .uint16(65535), .int32(-7),
                    .uint32(.max), .string("täst"), .path("/org/bluez"), .bytes([1, 2, 3]), .bytes([]),
                    .strings([]), .strings(["a", "b"]), .paths(["/"]), .map(properties), .map([:]),
                    .interfaces(["org.example.A": properties, "org.example.B": [:]]),
                    .objects(["/one": ["org.example.A": properties], "/two": [:]]),
                ]
                for value in values {
                    let answer = try await caller.call(
                        name, "/test", Self.method, [value], within: .seconds(20))
                    #expect(answer == [value])
                }
                #expect(
                    try await caller.call(name, "/test", Self.method, values, within: .seconds(20)) == values)
                #expect(
                    try await caller.call(
                        name, "/test", Self.method, [.variant(.byte(3))], within: .seconds(20))
                        == [.byte(3)], "a variant that is read is its content")
                withExtendedLifetime(registration) {}
                await answerer.close()
                await caller.close()
            }
        }

        @Test("A value that D-Bus cannot carry is refused before anything is sent")
        func unspeakable() async throws {
            try await PrivateBus.with { bus in
                let (caller, answerer, name, registration) = try await Self.pair(bus)
                for value: BusValue in [.foreign("t"), .path("no path")] {
                    await #expect(throws: BusError.malformed) {
                        try await caller.call(name, "/test", Self.method, [value], within: .seconds(20))
                    }
                }
                #expect(try await caller.call(name, "/test", Self.method, [], within: .seconds(20)) == [])
                withExtendedLifetime(registration) {}
                await answerer.close()
            }
        }

        @Test("A descriptor arrives as a copy of its own, and none stays open that nobody asked for")
        func descriptors() async throws {
            try await PrivateBus.with { bus in
                let (caller, answerer, name, registration) = try await Self.pair(bus)
                var pipe: [Int32] = [-1, -1]
                try #require(unsafe Glibc.pipe(&pipe) == 0)
                let sent = BusDescriptor(owning: pipe[1])
                let before = openDescriptors()
                for _ in 0..<20 {
                    let answer = try await caller.call(
                        name, "/test", Self.method, [.descriptor(sent)], within: .seconds(20))
                    guard case .descriptor(let received)? = answer.first else {
                        Issue.record("\(answer)")
                        continue
                    }
                    #expect(received.withDescriptor { unsafe write($0, [7 as UInt8], 1) } == 1)
                    var byte: UInt8 = 0
                    #expect(unsafe read(pipe[0], &byte, 1) == 1 && byte == 7)
                }
                try await expectOpenDescriptors(atMost: before)
                let taken = sent.take()
                #expect(taken == pipe[1] && sent.take() == -1)
                #expect(close(taken) == 0 && close(pipe[0]) == 0, "what was taken is the taker's to close")
                withExtendedLifetime(registration) {}
                await answerer.close()
            }
        }

        @Test("A message is released on the queue of its bus, wherever its last holder is")
        func released() async throws {
            try await PrivateBus.with { bus in
                let held = Mutex<[BusMessage]>([])
                let (caller, answerer, name, registration) = try await Self.pair(bus) { bus, message in
                    held.withLock { $0 = [message] }
                    bus.assumeIsolated { $0.answer(message, []) }
                }
                var pipe: [Int32] = [-1, -1]
                try #require(unsafe Glibc.pipe(&pipe) == 0)
                let sent = BusDescriptor(owning: pipe[1])
                _ = try await caller.call(
                    name, "/test", Self.method, [.descriptor(sent)], within: .seconds(20))
                #expect(close(sent.take()) == 0)
                _ = try await bus.turn(caller)
                _ = try await bus.turn(answerer)
                /// The message holds the last descriptor for writing: without it reading comes to the end.
                func isReleased(within milliseconds: Int32) -> Bool {
                    var state = pollfd(fd: pipe[0], events: Int16(POLLIN), revents: 0)
                    return unsafe poll(&state, 1, milliseconds) > 0
                }
                #expect(!isReleased(within: 0))
                answerer.queue.queue.suspend()
                held.withLock { $0 = [] }
                #expect(!isReleased(within: 200))
                answerer.queue.queue.resume()
                #expect(isReleased(within: 20_000))
                #expect(close(pipe[0]) == 0)
                withExtendedLifetime(registration) {}
                await answerer.close()
            }
        }

        @Test("Connections that end close their descriptors, whatever they waited for")
        func closing() async throws {
            try await PrivateBus.with { bus in
                _ = try await bus.connect()
                let before = openDescriptors()
                for _ in 0..<10 {
                    let (one, name) = try await bus.connect()
                    let registration = try await one.observe("type='signal',interface='org.example'") { _ in }
                    let silent = try await one.export("/silent") { _ in true }
                    let waiting = Task {
                        try await one.call(name, "/silent", Self.method, within: .seconds(60))
                    }
                    await Task.yield()
                    await one.close()
                    await one.close()
                    await #expect(throws: BusError.disconnected) { try await waiting.value }
                    withExtendedLifetime((registration, silent)) {}
                }
                try await expectOpenDescriptors(atMost: before)
            }
        }

        @Test("A call that nobody answers ends at its deadline, and only it")
        func deadline() async throws {
            try await PrivateBus.with { bus in
                let (caller, answerer, name, registration) = try await Self.pair(bus) { bus, message in
                    if message.member == "Echo" { bus.assumeIsolated { $0.answer(message, []) } }
                }
                let begin = ContinuousClock.now
                let long = Task {
                    try await caller.call(
                        name, "/test", BusMember("org.example.Test", "Silent"), within: .seconds(50))
                }
                for limit in [Duration.milliseconds(300), .zero, .seconds(-1)] {
                    await #expect(throws: BusError.overdue) {
                        try await caller.call(
                            name, "/test", BusMember("org.example.Test", "Silent"), within: limit)
                    }
                }
                #expect(ContinuousClock.now - begin >= .milliseconds(300))
                #expect(ContinuousClock.now - begin < .seconds(20))
                #expect(try await caller.call(name, "/test", Self.method, within: .seconds(20)) == [])
                await answerer.close()
                await #expect(throws: BusError.noSuchService, "who was called has left the bus") {
                    try await long.value
                }
                withExtendedLifetime(registration) {}
            }
        }

        @Test("A cancelled call ends at once, and its late answer is dropped, descriptors and all")
        func cancelled() async throws {
            try await PrivateBus.with { bus in
                let held = Mutex<[BusMessage]>([])
                let (caller, answerer, name, registration) = try await Self.pair(bus) { _, message in
                    held.withLock { $0.append(message) }
                }
                let before = openDescriptors()
                let call = Task { try await caller.call(name, "/test", Self.method, within: .seconds(50)) }
                try await until("the call") { held.withLock { !$0.isEmpty } }
                call.cancel()
                await #expect(throws: BusError.cancelled) { try await call.value }
                let descriptor = dup(0)
                await answerer.answerAll(held, [.descriptor(BusDescriptor(owning: descriptor))])
                let early = Task {
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    return try await caller.call(name, "/test", Self.method, within: .seconds(50))
                }
                await #expect(throws: BusError.cancelled) { try await early.value }
                try await expectOpenDescriptors(atMost: before)
                withExtendedLifetime(registration) {}
            }
        }

        @Test("Q117 A bus that dies under a call ends it as disconnected, and says so to who asked")
        func busDies() async throws {
            try await PrivateBus.with { bus in
                let told = Mutex(0)
                let isAsked = Mutex(false)
                let (caller, answerer, name, registration) = try await Self.pair(bus) { _, _ in
                    isAsked.withLock { $0 = true }
                }
                await caller.whenDisconnected(registration) { told.withLock { $0 += 1 } }
                let call = Task { try await caller.call(name, "/test", Self.method, within: .seconds(50)) }
                try await until("the call") { isAsked.withLock { $0 } }
                await bus.end()
                await #expect(throws: BusError.disconnected) { try await call.value }
                #expect(await !caller.isConnected)
                #expect(told.withLock { $0 } == 1)
                await #expect(throws: BusError.disconnected) {
                    try await caller.call(name, "/test", Self.method, within: .seconds(20))
                }
                await #expect(throws: BusError.disconnected) { try await Bus.connect(to: bus.address) }
                await #expect(throws: BusError.disconnected) {
                    try await caller.observe("type='signal'") { _ in }
                }
                withExtendedLifetime((registration, answerer)) {}
            }
        }

        @Test("Nobody has the name: that is told apart from a refusal and from an unknown method")
        func refusals() async throws {
            try await PrivateBus.with { bus in
                let (caller, answerer, name, registration) = try await Self.pair(bus) { bus, message in
                    bus.assumeIsolated { $0.refuse(message, "org.bluez.Error.NotPermitted") }
                }
                await #expect(throws: BusError.noSuchService) {
                    try await caller.call("org.bluez", "/", Self.method, within: .seconds(20))
                }
                let refusal = PeerRefusal(
                    call: Self.method.name, name: "org.bluez.Error.NotPermitted", message: "")
                await #expect(throws: BusError.refused(refusal)) {
                    try await caller.call(name, "/test", Self.method, within: .seconds(20))
                }
                let error = await #expect(throws: BusError.self) {
                    try await caller.call(name, "/elsewhere", Self.method, within: .seconds(20))
                }
                guard case .refused(let refusal)? = error,
                    refusal.name == "org.freedesktop.DBus.Error.UnknownObject"
                else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                withExtendedLifetime((registration, answerer)) {}
            }
        }

        @Test("A signal is heard until its registration is let go of, even while signals come")
        func registrations() async throws {
            try await PrivateBus.with { bus in
                let heard = Mutex(0)
                let (listener, _) = try await bus.connect()
                let (sender, _) = try await bus.connect()
                let signal = BusMember("org.example.Test", "Tick")
                for _ in 0..<50 {
                    let registration = try await listener.observe(
                        "type='signal',interface='org.example.Test'"
                    ) { _ in
                        heard.withLock { $0 += 1 }
                    }
                    // Its turn comes after the match is in place.
                    _ = try await bus.turn(listener)
                    let before = heard.withLock { $0 }
                    for _ in 0..<5 { await sender.emit("/test", signal, [.byte(1)]) }
                    try await until("a signal", every: .milliseconds(1)) { heard.withLock { $0 } > before }
                    for _ in 0..<20 { await sender.emit("/test", signal, [.byte(1)]) }
                    withExtendedLifetime(registration) {}
                }
                _ = try await bus.turn(sender)
                _ = try await bus.turn(listener)
                let after = heard.withLock { $0 }
                for _ in 0..<5 { await sender.emit("/test", signal, [.byte(1)]) }
                _ = try await bus.turn(sender)
                _ = try await bus.turn(listener)
                #expect(heard.withLock { $0 } == after)
                await listener.close()
                await sender.close()
            }
        }
    }
}

extension PrivateBus {
    /// A call to the bus and back: what was sent before has arrived.
    func turn(_ bus: Bus) async throws -> [BusValue] {
        try await bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", BusMember("org.freedesktop.DBus.Peer", "Ping"),
            within: .seconds(20))
    }
}

extension Bus {
    fileprivate func answerAll(_ held: borrowing Mutex<[BusMessage]>, _ values: [BusValue]) {
        for message in held.withLock({ $0 }) { answer(message, values) }
    }
}
