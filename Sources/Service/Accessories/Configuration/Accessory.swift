package import JSON

/// A device at a lane: a scanner that reads a phone's code, or an output that acts on an outcome.
///
/// `countersignd` reads the accessories from its configuration file, and decides which outputs are due.
/// `countersign-accessories` receives the accessories from the daemon as JSON (`source`), reads them with the same form
/// (`AccessoryForms`), and opens their devices. Neither program contains a second description of an accessory.
package struct Accessory: Equatable, Sendable {
    /// The part that an accessory has at its lane.
    package enum Role: Equatable, Sendable {
        case scanner(Scanner)
        case output(Output)
    }

    /// The name in the file, in receipts and in reports: 1 to 32 letters, digits, `-` and `_`.
    package let name: String
    /// The name of the lane; `nil` for an MQTT broker, which serves all lanes.
    package let lane: String?
    package let role: Role
    /// Whether an output also acts on test documents. Every report of the accessory's state then says `trial`.
    package let isTrial: Bool
    /// The object of the configuration file from which the accessory was read.
    package let source: JSONValue

    package init(name: String, lane: String?, role: Role, isTrial: Bool, source: JSONValue) {
        self.name = name
        self.lane = lane
        self.role = role
        self.isTrial = isTrial
        self.source = source
    }

    /// The output, or `nil` for a scanner.
    package var output: Output? { if case .output(let output) = role { output } else { nil } }

    /// The scanner, or `nil` for an output.
    package var scanner: Scanner? { if case .scanner(let scanner) = role { scanner } else { nil } }
}

/// The state of an accessory. The raw values are the words in the HTTP API, the metrics and the pages.
package enum AccessoryState: String, CaseIterable, Sendable {
    case ready
    /// The device is not plugged in, or its address cannot be reached.
    case absent
    /// Another program has opened the device.
    case busy
    /// This program's user may not open the device.
    case notPermitted
    /// The device or the program `countersign-accessories` does not answer.
    case notAnswering
    /// The device contradicts the configuration file, for example because it has no such channel.
    case misconfigured
    /// The accessory is ready, and acts on test documents too.
    case trial

    /// Whether an output in this state can act.
    package var isUsable: Bool { self == .ready || self == .trial }
}

/// The outcome on which an output acts. The raw values are those of the outcome in the HTTP API.
package enum AccessoryOutcome: String, CaseIterable, Sendable {
    case allow, deny, unclear, declined, cancelled, failed
}

/// A USB vendor and product number, written `0c2e:0b61`.
package struct USBIdentity: Hashable, Sendable, CustomStringConvertible {
    package let vendor: UInt16
    package let product: UInt16

    package init(vendor: UInt16, product: UInt16) {
        self.vendor = vendor
        self.product = product
    }

    /// Reads the form `0c2e:0b61`: two times four hexadecimal digits in lower case.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 4 && $0.utf8.allSatisfy(Self.isDigit) }),
            let vendor = UInt16(parts[0], radix: 16), let product = UInt16(parts[1], radix: 16)
        else { return nil }
        self.init(vendor: vendor, product: product)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    package var description: String { "\(Self.text(vendor)):\(Self.text(product))" }

    private static func text(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}
