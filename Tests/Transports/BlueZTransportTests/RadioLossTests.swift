import BlueZBench
import NDEF
import Testing
import Transport

@testable import BlueZTransport

/// What ends the radio under a link, and what it is called.
struct RadioLoss: Sendable, CustomTestStringConvertible {
    let actions: [AirBench.Action]
    let repair: [AirBench.Action]
    let faults: Set<RadioFaultID>

    var testDescription: String { "\(actions)" }

    static let all = [
        RadioLoss(actions: [.kill], repair: [.start], faults: [.daemonLost]),
        RadioLoss(actions: [.off], repair: [.on], faults: [.adapterOff]),
        RadioLoss(
            actions: [.adapterOut], repair: [.adapterIn],
            faults: [.adapterLost, .adapterOff]),
        RadioLoss(
            actions: [.busKill], repair: [.busStart, .start], faults: [.busLost]),
    ]
}

extension OneAfterAnother.BenchTests {
    @Test(
        "Q117 The radio ends under a link: both directions say so, and the next customer is served",
        arguments: RadioLoss.all)
    func lost(_ loss: RadioLoss) async throws {
        let radio = BlueZRadio()
        try await withPhone { _ in
            let link = try await radio.connect(to: Self.service)
            try await link.signal(0x01)
            let receiving = Task { try await link.receive() }
            for action in loss.actions { try await AirBench.control(action) }
            let received = await receiving.result
            for error in [received.error, await Self.error { try await link.send(.byte(0), [1]) }] {
                guard case .radioUnavailable(let fault) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(loss.faults.contains(fault.id), "\(fault)")
            }
            await link.close()
        }
        // bluetoothd ends a little after the bus.
        try await Task.sleep(for: .seconds(1))
        for action in loss.repair { try await AirBench.control(action) }
        try await withPhone { _ in
            let link = try await radio.connect(to: Self.service)
            try await link.signal(0x01)
            #expect(try await Self.echo([4], over: link) == [4])
            await link.close()
        }
        try await expectNothingLeft()
    }

    @Test("Q117 A hung bluetoothd is a named error in bounded time, before and after the connection")
    func hung() async throws {
        var configuration = BlueZConfiguration()
        configuration.call = .seconds(1)
        let radio = BlueZRadio(configuration: configuration)
        try await withPhone { _ in
            let link = try await radio.connect(to: Self.service)
            try await link.signal(0x01)
            try await AirBench.control(.hang)
            let clock = ContinuousClock.now
            await link.close()
            #expect(ContinuousClock.now - clock < .seconds(20))
            await #expect(throws: BluetoothLEError.radioUnavailable(.daemonHung)) {
                try await radio.connect(to: Self.service)
            }
            try await AirBench.control(.resume)
        }
        try await AirBench.control(.restart)
        try await expectNothingLeft()
    }

    @Test("Q117 The radio ends while a phone is looked for", arguments: RadioLoss.all)
    func lostWhileSearching(_ loss: RadioLoss) async throws {
        let radio = BlueZRadio()
        let search = Task { try await radio.connect(to: Self.service) }
        try await Task.sleep(for: .seconds(1))
        for action in loss.actions { try await AirBench.control(action) }
        let result = await search.result
        if case .failure(BluetoothLEError.radioUnavailable(let fault)) = result {
            #expect(loss.faults.contains(fault.id), "\(fault)")
        } else {
            Issue.record("\(result)")
        }
        try await Task.sleep(for: .seconds(1))
        for action in loss.repair { try await AirBench.control(action) }
        try await expectNothingLeft()
    }

    static func error(_ body: () async throws -> Void) async -> BluetoothLEError? {
        do { try await body() } catch { return error as? BluetoothLEError }
        return nil
    }
}

extension Result where Failure == any Error {
    fileprivate var error: BluetoothLEError? {
        if case .failure(let error) = self { error as? BluetoothLEError } else { nil }
    }
}
