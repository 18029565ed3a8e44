import PresentationStage
import Synchronization
import Testing
import Transport

@testable import ReaderService

@Suite("A radio that refuses to advertise though it is there, in memory")
struct RefusedRadioTests {
    private static let refused = RadioFault(
        .registrationRefused,
        PeerRefusal(
            call: "RegisterAdvertisement", name: "org.bluez.Error.Failed",
            message: "Failed to register advertisement"))

    private func device(_ radio: MemoryRadio) -> ContactlessLaneDevice {
        ContactlessLaneDevice(reader: Field([]), radio: radio, missingReader: { nil })
    }

    @Test("Q239 A look at a lane tries its radio before the first customer, and names bluetoothd's own error")
    func tried() async throws {
        let radio = MemoryRadio(refusal: Self.refused) { _ in }
        let device = device(radio)
        #expect(await device.readiness() == .withoutBluetooth(Self.refused))
        #expect(radio.served.withLock { $0 } == 1 && radio.prepared.withLock { $0 } == 0)
        radio.refusal.withLock { $0 = nil }
        #expect(await device.readiness() == .ready, "it is tried again while it is refused")
        #expect(radio.served.withLock { $0 } == 2)
    }

    @Test("Q239 The twin: a radio that could advertise is not tried again")
    func triedOnce() async throws {
        let radio = MemoryRadio { _ in }
        let device = device(radio)
        for _ in 0..<3 { #expect(await device.readiness() == .ready) }
        #expect(radio.served.withLock { $0 } == 1)
    }

    @Test("Q239 A presentation's refusal is remembered: the next look tries the radio again")
    func remembered() async throws {
        let radio = MemoryRadio { _ in }
        let checked = CheckedRadio(radio)
        #expect(await checked.fault() == nil)
        radio.refusal.withLock { $0 = Self.refused }
        #expect(await checked.fault() == nil, "nobody has advertised since")
        await #expect(throws: BluetoothLEError.radioUnavailable(Self.refused)) {
            try await checked.tryServing()
        }
        #expect(await checked.fault() == Self.refused)
    }

    @Test("Q239 Nothing is tried with settings that would harm a phone, nor without a reader")
    func notTried() async throws {
        let unprepared = MemoryRadio(settings: .settingsMissing, refusal: Self.refused) { _ in }
        #expect(await device(unprepared).readiness() == .withoutBluetooth(.settingsMissing))
        let alone = MemoryRadio(refusal: Self.refused) { _ in }
        let device = ContactlessLaneDevice(
            reader: Field([]), radio: alone, missingReader: { ReaderFault.noReader })
        #expect(await device.readiness() == .unavailable(.noReader))
        for radio in [unprepared, alone] { #expect(radio.served.withLock { $0 } == 0) }
    }
}
