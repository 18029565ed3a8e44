import Deadlines
import NDEF
import Synchronization
import Testing
import Transport

@testable import BlueZTransport

/// An end of the radio that keeps bluetoothd from forgetting the phone, until a last event lets it.
struct RadioAbsence: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fault: RadioFault
    let begin: @Sendable (FakeBluetoothd) -> Void
    /// The adapter is there again, and the phone cannot be forgotten yet.
    let back: @Sendable (FakeBluetoothd) -> Void
    let end: @Sendable (FakeBluetoothd) -> Void

    private static let tests = OneAfterAnother.PeerConnectingTests.self

    static let all = [
        RadioAbsence(testDescription: "the adapter is switched off", fault: .adapterOff) {
            $0.switchAdapter(on: false)
            $0.disconnect(tests.device)
        } back: { _ in
        } end: {
            $0.switchAdapter(on: true)
        },
        RadioAbsence(testDescription: "the adapter is pulled, and back before it is on", fault: .adapterLost)
        {
            $0.remove(FakeBluetoothd.adapter)
        } back: {
            $0.addAdapter(isOn: false)
            $0.show("dev_1", uuid: tests.service.uuid)
        } end: {
            $0.switchAdapter(on: true)
        },
        RadioAbsence(
            testDescription: "the adapter is pulled, and back with a phone that is connected",
            fault: .adapterLost
        ) {
            $0.remove(FakeBluetoothd.adapter)
        } back: {
            $0.show("dev_1", uuid: tests.service.uuid)
            $0.connect(tests.device)
            $0.addAdapter()
        } end: {
            $0.disconnect(tests.device)
        },
    ]
}

extension OneAfterAnother.PeerConnectingTests {
    private static let shown: @Sendable (FakeBluetoothd, String, String) -> FakeBluetoothd.Reply? = {
        bluetoothd, method, _ in
        if method == "StartDiscovery" { bluetoothd.show("dev_1", uuid: service.uuid) }
        return nil
    }

    @Test(
        "Q114 Q117 A phone that bluetoothd could not forget is forgotten as soon as it can be, and only this phone",
        arguments: RadioAbsence.all)
    func forgottenLater(_ absence: RadioAbsence) async throws {
        try await with(Self.shown) { radio, bluetoothd in
            let link = try await radio.connect(to: Self.service)
            absence.begin(bluetoothd)
            await #expect(throws: BluetoothLEError.radioUnavailable(absence.fault)) {
                try await link.receive()
            }
            await link.close()
            absence.back(bluetoothd)
            let other = FakeBluetoothd.adapter + "/dev_2"
            bluetoothd.show("dev_2", uuid: Self.service.uuid)
            // Nothing may come meanwhile, which only time can show.
            try await Task.sleep(for: .milliseconds(200))
            #expect(bluetoothd.devices.count == 2)
            #expect(bluetoothd.count("RemoveDevice") == 1, "it is not tried in vain")
            absence.end(bluetoothd)
            try await until("one device") { bluetoothd.devices == [other] }
            #expect(bluetoothd.count("RemoveDevice") == 2)
            bluetoothd.remove(other)
        }
    }

    @Test("Q114 A phone that bluetoothd refused to forget is forgotten before the next customer")
    func refusedOnce() async throws {
        let refusals = Mutex(1)
        try await with { bluetoothd, method, path in
            let isRefused =
                method == "RemoveDevice"
                && refusals.withLock { left in
                    defer { left -= 1 }
                    return left > 0
                }
            return isRefused ? .error("org.bluez.Error.Failed") : Self.shown(bluetoothd, method, path)
        } _: { radio, bluetoothd in
            let link = try await radio.connect(to: Self.service)
            bluetoothd.disconnect(Self.device)
            await #expect(throws: BluetoothLEError.linkLost) { try await link.receive() }
            await link.close()
            #expect(bluetoothd.devices == [Self.device])
            try await radio.prepare()
            try await until("a bluetoothd without the phone") { bluetoothd.devices.isEmpty }
            #expect(bluetoothd.count("RemoveDevice") == 2)
        }
    }

    @Test(
        "Q114 A phone that bluetoothd remembers without its new service is found, and no other phone is forgotten"
    )
    func remembered() async throws {
        var configuration = Self.hurried
        configuration.discovery = .milliseconds(100)
        try await with(by: configuration) { bluetoothd, method, _ in
            guard method == "StartDiscovery" else { return nil }
            bluetoothd.show("dev_5", uuid: Self.otherService)
            if !bluetoothd.devices.contains(Self.device) { bluetoothd.show("dev_1", uuid: Self.service.uuid) }
            return nil
        } _: { radio, bluetoothd in
            for name in ["dev_1", "dev_2", "dev_3", "dev_4"] {
                bluetoothd.show(name, uuid: Self.otherService)
            }
            let others = ["dev_2", "dev_3", "dev_4", "dev_5"].map { FakeBluetoothd.adapter + "/" + $0 }
            bluetoothd.change(others[0], "org.bluez.Device1", ["Paired": .boolean(true)])
            bluetoothd.connect(others[1])
            bluetoothd.silence(others[2])
            let link = try await radio.connect(to: Self.service)
            await link.close()
            #expect(bluetoothd.devices.sorted() == others)
            for device in others { bluetoothd.remove(device) }
        }
    }

    @Test("Q114 A phone that was left behind stays if it is paired since")
    func pairedSince() async throws {
        try await with(Self.shown) { radio, bluetoothd in
            let link = try await radio.connect(to: Self.service)
            bluetoothd.switchAdapter(on: false)
            bluetoothd.disconnect(Self.device)
            await #expect(throws: BluetoothLEError.radioUnavailable(.adapterOff)) {
                try await link.receive()
            }
            await link.close()
            bluetoothd.change(Self.device, "org.bluez.Device1", ["Paired": .boolean(true)])
            bluetoothd.switchAdapter(on: true)
            try await radio.prepare()
            // Nothing may come, which only time can show.
            try await Task.sleep(for: .milliseconds(200))
            #expect(bluetoothd.devices == [Self.device])
            #expect(bluetoothd.count("RemoveDevice") == 1)
            bluetoothd.remove(Self.device)
        }
    }

    @Test("Q114 A remembered phone that connects while another is forgotten stays")
    func connectedMeanwhile() async throws {
        var configuration = Self.hurried
        configuration.discovery = .milliseconds(100)
        let another = FakeBluetoothd.adapter + "/dev_3"
        try await with(by: configuration) { bluetoothd, method, _ in
            // The search hears of it while it removes the second.
            if method == "RemoveDevice" { bluetoothd.connect(another) }
            if method == "StartDiscovery", !bluetoothd.devices.contains(Self.device) {
                bluetoothd.show("dev_1", uuid: Self.service.uuid)
            }
            return nil
        } _: { radio, bluetoothd in
            for name in ["dev_1", "dev_2", "dev_3"] { bluetoothd.show(name, uuid: Self.otherService) }
            let link = try await radio.connect(to: Self.service)
            await link.close()
            #expect(bluetoothd.devices == [another])
            bluetoothd.remove(another)
        }
    }

    private static let otherService = BluetoothUUID(expanding: 0x180f)
}
