import Testing
import Transport

@testable import PCSCTransport

@Suite("Which devices a driver lists")
struct DriverListTests {
    private func list(vendors: [String], products: [String]) -> String {
        func array(_ key: String, _ values: [String]) -> String {
            let strings = values.map { "\t\t<string>\($0)</string>\n" }.joined()
            return "\t<key>\(key)</key>\n\t<array>\n\(strings)\t</array>\n"
        }
        return "<plist><dict>\n<key>ifdLogLevel</key><string>0x0003</string>\n"
            + array("ifdVendorID", vendors) + array("ifdProductID", products)
            + array("ifdFriendlyName", ["A 0x1234", "B"]) + "</dict></plist>"
    }

    @Test("Q211 Vendors and products are read in their order, in any case of letters")
    func devices() {
        let text = list(vendors: ["0x072F", "0x076b"], products: ["0x223E", "0x5022"])
        #expect(
            DriverList(text).devices == [
                USBIdentity(vendor: 0x072f, product: 0x223e), USBIdentity(vendor: 0x076b, product: 0x5022),
            ])
    }

    @Test("Q211 A list that is cut off or uneven gives no devices, rather than wrong ones")
    func malformed() {
        #expect(DriverList("").devices.isEmpty)
        #expect(DriverList("<key>ifdVendorID</key><array>").devices.isEmpty)
        #expect(DriverList(list(vendors: ["0x072F"], products: ["0x223E", "0x5022"])).devices.isEmpty)
        #expect(DriverList(list(vendors: ["0x072FF"], products: ["0x223E"])).devices.isEmpty)
    }
}
