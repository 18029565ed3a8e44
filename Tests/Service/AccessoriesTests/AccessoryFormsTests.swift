import Accessories
import ConfigurationForms
import JSON
import Testing

@Suite("The form of accessories in the configuration file")
struct AccessoryFormsTests {
    @Test("Each kind of scanner is read, with its defaults", arguments: AccessoryCase.scanners)
    func scanners(_ text: String, _ expected: Scanner) throws {
        let accessory = try AccessoryCase.accessory("\"lane\": \"one\", \"in\": \(text)")
        #expect(accessory.scanner == expected)
        #expect(accessory.name == "a" && accessory.lane == "one" && !accessory.isTrial)
        #expect(accessory.output == nil)
    }

    @Test("Each kind of output is read, with its defaults", arguments: AccessoryCase.outputs)
    func outputs(_ text: String, _ device: OutputDevice, _ outcomes: Set<AccessoryOutcome>) throws {
        let lane = if case .mqtt = device { "" } else { "\"lane\": \"one\", " }
        let accessory = try AccessoryCase.accessory("\(lane)\"out\": \(text)")
        let output = try #require(accessory.output)
        #expect(output.device == device)
        #expect(output.rule.outcomes == outcomes)
        #expect(output.rule.engagements == [.nfc] && output.rule.methods == [.machineValidation])
        #expect(output.rule.valid == .seconds(5) && !output.isRequired)
        #expect(accessory.scanner == nil)
    }

    @Test("The program leaves out an accessory that it cannot read, and keeps the others")
    func readEach() throws {
        let lamp = #"{"name": "lamp", "lane": "one", "out": {"relay": {"lcus": {"device": "/dev/a"}}}}"#
        let later = #"{"name": "later", "lane": "one", "out": {"hologram": {}}}"#
        let scanner = #"{"name": "scanner", "lane": "one", "in": {"serial": {"device": "/dev/b"}}}"#
        let read = try AccessoryForms.readEach(JSONText(Array("[\(lamp), \(later), \(scanner)]".utf8)[...]))
        #expect(read.accessories.map(\.name) == ["lamp", "scanner"])
        #expect(!read.faults.isEmpty && read.faults.allSatisfy { $0.pointer.hasPrefix("/1/out") })
        let whole = try AccessoryForms.readEach(JSONText(Array("[\(lamp), \(scanner)]".utf8)[...]))
        #expect(whole.accessories == read.accessories && whole.faults.isEmpty)
        let tooMany = Array(repeating: lamp, count: AccessoryForms.most + 1).joined(separator: ",")
        for text in ["{}", "1", "[\(tooMany)]"] {
            #expect(throws: JSONFault.self) {
                try AccessoryForms.readEach(JSONText(Array(text.utf8)[...]))
            }
        }
    }

    @Test("The members beside the output complete its rule")
    func rule() throws {
        let accessory = try AccessoryCase.accessory(
            """
            "lane": "one", "out": {"relay": {"lcus": {"device": "/dev/a"}}}, "trial": true, "required": true,
            "engagements": ["qr", "nfc"], "methods": ["machine-validation"], "validSeconds": 9
            """)
        let output = try #require(accessory.output)
        #expect(output.rule.engagements == [.nfc, .qr] && output.rule.valid == .seconds(9))
        #expect(output.isRequired && accessory.isTrial)
    }

    @Test(
        "An accessory has one role, one kind within and one board; none or two are refused at their object",
        arguments: [
            (#""lane": "one""#, "/0", #"must have exactly one of "in", "out""#),
            (
                #""lane": "one", "in": {"serial": {"device": "/v"}}, "out": {"relay": {"lcus": {"device": "/a"}}}"#,
                "/0", #"must have exactly one of "in", "out""#
            ),
            (#""lane": "one", "in": {}"#, "/0/in", #"must have exactly one of "serial", "keyboard""#),
            (
                #""lane": "one", "in": {"serial": {"device": "/v"}, "hidPos": {"usb": "0c2e:0b67"}}"#,
                "/0/in", #"must have exactly one of "serial", "keyboard", "hidPos", "camera""#
            ),
            (#""lane": "one", "out": {}"#, "/0/out", #"must have exactly one of "keys", "line""#),
            (
                #""lane": "one", "out": {"relay": {"pulseMs": 500}}"#, "/0/out/relay",
                #"must have exactly one of "gpio", "lcus""#
            ),
            (
                #""lane": "one", "out": {"relay": {"lcus": {"device": "/a"}, "kmtronic": {"device": "/b"}}}"#,
                "/0/out/relay", #"must have exactly one of "gpio", "lcus""#
            ),
            (
                #""lane": "one", "out": {"relay": {"modbus": {"coil": 0}}}"#, "/0/out/relay/modbus",
                #"must have exactly one of "device", "host""#
            ),
            (
                #""lane": "one", "out": {"relay": {"modbus": {"coil": 0, "device": "/a", "host": "b"}}}"#,
                "/0/out/relay/modbus", #"must have exactly one of "device", "host""#
            ),
            (
                #""lane": "one", "in": {"plastic": {}}"#, "/0/in/plastic",
                #"the member "plastic" is not known"#
            ),
            (#""lane": "one", "in": {"serial": {}}"#, "/0/in/serial/device", "is missing"),
            (#""lane": "one", "in": []"#, "/0/in", "must be an object"),
        ])
    func exactlyOne(_ members: String, _ pointer: String, _ words: String) {
        let faults = AccessoryCase.faults(of: #"[{"name": "a", \#(members)}]"#)
        #expect(faults.contains { $0.pointer == pointer && $0.requirement.contains(words) }, "\(faults)")
    }

    @Test("Every accessory has a lane, but a broker, which may have none")
    func lanes() throws {
        let scanner = #""in": {"serial": {"device": "/v"}}"#
        let broker = #""out": {"mqtt": {"broker": "mqtts://broker.example"}}"#
        #expect(try AccessoryCase.accessory("\"lane\": \"one\", \(scanner)").lane == "one")
        #expect(try AccessoryCase.accessory(broker).lane == nil)
        AccessoryCase.expectFault("/0/lane", "is missing", of: scanner)
        AccessoryCase.expectFault(
            "/0/lane", "is not allowed with mqtt", of: "\"lane\": \"one\", \(broker)")
        AccessoryCase.expectFault("/0/required", "cannot be true", of: "\"required\": true, \(broker)")
        #expect(try AccessoryCase.accessory("\"required\": false, \(broker)").output?.isRequired == false)
    }

    @Test(
        "A member that only an output has is refused at a scanner and taken at an output",
        arguments: [
            ("engagements", #"["nfc"]"#), ("methods", #"["machine-validation"]"#), ("validSeconds", "5"),
            ("required", "false"), ("trial", "false"),
        ])
    func onlyOutputs(_ name: String, _ value: String) throws {
        let member = "\"lane\": \"one\", \"\(name)\": \(value)"
        AccessoryCase.expectFault(
            "/0/\(name)", "is allowed only with \"out\"",
            of: "\(member), \"in\": {\"serial\": {\"device\": \"/v\"}}")
        _ = try AccessoryCase.accessory("\(member), \"out\": {\"relay\": {\"lcus\": {\"device\": \"/a\"}}}")
    }

    @Test(
        "A contact closes for allow alone or for other outcomes",
        arguments: [
            (#"["allow"]"#, nil), (#"["deny"]"#, nil), (#"["deny", "failed", "unclear"]"#, nil),
            (#"["allow", "deny"]"#, "must be \"allow\" alone"), (#"["failed", "allow"]"#, "alone"),
            ("[]", "must contain at least one outcome"), (#"["yes"]"#, "must be one of"),
        ] as [(String, String?)])
    func contactOutcomes(_ outcomes: String, _ words: String?) {
        let faults = AccessoryCase.faults(
            of:
                #"[{"name": "a", "lane": "one", "out": {"relay": {"lcus": {"device": "/a"}, "outcomes": \#(outcomes)}}}]"#
        )
        #expect(faults.isEmpty == (words == nil), "\(faults)")
        guard let words else { return }
        #expect(faults[0].pointer.hasPrefix("/0/out/relay/outcomes") && faults[0].requirement.contains(words))
    }

    @Test("Each value is taken up to its edges and refused beside them", arguments: AccessoryCase.values)
    func values(_ value: AccessoryCase.Value) throws {
        for text in value.accepted {
            let faults = AccessoryCase.faults(of: value.list(with: text))
            #expect(faults.isEmpty, "\(text): \(faults)")
        }
        for text in value.refused {
            let faults = AccessoryCase.faults(of: value.list(with: text))
            #expect(faults.map(\.pointer) == ["/0\(value.pointer)"], "\(text): \(faults)")
        }
    }

    @Test(
        "A fault of several members is reported at the member to change",
        arguments: [
            (
                #"{"relay": {"modbus": {"host": "a", "coil": 1, "speed": 9600}}}"#,
                "/relay/modbus/speed", "only with \"device\""
            ),
            (
                #"{"relay": {"modbus": {"device": "/a", "coil": 1, "port": 502}}}"#,
                "/relay/modbus/port", "only with \"host\""
            ),
            (
                #"{"relay": {"modbus": {"device": "/a", "coil": 1, "unit": 0}}}"#,
                "/relay/modbus/unit", "from 1 to 247"
            ),
            (
                #"{"osdp": {"device": "/a", "keyFile": "/k", "allow": {"facility": 256, "card": 1}}}"#,
                "/osdp/allow/facility", "at most 255 with 26 bits"
            ),
        ])
    func several(_ out: String, _ pointer: String, _ words: String) {
        AccessoryCase.expectFault("/0/out\(pointer)", words, of: "\"lane\": \"one\", \"out\": \(out)")
    }

    @Test("The twins of faults of several members are taken")
    func severalTwins() throws {
        for out in [
            #"{"relay": {"modbus": {"device": "/a", "coil": 1, "speed": 9600, "unit": 247}}}"#,
            #"{"relay": {"modbus": {"host": "a", "coil": 1, "port": 502, "unit": 0}}}"#,
            #"{"osdp": {"device": "/a", "keyFile": "/k", "allow": {"facility": 255, "card": 1}}}"#,
            #"{"osdp": {"device": "/a", "keyFile": "/k", "allow": {"bits": 34, "facility": 256, "card": 1}}}"#,
        ] {
            _ = try AccessoryCase.accessory("\"lane\": \"one\", \"out\": \(out)")
        }
    }

    @Test("Roots are named only for a broker with TLS")
    func authority() throws {
        func broker(_ scheme: String) -> String {
            #""out": {"mqtt": {"broker": "\#(scheme)://b", "authority": "/roots.pem"}}"#
        }
        _ = try AccessoryCase.accessory(broker("mqtts"))
        AccessoryCase.expectFault(
            "/0/out/mqtt/authority", "only with a broker at mqtts://", of: broker("mqtt"))
    }

    @Test(
        "A template is checked with the layout and the date beside it, and its fault is at the template",
        arguments: [
            (#""templates": {"allow": "ok{enter}"}"#, nil),
            (#""templates": {"allow": "{age}{enter}"}, "layout": "us""#, nil),
            (#""templates": {"allow": "{age}{enter}"}"#, "/templates/allow"),
            (
                #""templates": {"allow": "{standIn:MMDDYYYY}"}, "layout": "de", "standIn": "1977-07-07""#, nil
            ),
            (#""templates": {"allow": "{standIn:MMDDYYYY}"}, "layout": "de""#, "/templates/allow"),
            (#""templates": {"allow": "ok", "deny": "{birthDate}"}"#, "/templates/deny"),
            (#""templates": {"allow": "ok", "deny": "no; rm"}, "layout": "us""#, "/templates/deny"),
            (#""templates": {}"#, "/templates"), (#""layout": "us""#, "/templates"),
            (#""templates": {"yes": "ok"}"#, "/templates/yes"),
        ] as [(String, String?)])
    func templates(_ members: String, _ pointer: String?) {
        let faults = AccessoryCase.faults(
            of: #"[{"name": "a", "lane": "one", "out": {"keys": {\#(members)}}}]"#)
        #expect(faults.map(\.pointer) == (pointer.map { ["/0/out/keys\($0)"] } ?? []), "\(faults)")
    }

    @Test("A serial line needs no layout, and has no function keys")
    func line() throws {
        func line(_ template: String) -> String {
            #""lane": "one", "out": {"line": {"device": "/a", "templates": {"allow": "\#(template)"}}}"#
        }
        _ = try AccessoryCase.accessory(line("{age} {code}{enter}"))
        AccessoryCase.expectFault("/0/out/line/templates/allow", "", of: line("{f1}"))
    }
}
