internal import Doctor
internal import Glibc
internal import Transport

/// The smart-card readers on USB and their power management.
struct ReaderPowerFacts: Sendable {
    /// A smart-card reader on USB.
    struct Device: Hashable, Sendable {
        var usb: USBIdentity
        /// Whether the kernel may suspend the reader.
        var maySleep: Bool
    }

    var devices: [Device]

    static func current(in system: SystemFolder) -> ReaderPowerFacts {
        let folder = "/sys/bus/usb/devices"
        // The name of an interface begins with the name of its device: 1-2:1.0 belongs to 1-2. Class 0b is
        // the USB class of smart-card readers.
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
                .usbPower,
                "the kernel may put the reader \(sleepers.joined(by: ", ")) to sleep between phones",
                fix: .settings([.readerPower]))
    }
}

/// The handling of core dumps. A core dump is the memory of a crashed program, with keys and data from
/// phones.
struct CrashFacts: Sendable {
    /// The largest core dump that this user's programs may write, in bytes.
    var limit: UInt64
    /// The kernel's pattern for the file of a core dump, or `|` and the program that receives the dump
    /// (core(5)).
    var pattern: String?

    static func current(in system: SystemFolder) -> CrashFacts {
        var limit = rlimit()
        let isKnown = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
        // If the limit cannot be read, core dumps are assumed to be unlimited.
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
        // The kernel pipes a dump to a program regardless of the limit. The exception is systemd-coredump,
        // which applies the limit itself.
        if let program, !program.hasSuffix("/systemd-coredump") {
            return .warning(
                .coreDumps,
                "after a crash, \(full: program, shared: "a program") gets a copy of the memory, with keys in it",
                fix: .command("sysctl kernel.core_pattern=core"))
        }
        return limit == 0
            ? .ok(.coreDumps, "no core dumps are written")
            : .warning(
                .coreDumps, "after a crash, the program's memory is written to the disk, with keys in it",
                fix: .command("ulimit -c 0"))
    }
}

/// The fonts of this computer for the Arabic and Chinese texts of the pages.
struct FontFacts: Sendable {
    /// The Debian packages with fonts for Arabic or Chinese that are not installed.
    var missing: [String]

    private static let folders = ["fonts-noto-core": "truetype/noto", "fonts-noto-cjk": "opentype/noto"]

    static func current(in system: SystemFolder) -> FontFacts {
        // A folder that does not exist counts as empty.
        let absent = folders.filter { system.names(in: "/usr/share/fonts/\($0.value)")?.isEmpty ?? true }
        return FontFacts(missing: absent.keys.sorted())
    }
}

extension FontFacts {
    static let checks: [DoctorCheck.ID] = [.fonts]

    /// The check of the fonts. A missing font is only a note, because pages may be shown by another computer
    /// with its own fonts.
    var checks: [DoctorCheck] {
        guard !missing.isEmpty else {
            return [.ok(.fonts, "the fonts for all languages of the pages are installed")]
        }
        let names = missing.joined(separator: " ")
        return [
            .note(
                .fonts,
                "a screen of this computer may show boxes instead of Arabic or Chinese characters: \(names) is not installed",
                fix: .command("apt install \(names)"))
        ]
    }
}
