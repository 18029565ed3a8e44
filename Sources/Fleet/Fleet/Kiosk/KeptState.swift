internal import Logging

/// What a kiosk obeys, and whether it is stopped, with the folder that keeps both over a restart.
///
/// Only `change` changes either, and it writes the folder each time: nobody can change one and forget the other. The kiosk goes on with
/// the change where the folder cannot be written, and `keepAgain` writes it later.
struct KeptState {
    struct Content {
        var accepted: AcceptedDocuments
        var isStopped: Bool
    }

    private var content: Content
    private let folder: FleetFolder
    private let log: Logger
    /// Whether the folder has the content.
    private var isKept = true
    /// The number of times that the kiosk was stopped since its start.
    private(set) var stops = 0

    /// - Parameter content: As the folder has it.
    init(_ content: Content, in folder: FleetFolder, log: Logger) {
        self.content = content
        self.folder = folder
        self.log = log
    }

    var accepted: AcceptedDocuments { content.accepted }
    var isStopped: Bool { content.isStopped }

    /// Changes what is kept, and keeps it. If `body` throws, nothing has changed.
    mutating func change<Failure: Error>(_ body: (inout Content) throws(Failure) -> Void) throws(Failure) {
        var next = content
        try body(&next)
        if next.isStopped, !content.isStopped { stops += 1 }
        content = next
        keep()
    }

    /// Writes what could not be written before, as with each question to the hub.
    mutating func keepAgain() {
        if !isKept { keep() }
    }

    /// The configuration that the documents lead to, over the kiosk's own file. It is remembered, and not kept.
    mutating func configuration(
        over file: [UInt8]
    ) throws(FleetDocumentError) -> AcceptedDocuments.Configuration {
        try content.accepted.configuration(over: file)
    }

    private mutating func keep() {
        do throws(FleetFolderError) {
            try folder.keep(content.accepted, isStopped: content.isStopped)
            isKept = true
        } catch {
            if isKept {
                log.error(
                    "the folder fleet in the store cannot be written: the kiosk may forget what it obeys at its next start",
                    metadata: ["why": "\(error.explanation)"])
            }
            isKept = false
        }
    }
}
