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
