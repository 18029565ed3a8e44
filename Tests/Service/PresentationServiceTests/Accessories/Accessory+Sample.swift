import Accessories
import JSON

extension Accessory {
    /// A lock at a lane: a contact of a GPIO line.
    static func lock(
        _ name: String = "lock", at lane: String? = "one", rule: OutputRule = OutputRule(),
        isTrial: Bool = false, isRequired: Bool = false
    ) -> Accessory {
        var output = Output(
            device: .relay(
                RelayOutput(board: .gpio(chip: "/dev/gpiochip0", line: 1, isActiveLow: false))), rule: rule)
        output.isRequired = isRequired
        return Accessory(
            name: name, lane: lane, role: .output(output), isTrial: isTrial,
            source: ["name": .string(name), "trial": .boolean(isTrial)])
    }

    /// A broker, which serves all lanes.
    static func broker(_ name: String = "home") -> Accessory {
        Accessory(
            name: name, lane: nil, role: .output(Output(device: .mqtt(MQTTOutput()), rule: OutputRule())),
            isTrial: false, source: ["name": .string(name)])
    }

    /// A serial scanner at a lane.
    static func scanner(_ name: String = "qr-1", at lane: String = "one") -> Accessory {
        Accessory(
            name: name, lane: lane, role: .scanner(.serial(SerialScanner())), isTrial: false,
            source: ["name": .string(name)])
    }
}
