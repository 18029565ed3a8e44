internal import Logging

/// The accepted documents of a kiosk and whether the kiosk is stopped, together with the folder that
/// preserves this content over a restart.
///
/// The content is modified only through `change`, which also writes it to the folder, so that no caller can
/// forget to save. If the folder cannot be written, the kiosk continues with the changed content, and
/// `saveAgain` writes the content later.
struct KeptState {
    struct Content {
        var accepted: AcceptedDocuments
        var isStopped: Bool
    }

    private var content: Content
    private let folder: FleetFolder
    private let log: Logger
    /// Whether the folder contains the current content.
    private var isSaved = true
    /// The number of times that the kiosk was stopped since the daemon started.
    private(set) var stops = 0

    /// - Parameter content: The content of the folder.
    init(_ content: Content, in folder: FleetFolder, log: Logger) {
        self.content = content
        self.folder = folder
        self.log = log
    }

    var accepted: AcceptedDocuments { content.accepted }
    var isStopped: Bool { content.isStopped }

    /// Modifies the content and writes it to the folder. If `body` throws, nothing changes.
    mutating func change<Failure: Error>(_ body: (inout Content) throws(Failure) -> Void) throws(Failure) {
        var next = content
        try body(&next)
        if next.isStopped, !content.isStopped { stops += 1 }
        content = next
        save()
    }

    /// Writes the content if an earlier attempt failed. Called before each request for the desired state.
    mutating func saveAgain() {
        if !isSaved { save() }
    }

    /// Returns the configuration that results from the documents and the kiosk's own file. The result stays
    /// in memory and is not written to the folder.
    mutating func configuration(
        over file: [UInt8]
    ) throws(FleetDocumentError) -> AcceptedDocuments.Configuration {
        try content.accepted.configuration(over: file)
    }

    /// Writes the content to the folder. Of several failures in a row, only the first is logged.
    private mutating func save() {
        do throws(FleetFolderError) {
            try folder.save(content.accepted, isStopped: content.isStopped)
            isSaved = true
        } catch {
            if isSaved {
                log.error(
                    "the folder STORE/fleet cannot be written: after a restart, the kiosk may have lost recent documents, or may not know that it was stopped",
                    metadata: ["why": "\(error.explanation)"])
            }
            isSaved = false
        }
    }
}
