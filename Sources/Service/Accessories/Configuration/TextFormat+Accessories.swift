internal import ConfigurationForms

/// The formats of texts of accessories.
extension TextFormat {
    static let usbIdentity = ConfigurationFormat<USBIdentity>(
        "`VENDOR:PRODUCT`",
        requirement: "must be a USB id in small letters, such as \"0c2e:0b61\"",
        pattern: "^[0-9a-f]{4}:[0-9a-f]{4}$", examples: ["0c2e:0b61", "05e0:1300"]
    ) { USBIdentity($0) }

    private static let outcomes = AccessoryOutcome.allCases.map(\.rawValue)
    static let outcome = ConfigurationFormat<AccessoryOutcome>(
        "an outcome", requirement: "the name must be an outcome: \(outcomes.joined(separator: ", "))",
        pattern: "^(\(outcomes.joined(separator: "|")))$", examples: ["allow", "deny"]
    ) { AccessoryOutcome(rawValue: $0) }

    static let standInDate = ConfigurationFormat<StandInDate>(
        "`YYYY-MM-DD`", requirement: "must be a date such as \"1977-07-07\"",
        pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", examples: ["1977-07-07", "1980-12-31"]
    ) { StandInDate($0) }

    static let boardSerial = ConfigurationFormat<String>(
        "five printable ASCII characters, no space",
        requirement: "must be the five characters that the board reports", pattern: "^[!-~]{5}$",
        examples: ["HURTM", "BITFT"],
        holds: { $0.utf8.count == 5 && $0.utf8.allSatisfy { (0x21...0x7e).contains($0) } })

    static let usbPath = ConfigurationFormat<String>(
        "`BUS-PORT` or `BUS-PORT.PORT`",
        requirement: "must be a name in /sys/bus/usb/devices, such as \"1-1.2\"",
        pattern: "^[0-9]+-[0-9]+(\\.[0-9]+)*$", examples: ["1-1.2", "2-1"],
        holds: { text in
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2 else { return false }
            return ([parts[0]] + parts[1].split(separator: ".", omittingEmptySubsequences: false))
                .allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }
        })

    static let host = ConfigurationFormat<String>(
        "a host name or an address", requirement: "must be a host name or an address, without a port",
        pattern: "^([A-Za-z0-9.-]+|[0-9A-Fa-f:.]+)$", examples: ["relay.example", "192.0.2.7"],
        holds: { isHostName($0) || isAddress6($0) })

    static let broker = ConfigurationFormat<MQTTBroker>(
        "`mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`",
        requirement: "must be mqtt:// or mqtts:// and a host, without a path",
        pattern: "^mqtts?://[^/?#@\\\\ ]+$",
        examples: ["mqtts://broker.example", "mqtt://127.0.0.1:1883"]
    ) { MQTTBroker($0) }

    static let topic = ConfigurationFormat<String>(
        "letters, digits, `-` and `_`, in levels separated by `/`",
        requirement: "must consist of letters, digits, - and _, in levels separated by /",
        pattern: "^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$", examples: ["homeassistant", "home/assistant"],
        holds: { text in
            text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { level in
                !level.isEmpty && laneName.parse(String(level)) != nil
            }
        })

    fileprivate static func isHostName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                isDigit($0) || isLetter($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
            }
    }

    /// Whether a text has the characters of an IPv6 address. The resolver checks the address itself. With a single
    /// colon the text is a name and a port.
    fileprivate static func isAddress6(_ text: some StringProtocol) -> Bool {
        text.utf8.count { $0 == UInt8(ascii: ":") } > 1
            && text.utf8.allSatisfy { byte in
                isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
                    || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
            }
    }

    fileprivate static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        // Bit 20h is the difference between a capital and a small letter.
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

/// The address of an MQTT broker.
struct MQTTBroker: Equatable, Sendable {
    let host: String
    let port: UInt16
    /// Whether the connection uses TLS.
    let isSecure: Bool
}

extension MQTTBroker {
    /// Reads `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`. An IPv6 address is in brackets.
    fileprivate init?(_ text: String) {
        guard let scheme = ["mqtts://", "mqtt://"].first(where: text.hasPrefix) else { return nil }
        let isSecure = scheme == "mqtts://"
        let rest = text.dropFirst(scheme.count)
        let host: Substring
        let port: Substring
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            host = rest[..<end].dropFirst()
            port = rest[end...].dropFirst()
            guard TextFormat.isAddress6(host) else { return nil }
        } else {
            host = rest.prefix { $0 != ":" }
            port = rest.dropFirst(host.count)
            guard TextFormat.isHostName(host) else { return nil }
        }
        guard let number = Self.port(port, standard: isSecure ? 8883 : 1883) else { return nil }
        self.init(host: String(host), port: number, isSecure: isSecure)
    }

    /// Reads the text after the host: `:PORT`, or nothing for the standard port.
    private static func port(_ text: Substring, standard: UInt16) -> UInt16? {
        guard !text.isEmpty else { return standard }
        let digits = text.dropFirst()
        // `UInt16(_:)` would accept a plus sign.
        guard text.hasPrefix(":"), digits.utf8.allSatisfy(TextFormat.isDigit), let port = UInt16(digits),
            port > 0
        else { return nil }
        return port
    }
}

extension StandInDate {
    /// Reads `YYYY-MM-DD`, which must be a day of the Gregorian calendar.
    fileprivate init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy(TextFormat.isDigit) }), let year = Int(parts[0]),
            let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month),
            (1...Self.days(ofMonth: month, in: year)).contains(day)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    private static func days(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
