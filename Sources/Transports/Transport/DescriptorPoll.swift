internal import Glibc

/// A wrapper of poll(2) for many descriptors. `wait(for:atMost:)` never fails, because one thread waits for
/// all descriptors of the process, and an error of the system must not end this thread.
struct DescriptorPoll {
    /// A call of poll(2). Returns the number of ready descriptors, or a negative error number.
    typealias Call = (_ entries: inout [pollfd], _ milliseconds: Int32) -> Int32

    /// The number of descriptors in each call after the system has refused a call with all descriptors.
    private static let pieceSize = 16
    /// The pause in milliseconds before the next call if the system has no memory, or if no descriptor was
    /// ready when they were polled in pieces.
    private static let pause: Int32 = 10

    private let call: Call

    init(_ call: @escaping Call = DescriptorPoll.system) {
        self.call = call
    }

    static func system(_ entries: inout [pollfd], _ milliseconds: Int32) -> Int32 {
        let count = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
        return count < 0 ? -errno : count
    }

    /// Waits until a descriptor is ready, and marks the ready descriptors in `entries`. May return early
    /// although no descriptor is ready.
    ///
    /// - Parameter milliseconds: the maximum wait; a negative number means no limit.
    func wait(for entries: inout [pollfd], atMost milliseconds: Int32) {
        switch call(&entries, milliseconds) {
        case 0...: return
        // A signal ended the call early. The caller polls again.
        case -EINTR: Self.clear(&entries)
        // The list is longer than the process's limit of open descriptors.
        case -EINVAL: pollPieces(of: &entries, atMost: milliseconds)
        // The system has no memory for the call, for example.
        default:
            Self.clear(&entries)
            rest(milliseconds)
        }
    }

    /// Polls the descriptors in pieces. poll(2) refuses a list that is longer than the process's limit of
    /// open descriptors. The list can be longer if the limit was lowered, or if several waits are for the
    /// same descriptor.
    private func pollPieces(of entries: inout [pollfd], atMost milliseconds: Int32) {
        Self.clear(&entries)
        var isAnyReady = false
        for start in stride(from: 0, to: entries.count, by: Self.pieceSize) {
            let range = start..<min(start + Self.pieceSize, entries.count)
            var piece = Array(entries[range])
            // With a timeout of 0 the call does not wait. A wait for one piece would delay the other pieces.
            guard call(&piece, 0) > 0 else { continue }
            entries.replaceSubrange(range, with: piece)
            isAnyReady = true
        }
        if !isAnyReady { rest(milliseconds) }
    }

    private static func clear(_ entries: inout [pollfd]) {
        for index in entries.indices { entries[index].revents = 0 }
    }

    /// Pauses briefly, so that a poll that fails repeatedly does not keep the processor busy.
    ///
    /// - Parameter milliseconds: the caller's maximum wait; a negative number means no limit.
    private func rest(_ milliseconds: Int32) {
        let pause = milliseconds < 0 ? Self.pause : min(milliseconds, Self.pause)
        usleep(useconds_t(pause) * 1000)
    }
}
