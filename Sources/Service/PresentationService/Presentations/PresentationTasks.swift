/// The tasks of a coordinator's presentations, at most one for each job of a presentation.
///
/// `PresentationCoordinator.start` alone adds tasks, and removes each when it ends: a task that is here has not ended.
struct PresentationTasks {
    /// A job that a task does for a presentation.
    enum Job: Hashable {
        /// A lane is busy with the presentation.
        case running
        /// Its receipts are being written after somebody has decided, or the time for that is over.
        case writing
        /// The store did not accept its end, which is tried again until the store does.
        case retrying
    }

    private struct Key: Hashable {
        let job: Job
        let id: PresentationID
    }

    private var tasks: [Key: Task<Void, Never>] = [:]

    subscript(job: Job, id: PresentationID) -> Task<Void, Never>? { tasks[Key(job: job, id: id)] }

    func all(_ job: Job) -> [Task<Void, Never>] { tasks.filter { $0.key.job == job }.map(\.value) }

    mutating func insert(_ task: Task<Void, Never>, _ job: Job, of id: PresentationID) {
        tasks[Key(job: job, id: id)] = task
    }

    mutating func remove(_ job: Job, of id: PresentationID) {
        tasks[Key(job: job, id: id)] = nil
    }
}
