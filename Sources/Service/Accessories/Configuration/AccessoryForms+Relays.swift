internal import ConfigurationForms
internal import JSON

extension AccessoryForms {
    /// The form of a contact.
    static let relay = ConfigurationForm<RelayMembers>.object(RelayMembers(), RelayMembers.table).map {
        members, text, _ throws(JSONFault) in
        // The table has refused an object without a board already.
        guard let contact = members.contact else { throw text.missing("gpio") }
        var relay = RelayOutput(board: contact.board)
        relay.channel = contact.channel
        relay.pulse = members.pulse
        return Output(.relay(relay), on: members.outcomes)
    }
}

/// A contact of a board.
struct RelayContact: Hashable, Sendable {
    let board: RelayBoard
    /// The number of the contact on the board, from 1.
    var channel = 1
}

/// The members of a contact in the file, before a `RelayOutput` is made from them.
struct RelayMembers: Sendable {
    /// The contact. Each board is a member of its own in the file, and sets this property.
    var contact: RelayContact?
    var pulse = Duration.milliseconds(500)
    var outcomes: Set<AccessoryOutcome> = [.allow]
}

extension RelayMembers {
    fileprivate static let table = ConfigurationTable<Self>(
        [
            "gpio": .optional("a GPIO line of this computer", as: gpio, at: \.contact),
            "lcus": .optional(
                "an LCUS board at a CH340 serial chip. It cannot be read back",
                as: board { .lcus(device: $0) }, at: \.contact),
            "kmtronic": .optional(
                "a KMTronic board at a serial line", as: board { .kmtronic(device: $0) }, at: \.contact),
            "usbRelay": .optional(
                "a board of the kind `USBRelay1` to `USBRelay8` (USB id 16c0:05df)", as: usbRelay,
                at: \.contact),
            "hidRelay": .optional(
                "a board of the kind `HIDRelay` (USB id 16c0:05df). It cannot be read back", as: hidRelay,
                at: \.contact),
            "modbus": .optional(
                "a coil of a Modbus device, at a serial line (`device`) or in the network (`host`)",
                as: ModbusMembers.form, at: \.contact),
            "pulseMs": .value(
                "how long the contact is closed", as: .milliseconds(100...10_000), at: \.pulse),
            "outcomes": .value(
                "the outcomes for which the contact closes: `[\"allow\"]` for a lock or a turnstile, other outcomes for a lamp or a tone",
                as: AccessoryForms.words(empty: "must contain at least one outcome"), at: \.outcomes,
                faults: "`\(mixed)`"),
        ],
        oneOf: ["gpio", "lcus", "kmtronic", "usbRelay", "hidRelay", "modbus"],
        rules: [
            .init(of: "outcomes") { object, members throws(JSONFault) in
                guard members.outcomes.contains(.allow), members.outcomes.count > 1 else { return }
                throw try object.member("outcomes").wrong(mixed)
            }
        ])

    private static let mixed =
        "must be \"allow\" alone, or outcomes without \"allow\": a contact that opens a lock must not close for another outcome"

    private static let channel = ConfigurationPart<Int>.value(
        "channel", "the number of the contact on the board", as: .whole(1...8), standard: 1,
        faults: sameContact)

    private static let sameContact = "`accessory NAME \(Accessory.sameContact)` (at `accessories[N]`)"

    private static let gpio = ConfigurationForm<RelayContact>.made(
        of: .required("chip", "the GPIO chip, such as `/dev/gpiochip0`", as: .path),
        .required(
            "line", "the number of the line on the chip, as `gpioinfo` shows it", as: .whole(0...1023),
            faults: sameContact),
        .value(
            "activeLow", "whether a low level closes the contact", as: .boolean, standard: false),
        as: { (chip: String, line: Int, isActiveLow: Bool) in
            RelayContact(board: .gpio(chip: chip, line: line, isActiveLow: isActiveLow))
        })

    /// Returns the form of a contact on a board at a serial line.
    private static func board(
        _ make: @escaping @Sendable (_ device: String) -> RelayBoard
    ) -> ConfigurationForm<RelayContact> {
        .made(
            of: .required(
                "device", "the device of the serial line, preferably below `/dev/serial/by-id`", as: .path,
                faults: AccessoryForms.sameDevice),
            channel,
            as: { (device: String, channel: Int) in
                RelayContact(board: make(device), channel: channel)
            })
    }

    private static let usbRelay = ConfigurationForm<RelayContact>.made(
        of: .required(
            "serial", "the five characters that the board reports as its own name",
            as: .text(upTo: 5, TextFormat.boardSerial)),
        channel,
        as: { (serial: String, channel: Int) in
            RelayContact(board: .usbRelay(serial: serial), channel: channel)
        })

    private static let hidRelay = ConfigurationForm<RelayContact>.made(
        of: .required(
            "usbPath",
            "the port at which the board is plugged in, as in `/sys/bus/usb/devices`. All these boards have one serial number",
            as: .text(upTo: 32, TextFormat.usbPath)),
        channel,
        as: { (usbPath: String, channel: Int) in
            RelayContact(board: .hidRelay(usbPath: usbPath), channel: channel)
        })
}

/// The members of a Modbus coil in the file.
private struct ModbusMembers: Sendable {
    var device: String?
    var speed = 9600
    var host: String?
    var port: UInt16 = 502
    var unit: UInt8 = 1
    var coil: UInt16 = 0

    static let form = ConfigurationForm<Self>.object(Self(), table).map {
        members, text, _ throws(JSONFault) in
        RelayContact(board: try members.board(of: text))
    }

    private func board(of text: JSONText) throws(JSONFault) -> RelayBoard {
        if let device { return .modbusRTU(device: device, speed: speed, unit: unit, coil: coil) }
        // The table has refused an object with neither `device` nor `host` already.
        guard let host else { throw text.missing("host") }
        return .modbusTCP(host: host, port: port, unit: unit, coil: coil)
    }

    private static let table = ConfigurationTable<Self>(
        [
            "device": .optional(
                "the device of the serial line, preferably below `/dev/serial/by-id`", as: .path,
                at: \.device),
            "speed": .value(
                "the speed of the serial line in bits per second", as: AccessoryForms.speed, at: \.speed,
                faults: "`\(onlySerial)`"),
            "host": .optional(
                "the device's address or name in the network. Modbus has no password: use a network of its own",
                as: .text(upTo: 253, TextFormat.host), at: \.host),
            "port": .value("TCP port", as: .whole(1...65_535), at: \.port, faults: "`\(onlyTCP)`"),
            "unit": .value(
                "the number of the unit. At a serial line from 1 to 247", as: .whole(0...255), at: \.unit,
                faults: "`\(notAUnit)`"),
            "coil": .required(
                "the number of the coil, from 0", as: .whole(0...65_535), at: \.coil,
                faults: "`accessory NAME \(Accessory.sameContact)` (at `accessories[N]`)"),
        ],
        oneOf: ["device", "host"],
        rules: [
            .init(of: "speed") { object, _ throws(JSONFault) in
                guard let speed = object.members["speed"], object.members["device"] == nil else { return }
                throw speed.wrong(onlySerial)
            },
            .init(of: "port") { object, _ throws(JSONFault) in
                guard let port = object.members["port"], object.members["host"] == nil else { return }
                throw port.wrong(onlyTCP)
            },
            .init(of: "unit", "device") { object, members throws(JSONFault) in
                // 0 is the broadcast, which no device answers, and the numbers above 247 are reserved.
                guard members.device != nil, !(1...247).contains(members.unit) else { return }
                throw try object.member("unit").wrong(notAUnit)
            },
        ])

    private static let onlySerial = "is allowed only with \"device\""
    private static let onlyTCP = "is allowed only with \"host\""
    private static let notAUnit = "must be from 1 to 247 at a serial line"
}
