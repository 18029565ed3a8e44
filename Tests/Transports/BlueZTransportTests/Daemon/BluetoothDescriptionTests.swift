import BlueZBench
import Testing

@testable import BlueZTransport

extension OneAfterAnother.BenchTests {
    @Test("bluetoothd and its adapter are described: version, settings, and what the kernel knows")
    func description() async throws {
        let description = try await BluetoothDescription.current()
        let version = try await AirBench.bluetoothdVersion()
        #expect(description.daemon.version?.description == version)
        #expect(description.daemon.configuration != .unknown)
        #expect(!description.daemon.hasChanged)
        let adapter = try #require(description.adapters.first)
        #expect(description.adapters.count == 1)
        #expect(adapter.name == "hci0")
        #expect(adapter.isPowered)
        #expect(try #require(adapter.advertising).free > 0)
        #expect(adapter.controller.manufacturer != nil)
        #expect(adapter.controller.subversion != nil)
        #expect(adapter.controller.bluetoothVersion != nil)
        #expect(adapter.controller.mode == .lowEnergy)
        #expect(adapter.controller.usb == nil)
        // `with-bluez` runs it with the settings that are shipped, or with Debian's own.
        let isShipped = description.daemon.file == "/run/bluetooth-main.conf"
        #expect(description.daemon.findings.isEmpty == isShipped, "\(description.daemon.findings.map(\.id))")
    }
}
