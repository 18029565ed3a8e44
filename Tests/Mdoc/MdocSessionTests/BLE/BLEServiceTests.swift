import COSE
import Foundation
import MdocModel
import MdocSession
import NDEF
import OpenSSLCrypto
import Testing
import VectorFiles

@Suite("The Bluetooth LE service")
struct BLEServiceTests {
    private let uuid = BluetoothUUID([UInt8](0...15))

    @Test("In mdoc peripheral server mode the characteristics are 01, 02, 03 and 0a, and there is no Ident")
    func peripheralServer() throws {
        let service = BLEService.mdocPeripheralServer(try #require(uuid))
        #expect(service.uuid == uuid)
        #expect(service.state.description == "00000001-a123-48ce-896b-4c76973373e6")
        #expect(service.client2Server.description == "00000002-a123-48ce-896b-4c76973373e6")
        #expect(service.server2Client.description == "00000003-a123-48ce-896b-4c76973373e6")
        #expect(service.l2CAP.description == "0000000a-a123-48ce-896b-4c76973373e6")
        #expect(service.ident == nil)
    }

    @Test("In mdoc central client mode the characteristics are 05, 06, 07, 08 and 0b")
    func centralClient() throws {
        let service = BLEService.mdocCentralClient(try #require(uuid))
        #expect(service.uuid == uuid)
        #expect(service.state.description == "00000005-a123-48ce-896b-4c76973373e6")
        #expect(service.client2Server.description == "00000006-a123-48ce-896b-4c76973373e6")
        #expect(service.server2Client.description == "00000007-a123-48ce-896b-4c76973373e6")
        #expect(service.ident?.description == "00000008-a123-48ce-896b-4c76973373e6")
        #expect(service.l2CAP.description == "0000000b-a123-48ce-896b-4c76973373e6")
    }

    @Test("Q71 Ident is the right one for the key of the engagement as it came, and another for another key")
    func ident() throws {
        let engagement = try VectorFiles.annexD("deviceEngagement_qr")
        let ident = try BLEIdent(for: DeviceEngagement(engagement[...]))
        #expect(ident.bytes.hex == "8da0b7a85919f05673054ea996bbd124")
        #expect(try ident.bytes == VectorFiles.annexD("bleIdent"))
        let otherKey = SessionPair.engagement(COSEKeyPair(try PrivateKey.generate(.p256)))
        #expect(try BLEIdent(for: DeviceEngagement(otherKey[...])) != ident)
    }

    @Test(
        "Q65 A PSM is read from two or four bytes, big-endian first, odd or even",
        arguments: [
            ("000000c1", 0xc1), ("00c1", 0xc1), ("00000080", 0x80), ("00ff", 0xff), ("0082", 0x82),
            ("c1000000", 0xc1), ("8000", 0x80),
        ] as [(String, UInt16)])
    func psm(hex: String, value: UInt16) throws {
        let psm = try L2CAPPSM.parse([UInt8](hex: hex)[...])
        #expect(psm.value == value)
        #expect(try L2CAPPSM.parse(psm.encode()[...]) == psm)
        #expect(psm.encode().hex == "000000" + [UInt8(value)].hex)
    }

    @Test(
        "Q65 A value that holds no dynamic PSM in either order is refused by name",
        arguments: [
            ("", .length(0)), ("c1", .length(1)), ("0000c1", .length(3)), ("00000000c1", .length(5)),
            ("0000007f", .notDynamic(0x7f)), ("00000100", .notDynamic(0x100)), ("0025", .notDynamic(0x25)),
            ("c1c1", .notDynamic(0xc1c1)), ("00c10000", .notDynamic(0xc1_0000)), ("0000", .notDynamic(0)),
        ] as [(String, L2CAPPSMError)])
    func noPSM(hex: String, error: L2CAPPSMError) {
        #expect(throws: error) { try L2CAPPSM.parse([UInt8](hex: hex)[...]) }
    }

    @Test("A PSM of another source is dynamic too, or none")
    func number() {
        #expect(L2CAPPSM(0x80)?.value == 0x80)
        #expect(L2CAPPSM(0xff)?.value == 0xff)
        #expect([-1, 0, 0x7f, 0x100, 1 << 40].allSatisfy { L2CAPPSM($0) == nil })
    }
}
