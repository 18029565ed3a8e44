import Accessories
import ConfigurationForms
import JSON
import Testing

@testable import countersignd

@Suite("Accessories in the daemon's file")
struct AccessoryConfigurationTests {
    private static func configuration(
        _ accessories: String, environment: [String: String] = [:]
    ) throws(ConfigurationFaults) -> DaemonConfiguration {
        let text = """
            {
              "lanes": [{"name": "gate", "reader": "1", "transport": "nfc", "standing": "age over 18"},
                        {"name": "till", "reader": "2", "transport": "nfc"}],
              "accessories": [
            \(accessories)
              ]
            }
            """
        return try DaemonConfiguration(Array(text.utf8), environment: environment)
    }

    /// Returns the text of the faults of a file with these accessories, which begin at line 5.
    private static func faultText(_ accessories: String) -> String {
        do throws(ConfigurationFaults) {
            _ = try configuration(accessories)
            return ""
        } catch {
            return error.text(of: "FILE")
        }
    }

    private static let lock = #""out": {"relay": {"lcus": {"device": "/dev/lock"}}}"#
    private static let scanner = #""in": {"serial": {"device": "/dev/scanner"}}"#

    @Test("The accessories of the file are read in their order, and a file without the member has none")
    func read() throws {
        let accessories = try Self.configuration(
            """
            {"name": "scan", "lane": "till", \(Self.scanner)},
            {"name": "lock", "lane": "gate", \(Self.lock), "required": true},
            {"name": "home", "out": {"mqtt": {"broker": "mqtts://broker.example"}}}
            """
        ).accessories
        #expect(accessories.map(\.name) == ["scan", "lock", "home"])
        #expect(accessories.map(\.lane) == ["till", "gate", nil])
        #expect(accessories[1].output?.isRequired == true)
        let none = try DaemonConfiguration(Array(#"{"lanes": [{"name": "a"}]}"#.utf8), environment: [:])
        #expect(none.accessories == [] && DaemonConfiguration().accessories == [])
    }

    @Test(
        "A fault of an accessory has its line, column and pointer",
        arguments: [
            (
                #"{"name": "lock", "lane": "door", \#(lock)}"#,
                "FILE:5:26: /accessories/0/lane: must be the name of a lane in lanes"
            ),
            (
                #"{"name": "scan", "lane": "door", \#(scanner)}"#,
                "FILE:5:26: /accessories/0/lane: must be the name of a lane in lanes"
            ),
            (
                "{\"name\": \"lock\", \"lane\": \"till\", \(lock),\n  \"required\": true}",
                "FILE:6:15: /accessories/0/required: has no effect without a standing order"
            ),
            (
                "{\"name\": \"a\", \"lane\": \"gate\", \(scanner)},\n{\"name\": \"b\", \"lane\": \"gate\", \(scanner)}",
                "FILE:6:1: /accessories/1: accessory a uses the same device: give each accessory its own device"
            ),
            (
                #"{"name": "lock", "lane": "gate", "out": {"relay": {"lcus": {}}}}"#,
                #"FILE:5:60: /accessories/0/out/relay/lcus/device: the member "device" is missing"#
            ),
            (#"{"name": "lock", \#(lock)}"#, #"FILE:5:1: /accessories/0/lane: the member "lane" is missing"#),
            (
                #"{"name": "lock", "lane": "gate", \#(lock), "trail": true}"#,
                #"/accessories/0/trail: the member "trail" is not known"#
            ),
        ])
    func faults(_ accessories: String, _ words: String) {
        let text = Self.faultText(accessories)
        #expect(text.contains(words) && !text.contains("\n"), "\(text)")
    }

    @Test("Faults of lanes are reported without faults of the accessories at them")
    func faultyLanes() throws {
        let text = """
            {"lanes": [{"name": "a b"}], "accessories": [{"name": "lock", "lane": "a b", \(Self.lock)},
             {"name": "lamp", "lane": "gate", \(Self.lock.replacing("lock", with: "lamp"))}]}
            """
        let faults = #expect(throws: ConfigurationFaults.self) {
            try DaemonConfiguration(Array(text.utf8), environment: [:])
        }
        #expect(
            try #require(faults).faults.map(\.pointer).sorted() == ["/accessories/0/lane", "/lanes/0/name"])
    }

    @Test("A trial output needs no acceptTestDocuments, and an output that is not required no standing order")
    func trial() throws {
        let accessories = try Self.configuration(
            #"{"name": "lock", "lane": "till", \#(Self.lock), "trial": true, "required": false}"#
        ).accessories
        #expect(accessories.map(\.isTrial) == [true])
    }

    @Test("The environment changes nothing about accessories")
    func environment() throws {
        let text = #"{"name": "lock", "lane": "gate", \#(Self.lock)}"#
        let environment = [
            "COUNTERSIGND_ACCESSORIES": "[]", "COUNTERSIGND_LOG": "debug", "COUNTERSIGND_STORE": "/srv/store",
        ]
        let changed = try Self.configuration(text, environment: environment)
        #expect(changed.logLevel == "debug" && changed.store == "/srv/store")
        #expect(try Self.configuration(text).accessories == changed.accessories)
    }

    @Test("A configuration differs from one whose accessory does something else, and from no other")
    func changes() throws {
        func configuration(_ members: String) throws -> DaemonConfiguration {
            try Self.configuration(#"{"name": "lock", "lane": "gate", \#(Self.lock)\#(members)}"#)
        }
        #expect(try configuration("") == configuration(#", "validSeconds": 5"#))
        #expect(try configuration("") != configuration(#", "validSeconds": 6"#))
    }

    @Test("A stopped kiosk has no accessories")
    func stopped() throws {
        let configuration = try Self.configuration(#"{"name": "lock", "lane": "gate", \#(Self.lock)}"#)
        #expect(configuration.accessories.count == 1 && configuration.stopped.accessories == [])
    }
}
