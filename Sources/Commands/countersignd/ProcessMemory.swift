internal import CProcess
internal import FoundationEssentials
internal import Glibc

/// Functions that protect the daemon's memory, which contains portraits and keys, and that reduce its size.
enum ProcessMemory {
    /// Forbids core dumps and debuggers of the same user, and makes new files readable for the daemon's user
    /// alone.
    static func keepPrivate() {
        // Results are ignored, because the other protections are useful even if the kernel refuses one of
        // them.
        _ = countersign_hide_memory()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        umask(0o077)
    }

    /// Releases the program's code that only the start needed, about half of the resident memory. More code
    /// is resident than was used, because the kernel maps sixteen pages around each used page. Code that is
    /// used again comes from the page cache.
    static func releaseText() {
        // If the list of mappings cannot be read, no memory is released, which does no harm.
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return }
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ")
            // Only mappings that are never written are released, so no data is lost.
            guard fields.count == 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2 else { continue }
            let start = unsafe UnsafeMutableRawPointer(bitPattern: ends[0])
            unsafe madvise(start, Int(ends[1] - ends[0]), MADV_DONTNEED)
        }
    }
}
