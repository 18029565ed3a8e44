extension Accessory {
    /// Compares what two accessories do. Two objects of a file that differ only in members with their default value,
    /// or in the order of members, are equal.
    package static func == (one: Accessory, other: Accessory) -> Bool {
        one.name == other.name && one.lane == other.lane && one.role == other.role
            && one.isTrial == other.isTrial
    }
}

extension Accessory {
    /// The maximum number of accessories at one lane.
    package static let mostAtLane = 4

    // The ends of the faults "accessory NAME …", which the reference repeats.
    static let sameDevice = "uses the same device: give each accessory its own device"
    static let sameContact = "switches the same contact: give each accessory its own contact"
    static let sameBroker =
        "publishes to the same broker with the same base: give each accessory its own base"
    static let secondKeys = "types keys already: only one accessory of a computer may type keys"
    private static let otherWay =
        "uses the same device with another protocol or speed: give each accessory its own device"

    /// Returns the conflict with another accessory that would use this accessory's name or device, or whose lane has
    /// too many accessories. `nil` if there is no conflict.
    package func conflict(with others: [Accessory]) -> String? {
        for other in others {
            if other.name == name { return "another accessory has this name" }
            if let conflict = claim.conflict(with: other.claim) {
                return "accessory \(other.name) \(conflict)"
            }
        }
        guard let lane, others.count(where: { $0.lane == lane }) >= Self.mostAtLane else { return nil }
        return "lane \(lane) has \(Self.mostAtLane) accessories already"
    }

    /// The device that an accessory opens, and the part of the device that it uses.
    private struct Claim {
        enum Device: Equatable {
            case path(String)
            case usb(USBIdentity)
            case boardSerial(String)
            case usbPath(String)
            case network(host: String, port: UInt16)
            case broker(host: String, port: UInt16, base: String)
            case keys
        }

        /// The way in which accessories use a device together. All of them have to use it in the same way.
        enum Sharing: Equatable {
            case gpio, lcus, kmtronic, usbRelay, hidRelay, modbusTCP
            case modbusRTU(speed: Int)
        }

        /// A contact of a device that several accessories share.
        struct Contact: Equatable {
            var unit: UInt8 = 0
            let number: Int
        }

        let device: Device
        /// The way and the contact; `nil` if the accessory needs the device for itself.
        var shared: (way: Sharing, contact: Contact)?

        /// Returns the end of the text of the fault, or `nil` if both accessories can work.
        func conflict(with other: Self) -> String? {
            guard device == other.device else { return nil }
            guard let shared, let others = other.shared else {
                return switch device {
                case .keys: Accessory.secondKeys
                case .broker: Accessory.sameBroker
                default: Accessory.sameDevice
                }
            }
            guard shared.way == others.way else { return Accessory.otherWay }
            return shared.contact == others.contact ? Accessory.sameContact : nil
        }
    }

    private var claim: Claim {
        switch role {
        case .scanner(.serial(let scanner)): Claim(device: .path(scanner.device))
        case .scanner(.keyboard(let scanner)): Claim(device: .usb(scanner.usb))
        case .scanner(.hidPOS(let scanner)): Claim(device: .usb(scanner.usb))
        case .scanner(.camera(let scanner)): Claim(device: .path(scanner.device))
        case .output(let output):
            switch output.device {
            case .keys: Claim(device: .keys)
            case .line(let line): Claim(device: .path(line.device))
            case .relay(let relay): Self.claim(of: relay)
            case .osdp(let reader): Claim(device: .path(reader.device))
            case .mqtt(let broker):
                Claim(device: .broker(host: broker.host, port: broker.port, base: broker.base))
            }
        }
    }

    private static func claim(of relay: RelayOutput) -> Claim {
        let channel = Claim.Contact(number: relay.channel)
        return switch relay.board {
        case .gpio(let chip, let line, _):
            Claim(device: .path(chip), shared: (.gpio, Claim.Contact(number: line)))
        case .lcus(let device): Claim(device: .path(device), shared: (.lcus, channel))
        case .kmtronic(let device): Claim(device: .path(device), shared: (.kmtronic, channel))
        case .usbRelay(let serial): Claim(device: .boardSerial(serial), shared: (.usbRelay, channel))
        case .hidRelay(let usbPath): Claim(device: .usbPath(usbPath), shared: (.hidRelay, channel))
        case .modbusRTU(let device, let speed, let unit, let coil):
            Claim(
                device: .path(device),
                shared: (.modbusRTU(speed: speed), Claim.Contact(unit: unit, number: Int(coil))))
        case .modbusTCP(let host, let port, let unit, let coil):
            Claim(
                device: .network(host: host, port: port),
                shared: (.modbusTCP, Claim.Contact(unit: unit, number: Int(coil))))
        }
    }
}
