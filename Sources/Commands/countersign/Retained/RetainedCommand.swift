internal import ArgumentParser

/// `countersign retained`: what is kept of data requests, till its time is over.
struct RetainedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retained",
        abstract: "List, export once and purge what is retained of data requests.",
        discussion: """
            What is retained is sealed, with keys in another folder than the store's. The daemon removes it when its time \
            is over; these commands are for a computer whose daemon is off, and for whoever wants to look.

            EXAMPLES:
              countersign retained list
              countersign retained export booking-4711 booking-4711.json
              countersign retained purge
            """,
        subcommands: [RetainedListCommand.self, RetainedExportCommand.self, RetainedPurgeCommand.self])
}
