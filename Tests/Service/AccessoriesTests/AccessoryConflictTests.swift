import Accessories
import ConfigurationForms
import JSON
import Testing

@Suite("Accessories that exclude each other")
struct AccessoryConflictTests {
    private static let keys = #"{"keys": {"templates": {"allow": "ok"}}}"#

    private static func lcus(_ device: String, _ channel: Int) -> String {
        #"{"relay": {"lcus": {"device": "\#(device)", "channel": \#(channel)}}}"#
    }

    private static func modbus(_ members: String, unit: Int = 1, coil: Int) -> String {
        #"{"relay": {"modbus": {\#(members), "unit": \#(unit), "coil": \#(coil)}}}"#
    }

    private static func gpio(_ chip: String, _ line: Int, activeLow: Bool = false) -> String {
        #"{"relay": {"gpio": {"chip": "\#(chip)", "line": \#(line), "activeLow": \#(activeLow)}}}"#
    }

    /// Two outputs, and the words of the fault of the second one; nil if both may be in the file.
    static let pairs: [(one: String, other: String, words: String?)] = [
        (lcus("/a", 1), lcus("/a", 1), "accessory a switches the same contact"),
        (lcus("/a", 1), lcus("/a", 2), nil), (lcus("/a", 1), lcus("/b", 1), nil),
        (
            lcus("/a", 1), #"{"relay": {"kmtronic": {"device": "/a", "channel": 2}}}"#,
            "with another protocol or speed"
        ),
        (
            lcus("/a", 1), #"{"line": {"device": "/a", "templates": {"allow": "ok"}}}"#,
            "accessory a uses the same device"
        ),
        (
            lcus("/a", 1),
            #"{"osdp": {"device": "/a", "keyFile": "/k", "allow": {"facility": 1, "card": 1}}}"#,
            "uses the same device"
        ),
        (gpio("/c0", 1), gpio("/c0", 1, activeLow: true), "switches the same contact"),
        (gpio("/c0", 1), gpio("/c0", 2), nil), (gpio("/c0", 1), gpio("/c1", 1), nil),
        (modbus(#""device": "/a""#, coil: 1), modbus(#""device": "/a""#, coil: 1), "the same contact"),
        (modbus(#""device": "/a""#, coil: 1), modbus(#""device": "/a""#, coil: 2), nil),
        (modbus(#""device": "/a""#, coil: 1), modbus(#""device": "/a""#, unit: 2, coil: 1), nil),
        (
            modbus(#""device": "/a""#, coil: 1), modbus(#""device": "/a", "speed": 19200"#, coil: 2),
            "with another protocol or speed"
        ),
        (modbus(#""host": "m""#, coil: 1), modbus(#""host": "m""#, coil: 1), "the same contact"),
        (modbus(#""host": "m""#, coil: 1), modbus(#""host": "m", "port": 503"#, coil: 1), nil),
        (
            #"{"relay": {"usbRelay": {"serial": "HURTM", "channel": 2}}}"#,
            #"{"relay": {"usbRelay": {"serial": "HURTM", "channel": 2}}}"#, "the same contact"
        ),
        (
            #"{"relay": {"usbRelay": {"serial": "HURTM", "channel": 2}}}"#,
            #"{"relay": {"usbRelay": {"serial": "BITFT", "channel": 2}}}"#, nil
        ),
        (
            #"{"relay": {"hidRelay": {"usbPath": "1-1"}}}"#, #"{"relay": {"hidRelay": {"usbPath": "1-1"}}}"#,
            "the same contact"
        ),
        (keys, keys, "accessory a types keys already"), (keys, lcus("/a", 1), nil),
    ]

    @Test("Two outputs do not share a device or a contact", arguments: pairs)
    func outputs(_ one: String, _ other: String, _ words: String?) {
        for (first, second) in [(one, other), (other, one)] {
            let faults = AccessoryCase.faults(
                of: """
                    [{"name": "a", "lane": "one", "out": \(first)}, {"name": "b", "lane": "two", "out": \(second)}]
                    """)
            #expect(faults.map(\.pointer) == (words == nil ? [] : ["/1"]), "\(faults)")
            #expect(faults.allSatisfy { $0.requirement.contains(words ?? "") }, "\(faults)")
        }
    }

    @Test(
        "Two scanners do not share a device, nor does a scanner and an output",
        arguments: [
            (#""in": {"serial": {"device": "/a"}}"#, #""in": {"serial": {"device": "/a"}}"#, true),
            (#""in": {"serial": {"device": "/a"}}"#, #""in": {"serial": {"device": "/b"}}"#, false),
            (#""in": {"serial": {"device": "/a"}}"#, #""out": \#(lcus("/a", 1))"#, true),
            (#""in": {"serial": {"device": "/a"}}"#, #""out": \#(lcus("/b", 1))"#, false),
            (#""in": {"keyboard": {"usb": "0c2e:0b61"}}"#, #""in": {"hidPos": {"usb": "0c2e:0b61"}}"#, true),
            (#""in": {"keyboard": {"usb": "0c2e:0b61"}}"#, #""in": {"hidPos": {"usb": "0c2e:0b67"}}"#, false),
            (#""in": {"camera": {"device": "/a"}}"#, #""in": {"camera": {"device": "/a"}}"#, true),
            (#""in": {"camera": {"device": "/a"}}"#, #""in": {"camera": {"device": "/b"}}"#, false),
        ])
    func scanners(_ one: String, _ other: String, _ isConflict: Bool) {
        let faults = AccessoryCase.faults(
            of: #"[{"name": "a", "lane": "one", \#(one)}, {"name": "b", "lane": "two", \#(other)}]"#)
        #expect(faults.map(\.pointer) == (isConflict ? ["/1"] : []), "\(faults)")
        #expect(faults.allSatisfy { $0.requirement.contains("uses the same device") })
    }

    @Test(
        "Two brokers differ in their address or their base",
        arguments: [
            (#""broker": "mqtt://b""#, #""broker": "mqtt://b:1883""#, true),
            (#""broker": "mqtt://b""#, #""broker": "mqtt://c""#, false),
            (#""broker": "mqtt://b""#, #""broker": "mqtt://b", "base": "other""#, false),
        ])
    func brokers(_ one: String, _ other: String, _ isConflict: Bool) {
        let faults = AccessoryCase.faults(
            of: #"[{"name": "a", "out": {"mqtt": {\#(one)}}}, {"name": "b", "out": {"mqtt": {\#(other)}}}]"#)
        #expect(faults.map(\.pointer) == (isConflict ? ["/1"] : []), "\(faults)")
        #expect(faults.allSatisfy { $0.requirement.contains("give each accessory its own base") })
    }

    /// Accessories with scanners, each at the lane that is given for it.
    private static func scanners(at lanes: [String], name: (Int) -> String = { "a\($0)" }) -> String {
        let objects = lanes.enumerated().map { index, lane in
            #"{"name": "\#(name(index))", "lane": "\#(lane)", "in": {"serial": {"device": "/dev/ttyACM\#(index)"}}}"#
        }
        return "[\(objects.joined(separator: ", "))]"
    }

    @Test("Two accessories have two names")
    func names() {
        let faults = AccessoryCase.faults(of: Self.scanners(at: ["one", "two"]) { _ in "a" })
        #expect(faults.map(\.pointer) == ["/1"])
        #expect(faults.map(\.requirement) == ["another accessory has this name"])
        #expect(AccessoryCase.faults(of: Self.scanners(at: ["one", "two"])).isEmpty)
    }

    @Test("A lane has at most four accessories, and a computer at most 64")
    func most() {
        let four = Array(repeating: "one", count: 4)
        #expect(AccessoryCase.faults(of: Self.scanners(at: four)).isEmpty)
        #expect(AccessoryCase.faults(of: Self.scanners(at: four + ["two"])).isEmpty)
        let faults = AccessoryCase.faults(of: Self.scanners(at: four + ["one"]))
        #expect(faults.map(\.pointer) == ["/4"])
        #expect(faults.map(\.requirement) == ["lane one has 4 accessories already"])
        let lanes = (0..<16).flatMap { Array(repeating: "lane-\($0)", count: 4) }
        #expect(AccessoryCase.faults(of: Self.scanners(at: lanes)).isEmpty)
        let tooMany = AccessoryCase.faults(of: Self.scanners(at: lanes + ["more"]))
        #expect(tooMany.map(\.requirement) == ["must be a list of at most 64 values"])
    }

    @Test("The daemon's object of an accessory is read as the same accessory by the other program")
    func source() throws {
        let text = """
            [{"name": "scan", "lane": "one", "in": {"serial": {"device": "/dev/a", "commands": "zebra"}}},
             {"name": "lock", "lane": "one", "out": {"relay": {"usbRelay": {"serial": "HURTM"}}}, "trial": true},
             {"name": "home", "out": {"mqtt": {"broker": "mqtt://b"}}}]
            """
        let accessories = try AccessoryCase.read(text)
        let sent = JSONValue.array(accessories.map(\.source)).line
        #expect(try AccessoryCase.read(sent) == accessories)
        #expect(accessories.map(\.isTrial) == [false, true, false])
    }

    @Test("Accessories are equal if they do the same, however the file says it")
    func equality() throws {
        let lock = #""lane": "one", "out": {"relay": {"lcus": {"device": "/a"}"#
        let short = try AccessoryCase.accessory("\(lock)}}")
        let long = try AccessoryCase.accessory("\(lock), \"pulseMs\": 500}}, \"validSeconds\": 5")
        #expect(short == long)
        for other in [
            "\(lock), \"pulseMs\": 501}}", "\(lock)}}, \"validSeconds\": 6", "\(lock)}}, \"trial\": true",
            "\(lock)}}".replacing("one", with: "two"),
        ] {
            #expect(try AccessoryCase.accessory(other) != short, "\(other)")
        }
    }

    @Test("One fault does not hide another, and each is at its value")
    func allFaults() {
        let faults = AccessoryCase.faults(
            of: """
                [{"name": "a b", "lane": "", "in": {"serial": {"device": "a", "speed": 1}}},
                 {"name": "c", "out": {"relay": {"pulseMs": 1}}, "validSeconds": 0},
                 7]
                """)
        #expect(
            Set(faults.map(\.pointer)) == [
                "/0/name", "/0/lane", "/0/in/serial/device", "/0/in/serial/speed", "/1/out/relay",
                "/1/out/relay/pulseMs", "/1/validSeconds", "/2",
            ], "\(faults)")
        #expect(faults.allSatisfy { $0.line > 0 && $0.column > 0 })
    }
}
