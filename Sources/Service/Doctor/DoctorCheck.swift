package import JSON

/// The result of one check of `countersign doctor` or `countersign-hub doctor`: a requirement that the
/// computer has to meet, and whether it does.
package struct DoctorCheck: Equatable, Sendable {
    /// The stable names of the checks, in the order in which they are shown.
    ///
    /// `countersign doctor` makes all checks except the checks of a hub. `countersign-hub doctor` makes the
    /// checks of a hub and of the clock.
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
        case accessoryProgram = "accessories.program"
        case accessoryDevices = "accessories.devices"
        case accessoryRights = "accessories.rights"
        case scannerModes = "accessories.scannerModes"
        case modemManager = "accessories.modemManager"
        case brltty = "accessories.brltty"
        case accessorySecrets = "accessories.secrets"
        case accessoryStates = "accessories.states"
        case hubConfiguration = "hub.configuration"
        case hubFiles = "hub.files"
        case hubCertificates = "hub.certificates"
        case hubKeys = "hub.keys"
        case hubDatabase = "hub.database"
        case hubTables = "hub.tables"
        case hubBroker = "hub.broker"
        case hubAccounts = "hub.accounts"
    }

    /// The outcome of a check.
    package enum Status: String, CaseIterable, Sendable {
        /// The requirement is met.
        case ok
        /// The requirement is met, with a fact worth knowing. Nothing has to be done.
        case note
        /// The computer works, but slower, less reliably or for a limited time.
        case warning
        /// The computer cannot do its work, or can do it only with a security risk. The work of a reader is
        /// to read phones, and the work of a hub is to serve kiosks.
        case failed
        /// The check was not made, because it depends on a failed check or cannot be made here.
        case skipped
    }

    /// The way to repair a problem.
    package enum Remedy: Equatable, Sendable {
        /// A shell command for the user to run.
        case command(CheckText)
        /// Settings files that `doctor --fix` shows and writes.
        case settings([SettingsFile])

        /// The shell command to show. For settings files, this is `doctor --fix` and then the commands that
        /// put the files into effect.
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
    /// The way to repair the problem, or `nil` if there is nothing to repair or no command can do it.
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
    /// The check as JSON.
    ///
    /// - Parameter text: The form of the texts: `\.full`, or `\.shared` for a support bundle.
    package func json(_ text: KeyPath<CheckText, String>) -> JSONValue {
        [
            "id": .string(id.rawValue), "outcome": .string(outcome.rawValue),
            "detail": .string(detail[keyPath: text]), "fix": JSONValue(remedy?.command[keyPath: text]),
        ]
    }
}

/// A settings file of the system that Countersign may write. Countersign never changes a file of another
/// package. It only adds files of its own.
package struct SettingsFile: Equatable, Sendable {
    package let path: String
    package let contents: [UInt8]
    /// A phrase that says what the file is for, shown before the file is written.
    package let purpose: String
    /// The command that puts the file into effect, or `nil` if no command is needed. Countersign shows this
    /// command and never runs it.
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

/// The text of a check in two forms. The full form is for the person at the computer. The shared form is for
/// a support bundle, and has no names and paths of this installation.
///
/// An interpolation `\(full: name, shared: "READER")` puts the name into the full form and the word into the
/// shared form. All other values are in both forms.
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
        /// The maximum number of characters of one interpolated value. Further characters of the value are
        /// not shown.
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

        /// Appends a value to the full form, and a word in its place to the shared form.
        ///
        /// - Parameters:
        ///   - value: The value in the full form, such as a name of this installation.
        ///   - word: The word that stands for the value in the shared form.
        package mutating func appendInterpolation(
            full value: some CustomStringConvertible, shared word: String
        ) {
            full += Terminal.safe(value.description, limit: Self.limit)
            shared += Terminal.safe(word, limit: Self.limit)
        }
    }
}

extension [CheckText] {
    package func joined(by separator: String) -> CheckText {
        guard var text = first else { return "" }
        // An interpolation of `CheckText` joins the full forms and the shared forms separately.
        for next in dropFirst() { text = "\(text)\(separator)\(next)" }
        return text
    }
}
