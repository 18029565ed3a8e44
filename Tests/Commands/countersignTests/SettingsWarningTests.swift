import BlueZTransport
import ReaderService
import Testing

@testable import CommandLineInterface
@testable import countersign

@Suite("What a command says of bluetoothd's settings before it asks a phone")
struct SettingsWarningTests {
    private static let stock = BluetoothDaemonSettings(
        version: BlueZVersion(5, 66), file: "/etc/bluetooth/main.conf", configuration: .absent
    ).missingEssentials

    @Test(
        "Q94 Q100 Each setting that is missing is named with what it does; NFC alone is then the presentation's word"
    )
    func automatic() throws {
        let text = try #require(SettingsWarning(missing: Self.stock, transport: .automatic).text)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[1].hasSuffix("bluetoothd reads from the phone, which then asks its owner to pair"))
        #expect(lines[3].hasSuffix("the longest parts of a phone's message are lost"))
        #expect(!text.contains("is used anyway"))
    }

    @Test("Where Bluetooth alone is wanted the cure is named, since nothing else follows")
    func bluetoothAlone() throws {
        let text = try #require(SettingsWarning(missing: Self.stock, transport: .bluetoothLE).text)
        #expect(text.contains("Bluetooth is used anyway"))
        #expect(text.contains("countersign doctor --fix"))
    }

    @Test("Where nothing is missing, nothing is said")
    func nothing() {
        #expect(SettingsWarning(missing: [], transport: .automatic).text == nil)
    }
}
