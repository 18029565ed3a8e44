internal import Doctor
internal import Glibc

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
