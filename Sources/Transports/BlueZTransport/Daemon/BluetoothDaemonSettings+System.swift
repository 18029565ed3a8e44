internal import Glibc
internal import Transport

extension BluetoothDaemonSettings {
    static let defaultFile = "/etc/bluetooth/main.conf"

    /// Reads the settings of a running bluetoothd. Settings that cannot be read, for example in a container
    /// or without permission, are unknown.
    ///
    /// - Parameters:
    ///   - process: the number of the process that owns the name `org.bluez` on the bus.
    ///   - processes: the folder in which the kernel describes processes.
    static func running(
        as process: Int, version: BlueZVersion?, processes: String = "/proc",
        defaultFile: String = defaultFile
    ) -> BluetoothDaemonSettings {
        let words = SystemFile.bytes(of: "\(processes)/\(process)/cmdline").flatMap {
            DaemonCommandLine(parsing: $0)
        }
        guard let words else {
            return BluetoothDaemonSettings(version: version, file: nil, configuration: .unknown)
        }
        let file = words.configurationFile ?? defaultFile
        return BluetoothDaemonSettings(
            version: version, file: file, configuration: configuration(in: file),
            disabledPlugins: words.disabledPlugins,
            hasChanged: hasChanged(file, since: start(of: process, processes: processes)))
    }

    /// Reads and parses a configuration file.
    private static func configuration(in file: String) -> Configuration {
        // A relative path cannot be resolved, because bluetoothd's working folder is not known.
        guard file.hasPrefix("/") else { return .unknown }
        guard let bytes = SystemFile.bytes(of: file) else {
            return unsafe access(file, F_OK) != 0 && errno == ENOENT ? .absent : .unknown
        }
        do throws(MainConfigurationError) {
            return .read(try MainConfiguration(parsing: bytes))
        } catch .malformed(let line) {
            return .malformed(line: line)
        } catch {
            return .unknown
        }
    }

    /// Returns the time when a process started, in seconds since 1970. The kernel reports it in ticks since
    /// boot.
    private static func start(of process: Int, processes: String) -> Int? {
        let lines = (SystemFile.text(of: "\(processes)/stat") ?? "").split(separator: "\n")
        let boot = lines.first { $0.hasPrefix("btime ") }.flatMap { Int($0.dropFirst(6)) }
        // The process name in brackets may contain any character. The start is field 20 after the name,
        // counted from 1.
        let fields = (SystemFile.text(of: "\(processes)/\(process)/stat") ?? "").split(separator: ")").last?
            .split(separator: " ")
        guard let boot, let fields, fields.count > 19, let ticks = Int(fields[19]) else { return nil }
        return boot + ticks / max(sysconf(Int32(_SC_CLK_TCK)), 1)
    }

    /// Whether a file was written after a time. Both times are rounded, so a difference of up to two seconds
    /// counts as no change.
    private static func hasChanged(_ file: String, since start: Int?) -> Bool {
        var status = stat()
        guard let start, unsafe stat(file, &status) == 0 else { return false }
        return status.st_mtim.tv_sec > start + 2
    }
}
