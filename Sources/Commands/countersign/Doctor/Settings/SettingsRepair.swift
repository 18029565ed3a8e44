internal import CommandLineInterface
internal import Doctor
internal import FoundationEssentials
internal import Glibc
internal import JSON
internal import SystemPackage

/// The work of `--fix`: shows each settings file that a check suggests as its remedy, and writes it if the
/// user agrees.
struct SettingsRepair {
    private let files: [SettingsFile]
    private let system: SystemFolder
    private let isAsking: Bool

    init(of checks: [DoctorCheck], in system: SystemFolder, asking isAsking: Bool) {
        let wanted = checks.flatMap { check -> [SettingsFile] in
            guard case .settings(let files)? = check.remedy else { return [] }
            return files
        }
        // Several checks may suggest the same file, which is written only once.
        files = wanted.reduce(into: []) { kept, file in if !kept.contains(file) { kept.append(file) } }
        self.system = system
        self.isAsking = isAsking
    }

    /// Whether there is a file to write.
    var hasWork: Bool { !files.isEmpty }

    /// Shows the changes to all files without writing them.
    func show() throws(CommandFailure) {
        for file in files { try show(file, before: contents(of: system.path(file.path))) }
    }

    private func show(_ file: SettingsFile, before old: [UInt8]?) {
        Terminal.message(
            "\n\(system.path(file.path)) \(old == nil ? "is new" : "changes"): it \(file.purpose)\n")
        Terminal.message(LineDifference(from: old ?? [], to: file.contents).text)
    }

    /// Shows and writes the files, then prints the commands that put them into effect.
    func run() throws(CommandFailure) {
        guard hasWork else {
            return Terminal.message("\n--fix has nothing to write: no settings file is missing")
        }
        var afterwards: [String] = []
        for file in files where try repair(file) {
            if let next = file.afterwards, !afterwards.contains(next) { afterwards.append(next) }
        }
        guard !afterwards.isEmpty else { return }
        Terminal.message("\nNothing was restarted. To put the settings into effect, run:")
        for command in afterwards { Terminal.message("  \(command)") }
    }

    /// Shows and writes one file. Returns whether the file now has the right contents.
    private func repair(_ file: SettingsFile) throws(CommandFailure) -> Bool {
        let path = system.path(file.path)
        let old = try contents(of: path)
        // The file can be correct already: a check also suggests it if the service has not read it yet.
        // `true` makes `run` print the command with which the service reads the file.
        if old == file.contents {
            Terminal.message("\n\(path) already has the right contents")
            return true
        }
        show(file, before: old)
        if isAsking {
            guard try isAgreed(path) else { return false }
        }
        try write(file.contents, to: path)
        Terminal.message("written: \(path)")
        return true
    }

    private func isAgreed(_ path: String) throws(CommandFailure) -> Bool {
        guard isatty(STDIN_FILENO) == 1 else {
            throw .usage("standard input is not a terminal: give --yes to write the files without asking")
        }
        Terminal.message("write \(path)? [y/N]")
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    /// Returns the contents of a file, or `nil` if the file does not exist.
    private func contents(of path: String) throws(CommandFailure) -> [UInt8]? {
        guard unsafe access(path, F_OK) == 0 else { return nil }
        return try InputFile.read(path, limit: 1 << 20)
    }

    /// Writes a file atomically, with permissions that let all users read it.
    private func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
        let draft = "\(path).new"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let file = try FileDescriptor.open(
                FilePath(draft), .writeOnly, options: [.create, .truncate, .noFollow, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            try file.closeAfter {
                _ = try file.writeAll(bytes)
                // Without `fsync`, a power cut after the rename could leave an empty file in place of the old
                // file.
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
            guard unsafe rename(draft, path) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            throw .usage(
                "\(path) cannot be written: \((error as? Errno)?.description ?? "access was refused"); run --fix as root"
            )
        }
    }
}

/// The settings files that Countersign ships.
extension SettingsFile {
    /// The file that keeps the kernel's NFC modules from claiming PC/SC readers (Q124).
    static let kernelModules = SettingsFile(
        "/etc/modprobe.d/countersign-nfc.conf", contents: PackageResources.modprobe_conf,
        purpose: "keeps the kernel's NFC drivers off PC/SC readers",
        afterwards: "modprobe -r pn533_usb pn533 nfc")

    /// The file that allows the daemon's user and group to use pcscd (Q133). polkit notices new rules without
    /// a restart.
    static let polkit = SettingsFile(
        "/etc/polkit-1/rules.d/50-countersign.rules", contents: PackageResources.polkit_rules,
        purpose: "lets the user countersign and the group countersign use readers", afterwards: nil)

    /// The file that keeps the kernel from suspending PC/SC readers.
    static let readerPower = SettingsFile(
        "/etc/udev/rules.d/93-countersign.rules", contents: PackageResources.udev_rules,
        purpose: "keeps readers awake",
        afterwards: "udevadm control --reload && udevadm trigger --subsystem-match=usb")

    private static let bluetoothRestart = "systemctl daemon-reload && systemctl restart bluetooth"

    /// The settings of bluetoothd, and the unit file that makes bluetoothd read them (Q94, Q95).
    static let bluetooth = [
        SettingsFile(
            "/etc/countersign/bluetooth-main.conf", contents: PackageResources.main_conf,
            purpose: "contains the settings that bluetoothd needs",
            afterwards: bluetoothRestart),
        SettingsFile(
            "/etc/systemd/system/bluetooth.service.d/countersign.conf",
            contents: PackageResources.bluetooth_unit_conf,
            purpose: "makes bluetoothd read bluetooth-main.conf and load no plugin that pairs",
            afterwards: bluetoothRestart),
    ]

    /// The files that enlarge the buffers for a portrait, which a phone may write in thousands of small
    /// values.
    static let smallValues = [
        SettingsFile(
            "/etc/dbus-1/system.d/countersign-bluetooth.conf", contents: PackageResources.dbus_conf,
            purpose: "lets the message bus carry a portrait that a phone sends in thousands of small pieces",
            afterwards: "systemctl reload dbus"),
        SettingsFile(
            "/etc/sysctl.d/60-countersign-bluetooth.conf", contents: PackageResources.sysctl_conf,
            purpose: "enlarges the buffer for the pieces of a portrait that bluetoothd has not read yet",
            afterwards: "sysctl --load /etc/sysctl.d/60-countersign-bluetooth.conf"),
    ]
}

/// The difference between two texts, line by line.
struct LineDifference {
    private let old: [Substring]
    private let new: [Substring]

    init(from old: [UInt8], to new: [UInt8]) {
        self.old = Self.lines(old)
        self.new = Self.lines(new)
    }

    private static func lines(_ bytes: [UInt8]) -> [Substring] {
        var lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// All lines of both texts, marked with `-` (removed), `+` (inserted) or a space (kept).
    var text: String {
        let difference = new.difference(from: old)
        let removed = Set(difference.removals.map(\.offset))
        let inserted = Set(difference.insertions.map(\.offset))
        var lines: [String] = []
        var (from, to) = (0, 0)
        while from < old.count || to < new.count {
            if from < old.count, removed.contains(from) {
                lines.append("-\(Terminal.safe(old[from]))")
                from += 1
            } else if to < new.count, inserted.contains(to) {
                lines.append("+\(Terminal.safe(new[to]))")
                to += 1
            } else {
                lines.append(" \(Terminal.safe(new[to]))")
                (from, to) = (from + 1, to + 1)
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
