package import JSON

/// One requirement of a reader, or of a chain's hub, on its computer, and its state.
package struct DoctorCheck: Equatable, Sendable {
    /// Stable names, in the order in which they are shown. A reader has none of a hub; a hub has its own and those of the clock.
    package enum ID: String, CaseIterable, Sendable {
        case service = "pcsc.service"
        case kernelModules = "reader.kernelModules"
        case access = "pcsc.access"
        case readerFound = "reader.found"
        case slot = "reader.slot"
        case apdus = "reader.apdus"
        case escape = "reader.escape"
        case secondEdition = "reader.secondEdition"
        case bluetoothDaemon = "bluetooth.daemon"
        case adapter = "bluetooth.adapter"
        case radioPower = "bluetooth.power"
        case lowEnergy = "bluetooth.lowEnergy"
        case advertising = "bluetooth.advertising"
        case firmware = "bluetooth.firmware"
        case bluetoothSettings = "bluetooth.settings"
        case plugins = "bluetooth.plugins"
        case smallValues = "bluetooth.smallValues"
        case usbPower = "usb.power"
        case clockSet = "clock.set"
        case clockSynchronised = "clock.synchronised"
        case trustRoots = "trust.roots"
        case trustAge = "trust.age"
        case testDocuments = "trust.testDocuments"
        case identityPresent = "identity.present"
        case identityProfile = "identity.profile"
        case identityExpiry = "identity.expiry"
        case permissions = "store.permissions"
        case space = "store.space"
        case coreDumps = "system.coreDumps"
        case fonts = "screen.fonts"
        case hubConfiguration = "hub.configuration"
        case hubFiles = "hub.files"
        case hubCertificates = "hub.certificates"
        case hubKeys = "hub.keys"
        case hubDatabase = "hub.database"
        case hubTables = "hub.tables"
        case hubBroker = "hub.broker"
        case hubAccounts = "hub.accounts"
    }

    package enum Status: String, CaseIterable, Sendable {
        case ok
        /// Worth knowing; nothing has to be done.
        case note
        /// It works, and not as well or not as long as it should.
        case warning
        /// Phones will not be read, or kiosks not served, or not safely.
        case failed
        /// Not looked at, since something before it is missing.
        case skipped
    }

    /// How it is put right.
    package enum Remedy: Equatable, Sendable {
        case command(CheckText)
        /// By `--fix`, which shows and writes these.
        case settings([SettingsFile])

        package var command: CheckText {
            switch self {
            case .command(let text): return text
            case .settings(let files):
                let steps = ["countersign doctor --fix"] + files.compactMap(\.afterwards).withoutRepetition
                return "\(steps.joined(separator: " && "))"
            }
        }
    }

    package let id: ID
    package let outcome: Status
    package let detail: CheckText
    /// Nil if nothing is to be done, or no command does it.
    package let remedy: Remedy?

    package static func ok(_ id: ID, _ detail: CheckText) -> DoctorCheck {
        DoctorCheck(id: id, outcome: .ok, detail: detail, remedy: nil)
    }

    package static func note(_ id: ID, _ detail: CheckText, fix: Remedy? = nil) -> DoctorCheck {
        DoctorCheck(id: id, outcome: .note, detail: detail, remedy: fix)
    }

    package static func warning(_ id: ID, _ detail: CheckText, fix: Remedy? = nil) -> DoctorCheck {
        DoctorCheck(id: id, outcome: .warning, detail: detail, remedy: fix)
    }

    package static func failed(_ id: ID, _ detail: CheckText, fix: Remedy? = nil) -> DoctorCheck {
        DoctorCheck(id: id, outcome: .failed, detail: detail, remedy: fix)
    }

    package static func skipped(_ id: ID, _ reason: CheckText) -> DoctorCheck {
        DoctorCheck(id: id, outcome: .skipped, detail: reason, remedy: nil)
    }
}

extension DoctorCheck {
    package func json(_ text: KeyPath<CheckText, String>) -> JSONValue {
        [
            "id": .string(id.rawValue), "outcome": .string(outcome.rawValue),
            "detail": .string(detail[keyPath: text]), "fix": JSONValue(remedy?.command[keyPath: text]),
        ]
    }
}

/// A file of the system's settings that is ours to write: an addition beside what the system's own packages have.
package struct SettingsFile: Equatable, Sendable {
    package let path: String
    package let contents: [UInt8]
    package let purpose: String
    /// What makes it take effect where it does not by itself; nobody runs it but a person.
    package let afterwards: String?

    package init(_ path: String, contents: [UInt8], purpose: String, afterwards: String?) {
        self.path = path
        self.contents = contents
        self.purpose = purpose
        self.afterwards = afterwards
    }
}

extension [String] {
    fileprivate var withoutRepetition: [String] {
        reduce(into: []) { kept, word in if !kept.contains(word) { kept.append(word) } }
    }
}

/// The text of a check: in full for the person at the computer, and without this installation's own names and paths
/// for others.
package struct CheckText: Equatable, Sendable, ExpressibleByStringInterpolation {
    package let full: String
    package let shared: String

    package init(stringLiteral value: String) {
        (full, shared) = (value, value)
    }

    package init(stringInterpolation: StringInterpolation) {
        (full, shared) = (stringInterpolation.full, stringInterpolation.shared)
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        /// The longest value that is shown, in characters.
        private static let limit = 400

        fileprivate var full = ""
        fileprivate var shared = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            full += literal
            shared += literal
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            appendLiteral(Terminal.safe(value.description, limit: Self.limit))
        }

        package mutating func appendInterpolation(_ text: CheckText) {
            full += text.full
            shared += text.shared
        }

        /// - Parameter word: what others read in its place.
        package mutating func appendInterpolation(own value: some CustomStringConvertible, as word: String) {
            full += Terminal.safe(value.description, limit: Self.limit)
            shared += Terminal.safe(word, limit: Self.limit)
        }
    }
}

extension [CheckText] {
    package func joined(by separator: String) -> CheckText {
        guard var text = first else { return "" }
        for next in dropFirst() { text = "\(text)\(separator)\(next)" }
        return text
    }
}
