import Accessories
import JSON
import Testing

@testable import countersign_accessories

@Suite("The workers of accessories")
struct GroupTests {
    private static func contact(_ name: String, _ board: RelayBoard) -> Accessory {
        let device = OutputDevice.relay(RelayOutput(board: board))
        return Accessory(
            name: name, lane: "gate", role: .output(Output(device: device, rule: OutputRule())),
            isTrial: false, source: .null)
    }

    @Test("The contacts of one serial line share a worker, and all others have their own")
    func groups() {
        let accessories = [
            Self.contact("one", .lcus(device: "/dev/ttyUSB0")),
            Self.contact("other", .lcus(device: "/dev/ttyUSB1")),
            Self.contact("two", .lcus(device: "/dev/ttyUSB0")),
            Self.contact("lamp", .gpio(chip: "/dev/gpiochip0", line: 3, isActiveLow: false)),
            Self.contact("gate", .gpio(chip: "/dev/gpiochip0", line: 4, isActiveLow: false)),
        ]
        #expect(
            RunningAccessories.grouped(accessories).map { $0.map(\.name) }
                == [["one", "two"], ["other"], ["lamp"], ["gate"]])
    }
}
