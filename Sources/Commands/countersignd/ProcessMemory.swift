internal import CProcess
internal import FoundationEssentials
internal import Glibc

/// What keeps the memory of the daemon, with portraits and keys in it, from others, and keeps it small.
enum ProcessMemory {
    /// No core dump, no debugger of the same user, and nothing that the daemon makes is another's to read.
    static func keepPrivate() {
        _ = countersign_hide_memory()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        umask(0o077)
    }

    /// Gives back the program's text that was needed to start: half of what would stay in memory, as the kernel maps sixteen
    /// pages around each that is touched. What is used once more comes from the page cache.
    static func releaseText() {
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ")
            // Never written, so that nothing is lost.
            guard fields.count == 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2 else { continue }
            let start = unsafe UnsafeMutableRawPointer(bitPattern: ends[0])
            unsafe madvise(start, Int(ends[1] - ends[0]), MADV_DONTNEED)
        }
    }
}
