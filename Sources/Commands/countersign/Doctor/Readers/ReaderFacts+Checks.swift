internal import Doctor
internal import Reports
internal import PCSCTransport
internal import Transport

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
        case .fails(.accessDenied): .ok(.service, "pcscd runs")
        case .fails(.serviceNotRunning) where !isInstalled:
            .failed(
                .service, "pcscd is not installed", fix: .command("apt-get install pcscd libccid"))
        case .fails(.serviceNotRunning), .fails(.serviceLost):
            .failed(
                .service, "pcscd does not run", fix: .command("systemctl enable --now pcscd.socket"))
        case .fails(.serviceIncompatible):
            .failed(
                .service, "pcscd and libpcsclite are of different versions",
                fix: .command("apt-get install --reinstall pcscd libpcsclite1"))
        case .fails(let error):
            .failed(.service, "\(ReaderFault(error).advice)", fix: .command("systemctl restart pcscd"))
        }
    }

    /// polkit may allow a user at the computer's screen what it refuses a service (Q133).
    private var accessCheck: DoctorCheck {
        switch (service, polkit) {
        case (.fails(.accessDenied(let action)), .there):
            return .failed(
                .access, "polkit refuses this user \(action.rawValue): its rule allows the group countersign",
                fix: .command(#"adduser "$USER" countersign"#))
        case (.fails(.accessDenied(let action)), _):
            return .failed(
                .access, "polkit refuses this user \(action.rawValue)", fix: .settings([.polkit]))
        case (.fails, _), (.hangs, _): return .skipped(.access, Self.silence)
        case (_, .notAsked): return .ok(.access, "pcscd accepts every user")
        case (_, .there): return .ok(.access, "this user may use pcscd, and a rule of polkit says who else")
        case (_, .hidden):
            return .note(
                .access, "this user may use pcscd; only root can see whether a service may")
        case (_, .absent):
            let text: CheckText =
                "this user may use pcscd; polkit will refuse a service, which has no login session"
            return hasServiceUser
                ? .warning(.access, text, fix: .settings([.polkit]))
                : .note(.access, text, fix: .settings([.polkit]))
        }
    }

    private var foundCheck: DoctorCheck {
        guard case .answers(let readers, _) = service else { return .skipped(.readerFound, Self.silence) }
        let hindered = hindrances.map(\.text).joined(by: "; ")
        if readers.isEmpty {
            let isHanging = hindrances.contains { if case .notListed = $0 { true } else { false } }
            return .failed(
                .readerFound, hindrances.isEmpty ? "no reader is plugged in" : hindered,
                fix: isHanging ? .command("systemctl restart pcscd") : nil)
        }
        let names = readers.map(\.text).joined(by: ", ")
        return hindrances.isEmpty
            ? .ok(.readerFound, names) : .warning(.readerFound, "\(names); but \(hindered)")
    }

    private var modulesCheck: DoctorCheck {
        for case .takenByKernelNFC(_, let model, let modules) in hindrances {
            return .failed(
                .kernelModules,
                "the kernel's \(modules.joined(separator: ", ")) uses the \(model): after the fix, unplug the reader and plug it in again",
                fix: .settings([.kernelModules]))
        }
        guard kernelModules.contains("pn533") else {
            return .ok(.kernelModules, "the kernel's NFC drivers are not loaded")
        }
        return .note(
            .kernelModules, "the kernel's pn533 is loaded and would take an ACR122U",
            fix: .settings([.kernelModules]))
    }

    private var chosenChecks: [DoctorCheck] {
        guard case .answers(let readers, let chosen) = service else {
            return [DoctorCheck.ID.slot, .apdus, .escape].map { .skipped($0, Self.silence) }
        }
        guard let chosen else {
            return [
                readers.isEmpty ? .skipped(.slot, "no reader") : .failed(.slot, noSlot(readers)),
                .skipped(.apdus, "no reader"), .skipped(.escape, "no reader"),
            ]
        }
        return [slotCheck(readers[chosen], readers), readers[chosen].apdusCheck, readers[chosen].escapeCheck]
    }

    private func noSlot(_ readers: [Reader]) -> CheckText {
        let others: CheckText = "contact and security-module slots (SAM) are never opened"
        return isSelected
            ? "--reader names no slot with an antenna: \(others)"
            : "no reader has a slot with an antenna: \(others)"
    }

    /// The names of the slots of one device show which of them is the antenna, or do not (Q127).
    private func slotCheck(_ reader: Reader, _ readers: [Reader]) -> DoctorCheck {
        let siblings = readers.count { $0.usb != nil && $0.usb == reader.usb }
        if reader.slot == .unmarked, siblings > 1, !isSelected {
            return .note(
                .slot,
                "\(reader.text) is tried first; the names of its \(siblings) slots do not show which one is the antenna",
                fix: .command("countersign doctor --reader NAME"))
        }
        return .ok(.slot, "\(reader.text) is \(reader.slot == .contactless ? "an antenna" : "tried first")")
    }

    private static let silence: CheckText = "pcscd cannot be asked"
}

extension ReaderFacts.Reader {
    fileprivate var text: CheckText { "\(own: name, as: Self.withoutSerialNumber(name))" }

    /// pcscd puts a device's serial number into its reader's name, in round brackets.
    static func withoutSerialNumber(_ name: String) -> String {
        var depth = 0
        var kept = ""
        for character in name {
            if character == "(" { depth += 1 }
            if depth == 0 { kept.append(character) }
            if character == ")" { depth = max(depth - 1, 0) }
        }
        return kept.split(separator: " ").joined(separator: " ")
    }

    /// Q120, Q123.
    fileprivate var apdusCheck: DoctorCheck {
        if quirks.contains(.tpduLevel) {
            return .note(
                .apdus,
                "the reader exchanges TPDUs, which works and is not recommended (Documentation/hardware.md)")
        }
        return allowsExtended
            ? .ok(.apdus, "extended APDUs")
            : .note(.apdus, "short APDUs only: answers over NFC take long, those over Bluetooth do not")
    }

    /// Q126.
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
            "pcscd does not show \(model) (\(usb)): unplug it and plug it in again; if that does not help, update its firmware and look at /etc/default/pcscd"
        case .unknownToDrivers(let usb, let model):
            "pcscd's drivers do not list \(model) (\(usb)): they are older than the reader; install a newer libccid, or the maker's driver"
        }
    }
}
