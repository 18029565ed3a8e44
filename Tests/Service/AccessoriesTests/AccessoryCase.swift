import Accessories
import ConfigurationForms
import JSON
import Testing

/// Accessories as a configuration file has them, with what is read from them.
enum AccessoryCase {
    /// A member, with values at its edges and beside them.
    struct Value: Sendable, CustomTestStringConvertible {
        /// The members of the accessory besides its name, with `VALUE` in place of the value.
        let members: String
        /// The pointer to the member within the accessory.
        let pointer: String
        let accepted: [String]
        let refused: [String]

        var testDescription: String { pointer }

        func list(with value: String) -> String {
            #"[{"name": "a", \#(members.replacing("VALUE", with: value))}]"#
        }
    }

    static func read(_ text: String) throws -> [Accessory] {
        try read(JSONText(Array(text.utf8)[...]))
    }

    /// Reads a list as `countersignd` reads it.
    private static func read(_ list: JSONText) throws(ConfigurationFaults) -> [Accessory] {
        var reading = ConfigurationReading()
        let read = AccessoryForms.accessories.read(list, &reading)
        guard reading.faults.isEmpty, let read else { throw ConfigurationFaults(faults: reading.faults) }
        return read
    }

    /// Reads an accessory with the name `a`.
    static func accessory(_ members: String) throws -> Accessory {
        let accessories = try read(#"[{"name": "a", \#(members)}]"#)
        return try #require(accessories.first)
    }

    /// Returns the faults of a list of accessories.
    static func faults(of text: String) -> [JSONFault] {
        do throws(ConfigurationFaults) {
            let list: JSONText
            do throws(JSONFault) {
                list = try JSONText(Array(text.utf8)[...])
            } catch {
                return [error]
            }
            _ = try read(list)
            return []
        } catch {
            return error.faults
        }
    }

    /// Expects one fault of an accessory with the name `a`.
    static func expectFault(
        _ pointer: String, _ words: String, of members: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let faults = faults(of: #"[{"name": "a", \#(members)}]"#)
        #expect(faults.map(\.pointer) == [pointer], "\(faults)", sourceLocation: sourceLocation)
        #expect(
            faults.allSatisfy { $0.requirement.contains(words) || words.isEmpty }, "\(faults)",
            sourceLocation: sourceLocation)
    }
}

/// Returns a value after a change.
private func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
}

extension AccessoryCase {
    static let scanners: [(text: String, scanner: Scanner)] = [
        (#"{"serial": {"device": "/dev/a"}}"#, .serial(with(SerialScanner()) { $0.device = "/dev/a" })),
        (
            #"{"serial": {"device": "/dev/a", "speed": 9600, "prefix": "~1", "commands": "zebra"}}"#,
            .serial(
                with(SerialScanner()) {
                    ($0.device, $0.speed, $0.prefix, $0.commands) = ("/dev/a", 9600, "~1", .zebra)
                })
        ),
        (
            #"{"keyboard": {"usb": "0c2e:0b61"}}"#,
            .keyboard(with(KeyboardScanner()) { $0.usb = USBIdentity(vendor: 0x0c2e, product: 0x0b61) })
        ),
        (
            #"{"keyboard": {"usb": "0c2e:0b61", "layout": "fr"}}"#,
            .keyboard(
                with(KeyboardScanner()) {
                    ($0.usb, $0.layout) = (USBIdentity(vendor: 0x0c2e, product: 0x0b61), .fr)
                })
        ),
        (
            #"{"hidPos": {"usb": "05e0:1300"}}"#,
            .hidPOS(with(HIDPOSScanner()) { $0.usb = USBIdentity(vendor: 0x05e0, product: 0x1300) })
        ),
        (
            #"{"camera": {"device": "/dev/video0"}}"#,
            .camera(with(CameraScanner()) { $0.device = "/dev/video0" })
        ),
    ]

    private static func relay(
        _ board: RelayBoard, channel: Int = 1, pulse: Duration = .milliseconds(500)
    ) -> OutputDevice {
        .relay(with(RelayOutput(board: board)) { ($0.channel, $0.pulse) = (channel, pulse) })
    }

    static let outputs: [(text: String, device: OutputDevice, outcomes: Set<AccessoryOutcome>)] =
        contacts + [
            (
                #"{"osdp": {"device": "/dev/a", "address": 5, "keyFile": "/k", "allow": {"facility": 77, "card": 21}}}"#,
                .osdp(
                    with(OSDPOutput()) {
                        ($0.device, $0.address, $0.keyFile) = ("/dev/a", 5, "/k")
                        $0.card = OSDPCard(bits: 26, facility: 77, number: 21)
                    }), [.allow]
            ),
            (
                #"{"mqtt": {"broker": "mqtt://[::1]:1884", "userFile": "/u", "discovery": "homeassistant", "buttons": true}}"#,
                .mqtt(
                    with(MQTTOutput()) {
                        ($0.host, $0.port, $0.userFile) = ("::1", 1884, "/u")
                        ($0.discovery, $0.hasButtons) = ("homeassistant", true)
                    }), Set(AccessoryOutcome.allCases)
            ),
            (
                #"{"mqtt": {"broker": "mqtts://broker.example", "authority": "/r", "base": "shop-1"}}"#,
                .mqtt(
                    with(MQTTOutput()) {
                        ($0.host, $0.port, $0.isSecure) = ("broker.example", 8883, true)
                        ($0.authority, $0.base) = ("/r", "shop-1")
                    }), Set(AccessoryOutcome.allCases)
            ),
        ]

    private static let contacts: [(text: String, device: OutputDevice, outcomes: Set<AccessoryOutcome>)] = [
        (
            #"{"relay": {"gpio": {"chip": "/dev/gpiochip0", "line": 17, "activeLow": true}, "pulseMs": 800}}"#,
            relay(
                .gpio(chip: "/dev/gpiochip0", line: 17, isActiveLow: true), pulse: .milliseconds(800)),
            [.allow]
        ),
        (
            #"{"relay": {"lcus": {"device": "/dev/a", "channel": 2}, "outcomes": ["deny", "failed"]}}"#,
            relay(.lcus(device: "/dev/a"), channel: 2), [.deny, .failed]
        ),
        (
            #"{"relay": {"kmtronic": {"device": "/dev/a"}}}"#, relay(.kmtronic(device: "/dev/a")), [.allow]
        ),
        (
            #"{"relay": {"usbRelay": {"serial": "HURTM", "channel": 8}}}"#,
            relay(.usbRelay(serial: "HURTM"), channel: 8), [.allow]
        ),
        (
            #"{"relay": {"hidRelay": {"usbPath": "1-1.2"}}}"#, relay(.hidRelay(usbPath: "1-1.2")), [.allow]
        ),
        (
            #"{"relay": {"modbus": {"device": "/dev/a", "coil": 3}}}"#,
            relay(.modbusRTU(device: "/dev/a", speed: 9600, unit: 1, coil: 3)), [.allow]
        ),
        (
            #"{"relay": {"modbus": {"host": "192.0.2.7", "unit": 255, "coil": 3}}}"#,
            relay(.modbusTCP(host: "192.0.2.7", port: 502, unit: 255, coil: 3)), [.allow]
        ),
    ]
}

extension AccessoryCase {
    private static let contact = #""out": {"relay": {"lcus": {"device": "/dev/a"}}}"#

    static let values: [Value] =
        scannerValues + outputValues + [
            Value(
                members: #""lane": "one", \#(contact), "validSeconds": VALUE"#, pointer: "/validSeconds",
                accepted: ["1", "60"], refused: ["0", "61", "5.5", "\"5\""]),
            Value(
                members: #""lane": "one", \#(contact), "engagements": VALUE"#, pointer: "/engagements",
                accepted: [#"["nfc"]"#, #"["qr"]"#, #"["nfc", "qr"]"#], refused: ["[]", #""nfc""#]),
            Value(
                members: #""lane": "one", \#(contact), "methods": VALUE"#, pointer: "/methods",
                accepted: [#"["machine-validation"]"#], refused: ["[]", "1"]),
            Value(
                members: #""lane": "one", \#(contact), "trial": VALUE"#, pointer: "/trial",
                accepted: ["true", "false"], refused: ["\"true\"", "1"]),
            Value(
                members: #""lane": "VALUE", \#(contact)"#, pointer: "/lane",
                accepted: ["gate", String(repeating: "x", count: 64)],
                refused: ["", "a b", String(repeating: "x", count: 65)]),
        ]

    private static let scannerValues: [Value] = [
        Value(
            members: #""lane": "one", "in": {"serial": {"device": VALUE}}"#, pointer: "/in/serial/device",
            accepted: [#""/dev/ttyACM0""#], refused: [#""ttyACM0""#, #""""#, "1"]),
        Value(
            members: #""lane": "one", "in": {"serial": {"device": "/a", "speed": VALUE}}"#,
            pointer: "/in/serial/speed", accepted: ["1200", "115200", "921600"],
            refused: ["0", "1201", "-9600", "\"9600\""]),
        Value(
            members: #""lane": "one", "in": {"serial": {"device": "/a", "prefix": "VALUE"}}"#,
            pointer: "/in/serial/prefix", accepted: ["]C", "12345678"], refused: ["", "123456789"]),
        Value(
            members: #""lane": "one", "in": {"serial": {"device": "/a", "commands": "VALUE"}}"#,
            pointer: "/in/serial/commands", accepted: ScannerMaker.allCases.map(\.rawValue),
            refused: ["Zebra", "other"]),
        Value(
            members: #""lane": "one", "in": {"keyboard": {"usb": "VALUE"}}"#, pointer: "/in/keyboard/usb",
            accepted: ["0c2e:0b61", "ffff:0000"],
            refused: ["0C2E:0B61", "0c2e", "0c2e:0b6", "0c2e:0b61:1", "+c2e:0b61", "0c2e-0b61"]),
        Value(
            members: #""lane": "one", "in": {"keyboard": {"usb": "0c2e:0b61", "layout": "VALUE"}}"#,
            pointer: "/in/keyboard/layout", accepted: ["auto", "us", "de", "fr"], refused: ["uk", ""]),
        Value(
            members: #""lane": "one", "in": {"camera": {"device": VALUE}}"#, pointer: "/in/camera/device",
            accepted: [#""/dev/video0""#, #""/dev/v4l/by-id/usb-MAKER-video-index0""#],
            refused: [#""video0""#, #""""#, "0"]),
    ]

    private static let outputValues: [Value] = [
        Value(
            members: #""lane": "one", "out": {"relay": {"lcus": {"device": "/a"}, "pulseMs": VALUE}}"#,
            pointer: "/out/relay/pulseMs", accepted: ["100", "10000"], refused: ["99", "10001", "0"]),
        Value(
            members: #""lane": "one", "out": {"relay": {"lcus": {"device": "/a", "channel": VALUE}}}"#,
            pointer: "/out/relay/lcus/channel", accepted: ["1", "8"], refused: ["0", "9"]),
        Value(
            members: #""lane": "one", "out": {"relay": {"gpio": {"chip": "/a", "line": VALUE}}}"#,
            pointer: "/out/relay/gpio/line", accepted: ["0", "1023"], refused: ["-1", "1024"]),
        Value(
            members: #""lane": "one", "out": {"relay": {"usbRelay": {"serial": "VALUE"}}}"#,
            pointer: "/out/relay/usbRelay/serial", accepted: ["HURTM", "12345"],
            refused: ["HURT", "HURTMX", "HUR M", "HURä"]),
        Value(
            members: #""lane": "one", "out": {"relay": {"hidRelay": {"usbPath": "VALUE"}}}"#,
            pointer: "/out/relay/hidRelay/usbPath", accepted: ["1-1", "2-1.4.3"],
            refused: ["1", "1-", "1-1.", "1-1-1", "usb1", "../1-1", "1-1:1.0"]),
        Value(
            members: #""lane": "one", "out": {"relay": {"modbus": {"host": "VALUE", "coil": 0}}}"#,
            pointer: "/out/relay/modbus/host", accepted: ["relay.example", "192.0.2.7", "fe80::1"],
            refused: ["", "a b", "a:502", "http://a", "a/b", "[::1]"]),
        Value(
            members: #""lane": "one", "out": {"relay": {"modbus": {"host": "a", "coil": VALUE}}}"#,
            pointer: "/out/relay/modbus/coil", accepted: ["0", "65535"], refused: ["-1", "65536"]),
        Value(
            members:
                #""lane": "one", "out": {"keys": {"layout": "us", "standIn": "VALUE", "templates": {"allow": "ok"}}}"#,
            pointer: "/out/keys/standIn", accepted: ["1977-07-07", "2000-02-29", "1996-02-29"],
            refused: [
                "1977-7-7", "1900-02-29", "1977-02-30", "1977-00-01", "1977-13-01", "1977-04-31",
                "07-07-1977",
                "1977-07-0x", "1977-+7-07",
            ]),
        Value(
            members:
                #""lane": "one", "out": {"osdp": {"device": "/a", "address": VALUE, "keyFile": "/k", "allow": {"facility": 0, "card": 0}}}"#,
            pointer: "/out/osdp/address", accepted: ["0", "126"], refused: ["127", "-1"]),
        Value(
            members:
                #""lane": "one", "out": {"osdp": {"device": "/a", "keyFile": "/k", "allow": {"bits": VALUE, "facility": 0, "card": 0}}}"#,
            pointer: "/out/osdp/allow/bits", accepted: ["26", "34"], refused: ["25", "35", "37"]),
        Value(
            members:
                #""lane": "one", "out": {"osdp": {"device": "/a", "keyFile": "/k", "allow": {"facility": 0, "card": VALUE}}}"#,
            pointer: "/out/osdp/allow/card", accepted: ["0", "65535"], refused: ["65536", "-1"]),
        Value(
            members: #""out": {"mqtt": {"broker": "VALUE"}}"#, pointer: "/out/mqtt/broker",
            accepted: ["mqtt://b", "mqtts://b.example:8883", "mqtt://127.0.0.1:1", "mqtts://[::1]"],
            refused: [
                "b", "http://b", "mqtt://", "mqtt://b:", "mqtt://b:0", "mqtt://b:+1", "mqtt://b:65536",
                "mqtt://b/x", "mqtt://u:p@b", "mqtt://[::1", "mqtt://[b]", "mqtt://[::1]x", "MQTT://b",
            ]),
        Value(
            members: #""out": {"mqtt": {"broker": "mqtt://b", "base": "VALUE"}}"#, pointer: "/out/mqtt/base",
            accepted: ["countersign", "shop-1"], refused: ["", "a/b", "a+", "a#", "$SYS", "ä"]),
        Value(
            members: #""out": {"mqtt": {"broker": "mqtt://b", "discovery": "VALUE"}}"#,
            pointer: "/out/mqtt/discovery", accepted: ["homeassistant", "home/assistant"],
            refused: ["", "/a", "a/", "a//b", "+", "a/b c"]),
    ]
}
