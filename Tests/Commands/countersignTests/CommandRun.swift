import Foundation
import OtherPrograms
import Testing

/// One run of the built command: what it wrote, and how it ended.
struct CommandRun {
    let status: Int32
    let output: String
    let errors: String

    init(_ arguments: String...) throws {
        try self.init(arguments)
    }

    init(_ arguments: [String]) throws {
        let program = try BuiltProgram(
            "countersign", arguments, environment: TrialStore.environment(for: arguments))
        status = program.waitForEnd()
        (output, errors) = (program.output, program.errors)
    }

    /// Waits for the end of a run that was begun beside the test, up to 60 s.
    init(_ program: BuiltProgram) async throws {
        status = try await program.ended()
        (output, errors) = (program.output, program.errors)
    }

    /// Everything that was written, wherever.
    var everything: String { output + errors }

    /// The standard output, which has to be one JSON value.
    func json(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
        return try #require(value as? [String: Any], "\(errors)", sourceLocation: sourceLocation)
    }

    func report<Report: Decodable>(as type: Report.Type = VerdictJSON.self) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(output.utf8))
    }
}

/// Runs the command and waits for its end without keeping a thread.
func execute(_ arguments: [String], environment: [String: String] = [:]) async throws -> CommandRun {
    let store = TrialStore.environment(for: arguments)
    return try await CommandRun(
        BuiltProgram("countersign", arguments, environment: store.merging(environment) { _, own in own }))
}
