internal import Doctor
internal import JSON
internal import PCSCTransport
internal import ReaderService
internal import Reports
internal import Transport

/// The PC/SC readers of this computer and the obstacles to their use.
struct ReaderFacts: Sendable {
    /// A reader that pcscd lists.
    struct Reader: Sendable {
        var name: String
        var slot: SlotKind
        var usb: USBIdentity?
        var quirks: Set<ReaderQuirk> = []
        /// Whether the reader transfers extended APDUs.
        var allowsExtended = true
        /// Whether the driver passes escape commands, which are for the reader and not for a card (Q126).
        var allowsEscape = true
    }

    /// The answer of pcscd.
    enum Service: Sendable {
        /// The listed readers. `chosen` is the index of the reader that is tried first, or `nil` if no reader
        /// may be used.
        case answers([Reader], chosen: Int?)
        /// pcscd cannot be reached or refuses this user.
        case fails(PCSCTransportError)
        /// pcscd gave no answer in time.
        case hangs
    }

    /// The state of polkit's rule for pcscd.
    enum PolkitRule: Sendable {
        /// pcscd does not ask polkit.
        case notAsked
        /// A polkit rule contains the name of pcscd's action.
        case present
        /// No polkit rule contains the name of pcscd's action.
        case absent
        /// Unknown, because this user cannot read all of polkit's rules.
        case hidden
    }

    var service: Service
    /// Whether pcscd is installed.
    var isInstalled = true
    /// Whether `--reader` was given.
    var isSelected = false
    /// The reasons why plugged-in readers cannot be used.
    var hindrances: [ReaderHindrance] = []
    /// The kernel's NFC modules that are loaded.
    var kernelModules: [String] = []
    var polkit = PolkitRule.notAsked
    /// Whether the daemon's user exists. The daemon may then run as a service, which needs a polkit rule.
    var hasServiceUser = false
    /// The lanes in the daemon's configuration, or `nil` if the configuration is absent or cannot be read.
    var lanes: Lanes?
}

extension ReaderFacts {
    /// The longest time that pcscd may take to list and describe its readers.
    private static let limit = Duration.seconds(5)

    /// Requests the list of readers from pcscd and reads the system's files. Connects to readers, never to
    /// cards.
    static func current(_ selector: ReaderSelector, in system: SystemFolder) async -> ReaderFacts {
        let answer = await finished(within: limit) { await askPCSCD(selector) }
        let service = answer ?? .hangs
        return await blocking {
            ReaderFacts(
                service: service, isInstalled: system.has("/usr/sbin/pcscd"), isSelected: selector != .any,
                hindrances: ReaderHindrance.onThisComputer(
                    listed: service.usb, usbDevices: system.path("/sys/bus/usb/devices"),
                    modules: system.path("/proc/modules"), drivers: system.path(DriverList.folder)),
                kernelModules: loadedModules(system).filter(ReaderHindrance.kernelModules.contains),
                polkit: polkitRule(system), hasServiceUser: hasServiceUser(system),
                lanes: Lanes(in: system))
        }
    }

    /// Requests the list of readers from pcscd, and chooses the first reader that `selector` allows.
    private static func askPCSCD(_ selector: ReaderSelector) async -> Service {
        do throws(PCSCTransportError) {
            let readers = try await PCSCService().readers()
            let chosen = selector.candidates(among: readers).first
            return .answers(readers.map(Reader.init), chosen: readers.firstIndex { $0 == chosen })
        } catch {
            return .fails(error)
        }
    }

    private static func loadedModules(_ system: SystemFolder) -> [String] {
        (system.text(of: "/proc/modules") ?? "").split(separator: "\n")
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    /// Searches polkit's folders of rules for the name of pcscd's action.
    private static func polkitRule(_ system: SystemFolder) -> PolkitRule {
        guard system.has("/usr/share/polkit-1/actions/org.debian.pcsc-lite.policy") else { return .notAsked }
        var isHidden = false
        for top in ["/etc", "/run", "/usr/local/share", "/usr/share"] {
            let folder = "\(top)/polkit-1/rules.d"
            guard let names = system.names(in: folder) else {
                // A folder that exists but cannot be listed may contain the rule.
                isHidden = isHidden || system.has(folder)
                continue
            }
            for name in names where name.hasSuffix(".rules") {
                guard let text = system.text(of: "\(folder)/\(name)") else {
                    isHidden = true
                    continue
                }
                if text.contains(PolkitAction.service.rawValue) { return .present }
            }
        }
        return isHidden ? .hidden : .absent
    }

    private static func hasServiceUser(_ system: SystemFolder) -> Bool {
        (system.text(of: "/etc/passwd") ?? "").split(separator: "\n").contains {
            $0.hasPrefix("countersign:")
        }
    }
}

extension ReaderFacts.Service {
    fileprivate var usb: Set<USBIdentity> {
        guard case .answers(let readers, _) = self else { return [] }
        return Set(readers.compactMap(\.usb))
    }
}

extension ReaderFacts.Reader {
    fileprivate init(_ reader: ReaderDescription) {
        self.init(
            name: reader.name, slot: reader.slot, usb: reader.usb, quirks: reader.quirks,
            allowsExtended: reader.limits.allowsExtended, allowsEscape: reader.allowsEscape)
    }
}

extension ReaderFacts {
    static let checks: [DoctorCheck.ID] = [
        .service, .kernelModules, .access, .readerFound, .slot, .apdus, .escape,
        .secondEdition,
    ]

    var checks: [DoctorCheck] {
        [serviceCheck, modulesCheck, accessCheck, foundCheck] + chosenChecks + [secondEditionCheck]
    }

    private var serviceCheck: DoctorCheck {
        switch service {
        case .answers: .ok(.service, "pcscd answers")
        case .hangs:
            .failed(
                .service, "timedOut: pcscd does not answer", fix: .command("systemctl restart pcscd"))
        // A refusal shows that pcscd runs. `accessCheck` reports the refusal.
        case .fails(.accessDenied): .ok(.service, "pcscd runs")
        case .fails(.serviceNotRunning) where !isInstalled:
            .failed(
                .service, "pcscd is not installed", fix: .command("apt-get install pcscd libccid"))
        case .fails(.serviceNotRunning), .fails(.serviceLost):
            .failed(
                .service, "pcscd does not run", fix: .command("systemctl enable --now pcscd.socket"))
        case .fails(.serviceIncompatible):
            .failed(
                .service, "pcscd and libpcsclite have different versions",
                fix: .command("apt-get install --reinstall pcscd libpcsclite1"))
        case .fails(let error):
            .failed(.service, "\(ReaderFault(error).advice)", fix: .command("systemctl restart pcscd"))
        }
    }

    /// The check of access to pcscd. polkit may allow a user at the computer's screen and refuse a service
    /// (Q133).
    private var accessCheck: DoctorCheck {
        switch (service, polkit) {
        case (.fails(.accessDenied(let action)), .present):
            return .failed(
                .access,
                "polkit refuses \(action.rawValue) to this user; Countersign's rule allows only the group countersign",
                fix: .command(#"adduser "$USER" countersign"#))
        case (.fails(.accessDenied(let action)), _):
            return .failed(
                .access, "polkit refuses \(action.rawValue) to this user", fix: .settings([.polkit]))
        case (.fails, _), (.hangs, _): return .skipped(.access, Self.silence)
        case (_, .notAsked): return .ok(.access, "pcscd accepts every user")
        case (_, .present):
            return .ok(.access, "this user may use pcscd, and polkit has a rule for services")
        case (_, .hidden):
            return .note(
                .access, "this user may use pcscd; only root can check whether a service may use it")
        case (_, .absent):
            let text: CheckText =
                "this user may use pcscd, but polkit will refuse a service, which has no login session"
            // Without the daemon's user there is no service yet that polkit could refuse.
            return hasServiceUser
                ? .warning(.access, text, fix: .settings([.polkit]))
                : .note(.access, text, fix: .settings([.polkit]))
        }
    }

    /// The check that pcscd lists a reader. If one reader cannot be used but another can, the check only
    /// warns.
    private var foundCheck: DoctorCheck {
        guard case .answers(let readers, _) = service else { return .skipped(.readerFound, Self.silence) }
        let hindered = hindrances.map(\.text).joined(by: "; ")
        if readers.isEmpty {
            // pcscd may miss a reader that it has a driver for. A restart makes pcscd search again.
            let isHanging = hindrances.contains { if case .notListed = $0 { true } else { false } }
            return .failed(
                .readerFound, hindrances.isEmpty ? "no reader is plugged in" : hindered,
                fix: isHanging ? .command("systemctl restart pcscd") : nil)
        }
        let names = readers.map(\.text).joined(by: ", ")
        return hindrances.isEmpty
            ? .ok(.readerFound, names) : .warning(.readerFound, "\(names); but \(hindered)")
    }

    /// The check that the kernel's NFC modules have claimed no reader (Q124).
    private var modulesCheck: DoctorCheck {
        // Only the first claimed reader is reported, because the remedy frees all readers that the kernel's
        // NFC modules have claimed.
        for case .takenByKernelNFC(_, let model, let modules) in hindrances {
            return .failed(
                .kernelModules,
                "the kernel's NFC drivers (\(modules.joined(separator: ", "))) hold the \(model): after the fix, unplug the reader and plug it in again",
                fix: .settings([.kernelModules]))
        }
        guard kernelModules.contains("pn533") else {
            return .ok(.kernelModules, "the kernel's NFC drivers are not loaded")
        }
        return .note(
            .kernelModules, "the kernel's driver pn533 is loaded and would take an ACR122U away from pcscd",
            fix: .settings([.kernelModules]))
    }

    /// The checks of the reader that is tried first.
    private var chosenChecks: [DoctorCheck] {
        guard case .answers(let readers, let chosen) = service else {
            return [DoctorCheck.ID.slot, .apdus, .escape].map { .skipped($0, Self.silence) }
        }
        guard let chosen else {
            return [
                readers.isEmpty ? .skipped(.slot, "no reader") : .failed(.slot, noSlot),
                .skipped(.apdus, "no reader"), .skipped(.escape, "no reader"),
            ]
        }
        return [slotCheck(readers[chosen], readers), readers[chosen].apdusCheck, readers[chosen].escapeCheck]
    }

    /// The text of the check if no listed slot may be used.
    private var noSlot: CheckText {
        let others: CheckText = "slots for contact cards and security modules (SAM) are never opened"
        return isSelected
            ? "--reader names no slot with an antenna; \(others)"
            : "no reader has a slot with an antenna; \(others)"
    }

    /// Returns the check of the chosen slot. A device may have several slots, and their names do not show
    /// which slot has the antenna (Q127).
    private func slotCheck(_ reader: Reader, _ readers: [Reader]) -> DoctorCheck {
        let siblings = readers.count { $0.usb != nil && $0.usb == reader.usb }
        if reader.slot == .unmarked, siblings > 1, !isSelected {
            return .note(
                .slot,
                "\(reader.text) is tried first; the names of its \(siblings) slots do not show which slot has the antenna",
                fix: .command("countersign doctor --reader NAME"))
        }
        return .ok(
            .slot, "\(reader.text) \(reader.slot == .contactless ? "has an antenna" : "is tried first")")
    }

    private static let silence: CheckText = "pcscd gives no answer"
}

extension ReaderFacts.Reader {
    fileprivate var text: CheckText { "\(full: name, shared: Self.withoutSerialNumber(name))" }

    /// Returns the reader's name without the parts in round brackets, where pcscd puts the device's serial
    /// number.
    static func withoutSerialNumber(_ name: String) -> String {
        var depth = 0
        var kept = ""
        for character in name {
            if character == "(" { depth += 1 }
            if depth == 0 { kept.append(character) }
            // The depth is never negative. Otherwise the rest of the name would be left out after a closing
            // bracket that has no opening bracket.
            if character == ")" { depth = max(depth - 1, 0) }
        }
        return kept.split(separator: " ").joined(separator: " ")
    }

    /// The check of the APDU lengths that the reader transfers (Q120, Q123).
    fileprivate var apdusCheck: DoctorCheck {
        if quirks.contains(.tpduLevel) {
            return .note(
                .apdus,
                "the reader exchanges TPDUs, which works but is not recommended (Documentation/hardware.md)")
        }
        return allowsExtended
            ? .ok(.apdus, "extended APDUs")
            : .note(.apdus, "short APDUs only: answers are slow over NFC but not over Bluetooth")
    }

    /// The check that the driver passes escape commands (Q126).
    fileprivate var escapeCheck: DoctorCheck {
        allowsEscape
            ? .ok(.escape, "commands to the reader itself are allowed")
            : .note(
                .escape,
                "commands to the reader itself are not allowed: its light and buzzer cannot be controlled")
    }
}

extension ReaderHindrance {
    fileprivate var text: CheckText {
        switch self {
        case .takenByKernelNFC(_, let model, _): "the kernel's NFC driver holds the \(model)"
        case .notCCID(let usb, let model):
            "pcscd has no driver for \(model) (\(usb)): it is not a CCID reader"
        case .notListed(let usb, let model):
            "pcscd does not list \(model) (\(usb)): unplug it and plug it in again; if that does not help, update its firmware and check /etc/default/pcscd"
        case .unknownToDrivers(let usb, let model):
            "pcscd's drivers do not support \(model) (\(usb)) because they are older than the reader: install a newer libccid or the maker's driver"
        }
    }
}

extension ReaderFacts {
    /// The number of all lanes in the daemon's configuration, and the number of lanes with NFC v2.
    struct Lanes: Equatable, Sendable {
        var all = 0
        /// The number of lanes that begin a tap with NFC v2.
        var version2 = 0

        private static let off = RetrievalPlan.NFCVersion2.off.rawValue

        /// Reads the daemon's configuration. Returns `nil` if the file is absent, unreadable or malformed.
        init?(in system: SystemFolder) {
            guard let lanes = system.daemonMember("lanes"), let list = try? lanes.array(upTo: 256) else {
                return nil
            }
            all = list.count
            version2 = list.count { lane in
                let entries = (try? lane.entries(upTo: 256)) ?? []
                let word = entries.first { $0.name == "nfcV2" }
                // A lane without the member `nfcV2` does not use NFC v2. A value that cannot be read counts
                // as a use of NFC v2.
                return word.map { (try? $0.value.string(upTo: 16)) != Self.off } ?? false
            }
        }

        init(all: Int, version2: Int) {
            (self.all, self.version2) = (all, version2)
        }
    }

    /// The check of NFC v2, which a draft of the second edition of ISO/IEC 18013-5 defines. It reports the
    /// number of lanes that use NFC v2, and whether the reader's short APDUs would make NFC v2 slow.
    private var secondEditionCheck: DoctorCheck {
        let lanes: CheckText =
            switch self.lanes {
            case nil: "the daemon's configuration is absent or cannot be read"
            case let lanes? where lanes.version2 == 0: "no lane of the daemon begins a tap with NFC v2"
            case let lanes?:
                "\(lanes.version2) of \(lanes.all) lanes of the daemon begin a tap with NFC v2 (nfcV2)"
            }
        guard case .answers(let readers, let chosen?) = service else {
            return .ok(.secondEdition, "\(lanes); there is no reader to use NFC v2 with")
        }
        guard readers[chosen].allowsExtended else {
            let text: CheckText =
                "\(lanes); the reader has short APDUs, so NFC v2 needs one command for each 255 bytes"
            return (self.lanes?.version2 ?? 0) > 0
                ? .note(.secondEdition, text) : .ok(.secondEdition, text)
        }
        return .ok(
            .secondEdition, "\(lanes); the reader has extended APDUs, so NFC v2 needs one command")
    }
}
