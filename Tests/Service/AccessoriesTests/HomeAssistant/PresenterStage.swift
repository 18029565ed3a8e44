import JSON
import Testing

@testable import Accessories

/// Makes presenters of Home Assistant, and what they are fed.
enum PresenterStage {
    static let base = "countersign"

    static func accessory(
        base: String = base, discovery: String? = "homeassistant", hasButtons: Bool = false,
        isTrial: Bool = false, outcomes: Set<AccessoryOutcome> = Set(AccessoryOutcome.allCases)
    ) -> Accessory {
        var settings = MQTTOutput()
        settings.base = base
        settings.discovery = discovery
        settings.hasButtons = hasButtons
        var rule = OutputRule()
        rule.outcomes = outcomes
        return Accessory(
            name: "home", lane: nil, role: .output(Output(device: .mqtt(settings), rule: rule)),
            isTrial: isTrial, source: .null)
    }

    /// A presenter that knows the lane `gate`, and is connected unless it is said otherwise.
    static func presenter(
        _ accessory: Accessory = accessory(), presets: [String] = ["Age 21"], isConnected: Bool = true
    ) throws -> HomeAssistantPresenter {
        var presenter = try #require(HomeAssistantPresenter(accessory, software: "1.2.3"))
        _ = presenter.setLanes([("gate", presets)])
        _ = presenter.enter("gate", "idle")
        if isConnected { _ = presenter.connected() }
        return presenter
    }

    static func output(
        _ number: Int64 = 1, accessory: String = "home", lane: String = "gate",
        _ outcome: AccessoryOutcome = .allow, isTest: Bool = false
    ) -> DueOutput {
        DueOutput(
            number: number, accessory: accessory, lane: lane, presentation: "0123456789abcdef",
            outcome: outcome, isTest: isTest, age: 21, code: "654321")
    }

    static func identifier(_ byte: UInt8 = 7) throws -> EventIdentifier {
        try #require(
            EventIdentifier(randomBytes: [UInt8](repeating: byte, count: EventIdentifier.length)))
    }
}

extension [HomeAssistantPresenter.Action] {
    /// The published messages as `TOPIC PAYLOAD`, in order.
    var published: [String] {
        compactMap { if case .publish(let message) = $0 { message } else { nil } }
            .map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
    }

    var subscriptions: [String] {
        compactMap { if case .subscribe(let pattern) = $0 { pattern } else { nil } }
    }
}
