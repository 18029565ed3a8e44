import Accessories
import JSON
import Testing

@Suite("Tries of accessories, as values")
struct AccessoryTryTests {
    private static func accessory(_ device: OutputDevice) -> Accessory {
        Accessory(
            name: "out", lane: "gate", role: .output(Output(device: device, rule: OutputRule())),
            isTrial: false,
            source: [:])
    }

    @Test("A contact is tried by a pulse, a scanner by a scan, and no other kind is tried")
    func actions() {
        let contact = Self.accessory(.relay(RelayOutput(board: .lcus(device: "/dev/ttyUSB0"))))
        #expect(contact.tryAction == .pulse)
        // 2 s for the beginning, 500 ms for the pulse, and 5 s for the report.
        #expect(contact.tryTime == .milliseconds(7500))
        let scanner = Accessory(
            name: "qr-1", lane: "gate", role: .scanner(.serial(SerialScanner())), isTrial: false, source: [:])
        #expect(scanner.tryAction == .scan && scanner.tryTime == .seconds(35))
        for device in [
            OutputDevice.keys(KeysOutput()), .line(LineOutput()), .osdp(OSDPOutput()), .mqtt(MQTTOutput()),
        ] {
            #expect(Self.accessory(device).tryAction == nil)
        }
    }

    @Test("A result is read back from its kind and its number of characters, and no other combination is one")
    func results() {
        let results: [TryResult] = [
            .pulsed, .unknown, .refused, .phoneCode(characters: 243), .otherCode(characters: 13),
            .otherCode(characters: nil), .noCode,
        ]
        for result in results { #expect(TryResult(result.kind, characters: result.characters) == result) }
        #expect(TryResult(.phoneCode, characters: nil) == nil)
        for kind in [TryResult.Kind.pulsed, .unknown, .refused, .noCode] {
            #expect(TryResult(kind, characters: 1) == nil)
        }
    }

    @Test("A pulse has no code, and a scan no pulse")
    func fits() {
        for result in [TryResult.pulsed, .unknown] {
            #expect(result.fits(.pulse) && !result.fits(.scan))
        }
        for result in [TryResult.phoneCode(characters: 9), .otherCode(characters: nil), .noCode] {
            #expect(result.fits(.scan) && !result.fits(.pulse))
        }
        #expect(TryAction.allCases.allSatisfy(TryResult.refused.fits))
    }

    @Test("The length of a scanned code is known, and nothing else of it")
    func lengths() {
        #expect(ScannedBytes.code(Array("4006381333931".utf8), symbology: nil).length == 13)
        #expect(ScannedBytes.tooLong.length == nil)
        let text = "mdoc:owBjMS4w"
        guard case .engagement(let engagement) = ScannedCode(Array(text.utf8)[...]) else {
            Issue.record("the text is not a code")
            return
        }
        #expect(engagement.length == text.utf8.count)
    }
}
