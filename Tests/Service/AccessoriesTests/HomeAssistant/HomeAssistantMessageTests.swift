import Testing

@testable import Accessories

@Suite("Topics and messages of a lane")
struct HomeAssistantMessageTests {
    private func lane(
        _ name: String = "gate", presets: [String] = [], base: String = "countersign/shop"
    ) throws -> HomeAssistantLane {
        try #require(HomeAssistantLane(name, presets: presets, base: base))
    }

    private func identifier() throws -> EventIdentifier {
        try #require(EventIdentifier(randomBytes: [0, 1, 2, 3, 0x7f, 0x80, 0xfe, 0xff]))
    }

    private func text(_ message: MQTTMessage) -> String { String(decoding: message.payload, as: UTF8.self) }

    @Test("A lane's topics begin with base and lane; the base may have several levels")
    func topics() throws {
        let lane = try lane()
        #expect(
            [lane.eventTopic, lane.stateTopic, lane.problemTopic, lane.availabilityTopic, lane.askTopic]
                == ["event", "state", "problem", "available", "ask"].map { "countersign/shop/gate/\($0)" })
    }

    @Test(
        "A base or a lane with a wildcard, an empty level, a space or a control character is no topic",
        arguments: ["", "/", "a/", "/a", "a//b", "a/+", "#", "$SYS", "a b", "a\u{0}", "\u{fc}", "a\n"])
    func wrongTopics(_ text: String) {
        #expect(!MQTTTopic.isName(text))
        #expect(HomeAssistantLane("gate", presets: [], base: text) == nil)
        #expect(HomeAssistantLane(text, presets: [], base: "countersign") == nil)
    }

    @Test("A base has at most 128 bytes, and a lane is one level")
    func longTopics() {
        #expect(MQTTTopic.isName(String(repeating: "a", count: 128)))
        #expect(!MQTTTopic.isName(String(repeating: "a", count: 129)))
        #expect(MQTTTopic.isName("a/b") && !MQTTTopic.isLevel("a/b"))
    }

    @Test("Different bases and lanes have different devices")
    func nodes() throws {
        let pairs = [
            ("a/b", "c"), ("a", "b-c"), ("a_b", "c"), ("a", "b_c"), ("a_2fb", "c"), ("a-b", "c"), ("a", "_"),
            ("a_", "a"), ("a", "a"), ("a/a", "a"),
        ]
        let nodes = try pairs.map { try lane($1, base: $0).node }
        #expect(Set(nodes).count == pairs.count)
        #expect(nodes.allSatisfy { $0.utf8.allSatisfy { $0 != UInt8(ascii: "/") } })
        #expect(try lane().node == "countersign_2fshop__gate")
    }

    @Test("State, problem and availability are retained, in the words that Home Assistant expects")
    func retained() throws {
        let lane = try lane()
        let messages = [
            lane.message(.awaitingConsent), lane.message(hasProblem: true), lane.message(hasProblem: false),
            lane.message(isAvailable: true), lane.message(isAvailable: false),
        ]
        #expect(messages.map(text) == ["awaitingConsent", "ON", "OFF", "online", "offline"])
        #expect(messages.allSatisfy { $0.isRetained })
        #expect(lane.removals.allSatisfy { $0.isRetained && $0.payload.isEmpty })
        #expect(
            Set(lane.removals.map(\.topic)) == [lane.stateTopic, lane.problemTopic, lane.availabilityTopic])
    }

    @Test(
        "An outcome is a word and a random identifier, and is never retained",
        arguments: AccessoryOutcome.allCases)
    func event(_ outcome: AccessoryOutcome) throws {
        let event = try lane().event(outcome, identifier(), isTest: false)
        #expect(event.topic == "countersign/shop/gate/event" && !event.message.isRetained)
        #expect(text(event.message) == #"{"event_type":"\#(outcome.rawValue)","id":"000102037f80feff"}"#)
    }

    @Test("The event of a test document says so")
    func testEvent() throws {
        let event = try lane().event(.allow, identifier(), isTest: true)
        #expect(text(event.message) == #"{"event_type":"allow","id":"000102037f80feff","test":true}"#)
    }

    @Test("An identifier is made of eight bytes", arguments: [0, 7, 9])
    func identifiers(_ count: Int) {
        #expect(EventIdentifier(randomBytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test("A state that is over becomes idle; an unknown word is no state")
    func states() {
        for word in ["idle", "verified", "rejected", "declined", "cancelled", "failed"] {
            #expect(HomeAssistantState(apiState: word) == .idle, "\(word)")
        }
        for word in ["armed", "engaged", "awaitingConsent", "receiving", "awaitingDecision"] {
            #expect(HomeAssistantState(apiState: word)?.rawValue == word)
        }
        for word in ["", "Armed", "allow", "verifying", "paused"] {
            for isPaused in [false, true] {
                #expect(HomeAssistantState(apiState: word, isPaused: isPaused) == nil, "\(word)")
            }
        }
    }

    @Test("A paused lane is paused while nothing runs there, and otherwise has the state of its presentation")
    func paused() {
        for word in ["idle", "verified", "rejected", "declined", "cancelled", "failed"] {
            #expect(HomeAssistantState(apiState: word, isPaused: true) == .paused, "\(word)")
        }
        for word in ["armed", "engaged", "awaitingConsent", "receiving", "awaitingDecision"] {
            #expect(HomeAssistantState(apiState: word, isPaused: true)?.rawValue == word)
        }
    }

    @Test("A command names a preset exactly")
    func presets() throws {
        let lane = try lane(presets: ["Age 18", "Age 21"])
        #expect(lane.preset(named: Array("Age 21".utf8)) == "Age 21")
        for text in ["", "age 21", "Age 21 ", "Age 2", "Age 211", "Age 21\u{0}"] {
            #expect(lane.preset(named: Array(text.utf8)) == nil, "\(text)")
        }
    }
}
