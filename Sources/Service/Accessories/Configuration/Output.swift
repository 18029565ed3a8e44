/// An output that acts on the outcome of a presentation: keys, a serial line, a contact, a panel or a broker.
package struct Output: Equatable, Sendable {
    package var device: OutputDevice
    package var rule: OutputRule
    /// Whether the lane's standing order is paused while the output is not ready.
    package var isRequired = false

    package init(device: OutputDevice, rule: OutputRule) {
        self.device = device
        self.rule = rule
    }
}

/// The rule that decides whether an output acts on an outcome.
package struct OutputRule: Equatable, Sendable {
    /// A kind of device engagement, by which the phone was met.
    package enum Engagement: String, CaseIterable, Sendable {
        /// A tap at the reader, in either version of NFC engagement.
        case nfc
        /// A code of the phone's screen. A photograph of the code works as far as Bluetooth does.
        case qr
    }

    /// The method by which the outcome was found.
    package enum Method: String, CaseIterable, Sendable {
        case machineValidation = "machine-validation"
    }

    /// The outcomes on which the output acts. It says nothing for any other outcome.
    package var outcomes: Set<AccessoryOutcome> = [.allow]
    /// The engagements with which the output acts on `allow`.
    package var engagements: Set<Engagement> = [.nfc]
    /// The methods with which the output acts on `allow`.
    package var methods: Set<Method> = [.machineValidation]
    /// The time after the outcome in which the output may act.
    package var valid = Duration.seconds(5)

    package init() {}
}

package enum OutputDevice: Equatable, Sendable {
    /// Keys that this computer's programs receive as from a keyboard.
    case keys(KeysOutput)
    /// The same text on a serial line, as a scanner would send it.
    case line(LineOutput)
    case relay(RelayOutput)
    /// A reader at a door controller (IEC 60839-11-5).
    case osdp(OSDPOutput)
    case mqtt(MQTTOutput)
}

package struct KeysOutput: Equatable, Sendable {
    /// The layout of the computer's keyboard; `nil` if the templates have only keys that all layouts share.
    package var layout: KeyboardLayout?
    package var templates: [AccessoryOutcome: OutputTemplate] = [:]
    /// The owner's fixed date for `{standIn:…}`.
    package var standIn: StandInDate?

    package init() {}
}

package struct LineOutput: Equatable, Sendable {
    package var device = ""
    /// The speed in bits per second.
    package var speed = 9600
    package var templates: [AccessoryOutcome: OutputTemplate] = [:]
    /// The owner's fixed date for `{standIn:…}`.
    package var standIn: StandInDate?

    package init() {}
}

/// A contact of a relay board or of the computer. A contact with the outcome `allow` opens a lock or a turnstile; a
/// contact with other outcomes switches a lamp or a tone.
package struct RelayOutput: Equatable, Sendable {
    package var board: RelayBoard
    /// The number of the contact on its board, from 1. Always 1 for GPIO and Modbus, whose board names the line.
    package var channel = 1
    /// The time for which the contact is closed.
    package var pulse = Duration.milliseconds(500)

    package init(board: RelayBoard) {
        self.board = board
    }
}

package enum RelayBoard: Hashable, Sendable {
    /// A line of the GPIO character device.
    case gpio(chip: String, line: Int, isActiveLow: Bool)
    /// An LCUS board at a CH340 serial chip, 9600 bits per second.
    case lcus(device: String)
    /// A KMTronic board at a serial line, 9600 bits per second.
    case kmtronic(device: String)
    /// A "USBRelay" board (16c0:05df), named by the five characters that it reports.
    case usbRelay(serial: String)
    /// A "HIDRelay" board (16c0:05df), named by its path in `/sys/bus/usb/devices`, such as `1-1.2`.
    case hidRelay(usbPath: String)
    /// A Modbus device at a serial line.
    case modbusRTU(device: String, speed: Int, unit: UInt8, coil: UInt16)
    /// A Modbus device in the network.
    case modbusTCP(host: String, port: UInt16, unit: UInt8, coil: UInt16)
}

package struct OSDPOutput: Equatable, Sendable {
    package var device = ""
    /// The speed in bits per second.
    package var speed = 9600
    /// The address at the panel's line, from 0 to 126.
    package var address = 0
    /// The file with the key of the secure channel: 32 hexadecimal digits.
    package var keyFile = ""
    /// The card number that is reported for `allow`.
    package var card = OSDPCard(bits: 26, facility: 0, number: 0)

    package init() {}
}

/// A card number of a fixed length, as a door controller reads it.
package struct OSDPCard: Equatable, Sendable {
    /// The number of bits: 26 (H10301) or 34 (H10306).
    package let bits: Int
    package let facility: Int
    package let number: Int

    package init(bits: Int, facility: Int, number: Int) {
        self.bits = bits
        self.facility = facility
        self.number = number
    }
}

package struct MQTTOutput: Equatable, Sendable {
    package var host = ""
    package var port: UInt16 = 1883
    package var isSecure = false
    /// The PEM file with the roots for the broker's certificate.
    package var authority: String?
    /// The file with the user's name and password, a line each.
    package var userFile: String?
    /// The first level of the topics.
    package var base = "countersign"
    /// The prefix of Home Assistant's discovery topics; `nil` for no discovery.
    package var discovery: String?
    /// Whether subscribers may start the lanes' presets.
    package var hasButtons = false

    package init() {}
}
