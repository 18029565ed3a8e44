internal import Doctor
internal import Glibc
internal import Transport

/// The smart-card readers on the USB, and whether the kernel may put them to sleep.
struct ReaderPowerFacts: Sendable {
    struct Device: Hashable, Sendable {
        var usb: USBIdentity
        var maySleep: Bool
    }

    var devices: [Device]

    static func current(in system: SystemFolder) -> ReaderPowerFacts {
        let folder = "/sys/bus/usb/devices"
        // An interface is named for its device: 1-2:1.0 is of 1-2.
        let readers = (system.names(in: folder) ?? []).filter {
            $0.contains(":") && system.firstWord(of: "\(folder)/\($0)/bInterfaceClass") == "0b"
        }
        let names = Set(readers.map { String($0.prefix { $0 != ":" }) }).sorted()
        return ReaderPowerFacts(
            devices: names.compactMap { name in
                SystemFile.usbIdentity(at: system.path("\(folder)/\(name)")).map { usb in
                    Device(
                        usb: usb,
                        maySleep: system.firstWord(of: "\(folder)/\(name)/power/control") == "auto")
                }
            })
    }
}

extension ReaderPowerFacts {
    static let checks: [DoctorCheck.ID] = [.usbPower]

    var checks: [DoctorCheck] { [check] }

    private var check: DoctorCheck {
        guard !devices.isEmpty else { return .skipped(.usbPower, "no reader is connected to USB") }
        let sleepers = devices.filter(\.maySleep).map { "\($0.usb)" as CheckText }
        return sleepers.isEmpty
            ? .ok(.usbPower, "the kernel does not put readers to sleep")
            : .note(
                .usbPower, "the kernel may put \(sleepers.joined(by: ", ")) to sleep between phones",
                fix: .settings([.readerPower]))
    }
}

/// Where the memory of a program that crashes goes: keys and what phones have sent are in it.
struct CrashFacts: Sendable {
    /// The largest core dump that this user's programs may write, in bytes.
    var limit: UInt64
    /// The kernel's pattern for the name of a dump, or the program that takes it.
    var pattern: String?

    static func current(in system: SystemFolder) -> CrashFacts {
        var limit = rlimit()
        let isKnown = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
        return CrashFacts(
            limit: isKnown ? UInt64(limit.rlim_cur) : .max,
            pattern: system.text(of: "/proc/sys/kernel/core_pattern").map { String($0.prefix { $0 != "\n" }) }
        )
    }
}

extension CrashFacts {
    static let checks: [DoctorCheck.ID] = [.coreDumps]

    var checks: [DoctorCheck] { [check] }

    private var check: DoctorCheck {
        let program = pattern.flatMap { $0.hasPrefix("|") ? $0.dropFirst().split(separator: " ").first : nil }
        if pattern?.isEmpty == true { return .ok(.coreDumps, "no core dumps are written") }
        // A program gets the dump whatever the limit is; systemd's looks at the limit itself.
        if let program, !program.hasSuffix("/systemd-coredump") {
            return .warning(
                .coreDumps,
                "after a crash \(own: program, as: "a program") gets a copy of the memory, with keys in it",
                fix: .command("sysctl kernel.core_pattern=core"))
        }
        return limit == 0
            ? .ok(.coreDumps, "no core dumps are written")
            : .warning(
                .coreDumps, "after a crash the memory, with keys in it, is written to the disk",
                fix: .command("ulimit -c 0"))
    }
}

/// The fonts of this computer in which the pages write Arabic and Chinese.
struct FontFacts: Sendable {
    /// Debian's packages that are absent.
    var missing: [String]

    private static let folders = ["fonts-noto-core": "truetype/noto", "fonts-noto-cjk": "opentype/noto"]

    static func current(in system: SystemFolder) -> FontFacts {
        let absent = folders.filter { system.names(in: "/usr/share/fonts/\($0.value)")?.isEmpty ?? true }
        return FontFacts(missing: absent.keys.sorted())
    }
}

extension FontFacts {
    static let checks: [DoctorCheck.ID] = [.fonts]

    /// Only a note: a screen on another computer has that computer's fonts.
    var checks: [DoctorCheck] {
        guard !missing.isEmpty else { return [.ok(.fonts, "those of all languages of the pages are here")] }
        let names = missing.joined(separator: " ")
        return [
            .note(
                .fonts, "a screen at this computer may show boxes for Arabic or Chinese: \(names) is absent",
                fix: .command("apt install \(names)"))
        ]
    }
}
