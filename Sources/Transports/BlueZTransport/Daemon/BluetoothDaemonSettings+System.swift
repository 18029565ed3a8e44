internal import Glibc
internal import Transport

extension BluetoothDaemonSettings {
    static let defaultFile = "/etc/bluetooth/main.conf"

    /// Looks at a process. What cannot be read, as in a container or as a user who may not, is unknown.
    ///
    /// - Parameters:
    ///   - process: the number of the process that owns bluetoothd's name.
    ///   - processes: where the kernel shows processes.
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

    private static func configuration(in file: String) -> Configuration {
        // From which folder bluetoothd reads is not known here.
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

    /// When a process started, in seconds since 1970: the kernel reports it in ticks since boot.
    private static func start(of process: Int, processes: String) -> Int? {
        let lines = (SystemFile.text(of: "\(processes)/stat") ?? "").split(separator: "\n")
        let boot = lines.first { $0.hasPrefix("btime ") }.flatMap { Int($0.dropFirst(6)) }
        // The name, in brackets, may hold anything; 20 fields lie between it and the start.
        let fields = (SystemFile.text(of: "\(processes)/\(process)/stat") ?? "").split(separator: ")").last?
            .split(separator: " ")
        guard let boot, let fields, fields.count > 19, let ticks = Int(fields[19]) else { return nil }
        return boot + ticks / max(sysconf(Int32(_SC_CLK_TCK)), 1)
    }

    /// Both times are rounded: a second of difference says nothing.
    private static func hasChanged(_ file: String, since start: Int?) -> Bool {
        var status = stat()
        guard let start, unsafe stat(file, &status) == 0 else { return false }
        return status.st_mtim.tv_sec > start + 2
    }
}
