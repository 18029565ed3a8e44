internal import FoundationEssentials
internal import Glibc
internal import Transport

/// A part of the computer that is looked at in one go.
package struct Examination: Sendable {
    /// What it answers for, always all of it.
    package let checks: [DoctorCheck.ID]
    /// Whose answer is waited for.
    let subject: CheckText
    let look: @Sendable () async -> [DoctorCheck]

    package init(
        _ checks: [DoctorCheck.ID], of subject: CheckText, look: @escaping @Sendable () async -> [DoctorCheck]
    ) {
        self.checks = checks
        self.subject = subject
        self.look = look
    }

    package init(
        _ checks: [DoctorCheck.ID], of subject: CheckText,
        blocking look: @escaping @Sendable () -> [DoctorCheck]
    ) {
        self.init(checks, of: subject) { await Doctor.blocking(look) }
    }

    /// For one examination. All of them are made side by side, so this bounds the whole run too.
    package static let limit = Duration.seconds(8)

    /// The checks; where they do not come in time the first says so, and the others are skipped.
    func made(within limit: Duration) async -> [DoctorCheck] {
        if let made = await finished(within: limit, look) { return made }
        let first = checks.prefix(1).map { id in
            DoctorCheck.failed(id, "timedOut: \(subject) gave no answer within \(limit.components.seconds) s")
        }
        return first + checks.dropFirst().map { .skipped($0, "\(subject) gave no answer") }
    }
}

extension [Examination] {
    /// All checks, in the order of their ids.
    package func made(within limit: Duration = Examination.limit) async -> [DoctorCheck] {
        let made = await withTaskGroup(of: [DoctorCheck].self) { group in
            for examination in self { group.addTask { await examination.made(within: limit) } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        return DoctorCheck.ID.allCases.flatMap { id in made.filter { $0.id == id } }
    }
}

/// The value of `work`, or nil when it has not come within `limit`; what hangs is then left to itself.
package func finished<Value: Sendable>(
    within limit: Duration, _ work: @escaping @Sendable () async -> Value
) async -> Value? {
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

/// Runs a call that may block, such as one for files on a network, on a separate thread.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        WorkerThread().perform { continuation.resume(returning: body()) }
    }
}

/// The system's files, below a folder that is used as `/`.
package struct SystemFolder: Sendable {
    /// Empty for the system's own.
    package let root: String

    package init(root: String) { self.root = root }

    package func path(_ path: String) -> String { root + path }

    package func text(of path: String) -> String? { SystemFile.text(of: self.path(path)) }

    package func firstWord(of path: String) -> Substring { SystemFile.firstWord(of: self.path(path)) }

    package func has(_ path: String) -> Bool { unsafe access(self.path(path), F_OK) == 0 }

    /// Nil when the folder is not there or may not be read.
    package func names(in folder: String) -> [String]? {
        try? FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }
}
