/// The running tasks of a coordinator's presentations, at most one for each job of a presentation.
///
/// Only `PresentationCoordinator.start` inserts tasks, and it removes each task when the task ends.
struct PresentationTasks {
    /// The job of a task.
    enum Job: Hashable {
        /// Following the presentation at its lane.
        case running
        /// Writing the receipts after a decision, or after the time for a decision is over.
        case writing
        /// Repeating the write of an ended presentation, which the store refused.
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
