internal import FoundationEssentials
internal import Glibc
internal import Transport

/// An examination of one part of the computer by `doctor`. Each examination yields one or more checks.
///
/// A doctor's run is a list of examinations. `[Examination].made(within:)` starts all examinations at the
/// same time, so a hanging service delays the run by 8 s in all and not by 8 s for each check. The result has
/// every id of every examination in the order of `DoctorCheck.ID`, not in the order in which the examinations
/// finish.
///
/// Each part of the computer has a type of facts, such as `ClockFacts` or `ReaderFacts`:
///
/// 1. A function reads the facts from the computer. Only this function does I/O.
/// 2. A property turns the facts into checks. Tests make facts by hand and compare the checks.
///
/// If an examination does not finish in time, its first check is `failed` with a text that begins with
/// `timedOut`, and its other checks are `skipped`. The task of the examination is cancelled but not waited
/// for, because a call into pcscd or a network file system may never return.
///
/// An examination only reads. It writes no file and starts no service; `doctor --fix` writes settings
/// afterwards.
package struct Examination: Sendable {
    /// The ids of all checks that `look` returns.
    package let checks: [DoctorCheck.ID]
    /// The part of the computer, named in the text of a timeout.
    let subject: CheckText
    /// Reads the facts and returns the checks.
    let look: @Sendable () async -> [DoctorCheck]

    package init(
        _ checks: [DoctorCheck.ID], of subject: CheckText, look: @escaping @Sendable () async -> [DoctorCheck]
    ) {
        self.checks = checks
        self.subject = subject
        self.look = look
    }

    /// Creates an examination whose `look` blocks. `look` runs on a separate thread.
    package init(
        _ checks: [DoctorCheck.ID], of subject: CheckText,
        blocking look: @escaping @Sendable () -> [DoctorCheck]
    ) {
        self.init(checks, of: subject) { await Doctor.blocking(look) }
    }

    /// The longest time for one examination. All examinations run at the same time, so a whole run takes no
    /// longer than this.
    package static let limit = Duration.seconds(8)

    /// Returns the checks. If `look` does not return in time, the first check fails and the others are
    /// skipped.
    func made(within limit: Duration) async -> [DoctorCheck] {
        if let made = await finished(within: limit, look) { return made }
        let first = checks.prefix(1).map { id in
            DoctorCheck.failed(id, "timedOut: \(subject) did not answer within \(limit.components.seconds) s")
        }
        return first + checks.dropFirst().map { .skipped($0, "\(subject) did not answer") }
    }
}

extension [Examination] {
    /// Makes all examinations at the same time and returns their checks in the order of `DoctorCheck.ID`.
    package func made(within limit: Duration = Examination.limit) async -> [DoctorCheck] {
        let made = await withTaskGroup(of: [DoctorCheck].self) { group in
            for examination in self { group.addTask { await examination.made(within: limit) } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        return DoctorCheck.ID.allCases.flatMap { id in made.filter { $0.id == id } }
    }
}

/// Returns the value of `work`, or `nil` if `work` takes longer than `limit`.
///
/// After `limit` the work is cancelled but not waited for, because it may hang in a call that never returns.
package func finished<Value: Sendable>(
    within limit: Duration, _ work: @escaping @Sendable () async -> Value
) async -> Value? {
    // The stream keeps only its first value: the result of `work`, or `nil` from the timer. A task group
    // would wait for both tasks.
    let (values, end) = AsyncStream<Value?>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let task = Task { end.yield(await work()) }
    let timer = Task {
        try await Task.sleep(for: limit, clock: .continuous)
        end.yield(nil)
        task.cancel()
    }
    defer { timer.cancel() }
    for await value in values { return value }
    return nil
}

/// Performs `body` on a separate thread, because it may block, for example on a network file system.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        WorkerThread().perform { continuation.resume(returning: body()) }
    }
}

/// The files of the system. Tests use another folder in place of `/`.
package struct SystemFolder: Sendable {
    /// The folder that stands for `/`, or an empty string for `/` itself.
    package let root: String

    package init(root: String) { self.root = root }

    package func path(_ path: String) -> String { root + path }

    package func text(of path: String) -> String? { SystemFile.text(of: self.path(path)) }

    package func firstWord(of path: String) -> Substring { SystemFile.firstWord(of: self.path(path)) }

    package func has(_ path: String) -> Bool { unsafe access(self.path(path), F_OK) == 0 }

    /// The sorted names in a folder, or `nil` if the folder does not exist or may not be read.
    package func names(in folder: String) -> [String]? {
        try? FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }
}
