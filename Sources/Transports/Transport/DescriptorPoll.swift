internal import Glibc

/// poll(2) over many descriptors, which continues if the system refuses a call: a refusal must not end the thread that waits
/// for all of them.
struct DescriptorPoll {
    /// One call: how many descriptors are ready, or an error below zero.
    typealias Call = (_ entries: inout [pollfd], _ milliseconds: Int32) -> Int32

    /// How many are looked at in one call if the system refuses more.
    private static let pieceSize = 16
    /// How long to wait, in milliseconds, before the next look if the system has no memory or takes only pieces.
    private static let pause: Int32 = 10

    private let call: Call

    init(_ call: @escaping Call = DescriptorPoll.system) {
        self.call = call
    }

    static func system(_ entries: inout [pollfd], _ milliseconds: Int32) -> Int32 {
        let count = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
        return count < 0 ? -errno : count
    }

    /// Marks in `entries` which are ready, after so many milliseconds at most; below zero means without a limit. It may
    /// return early with none.
    func look(at entries: inout [pollfd], for milliseconds: Int32) {
        switch call(&entries, milliseconds) {
        case 0...: return
        case -EINTR: Self.clear(&entries)
        case -EINVAL: lookAtPieces(of: &entries, for: milliseconds)
        default:
            Self.clear(&entries)
            rest(milliseconds)
        }
    }

    /// More descriptors than this process may have open: the limit was lowered, or one is waited for twice.
    private func lookAtPieces(of entries: inout [pollfd], for milliseconds: Int32) {
        Self.clear(&entries)
        var isAnyReady = false
        for start in stride(from: 0, to: entries.count, by: Self.pieceSize) {
            let range = start..<min(start + Self.pieceSize, entries.count)
            var piece = Array(entries[range])
            guard call(&piece, 0) > 0 else { continue }
            entries.replaceSubrange(range, with: piece)
            isAnyReady = true
        }
        if !isAnyReady { rest(milliseconds) }
    }

    private static func clear(_ entries: inout [pollfd]) {
        for index in entries.indices { entries[index].revents = 0 }
    }

    private func rest(_ milliseconds: Int32) {
        let pause = milliseconds < 0 ? Self.pause : min(milliseconds, Self.pause)
        usleep(useconds_t(pause) * 1000)
    }
}
