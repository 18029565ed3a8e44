package import Foundation
package import OtherPrograms
package import Testing

/// One run of a built command: what it wrote, and how it ended.
package struct CommandRun {
    package let status: Int32
    package let output: String
    package let errors: String

    /// Runs `countersign`.
    package init(_ arguments: String...) throws {
        try self.init(arguments)
    }

    package init(_ arguments: [String], of name: String = "countersign") throws {
        let program = try BuiltProgram(name, arguments, environment: TrialStore.environment(for: arguments))
        status = program.waitForEnd()
        (output, errors) = (program.output, program.errors)
    }

    /// Waits for the end of a run that was begun beside the test, up to 60 s.
    package init(_ program: BuiltProgram) async throws {
        status = try await program.ended()
        (output, errors) = (program.output, program.errors)
    }

    /// Everything that was written, wherever.
    package var everything: String { output + errors }

    /// The standard output, which has to be one JSON value.
    package func json(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
        return try #require(value as? [String: Any], "\(errors)", sourceLocation: sourceLocation)
    }

    package func report<Report: Decodable>(as type: Report.Type = VerdictJSON.self) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(output.utf8))
    }
}

/// Runs `countersign`, or another program, and waits for its end without keeping a thread.
package func execute(
    _ arguments: [String], of name: String = "countersign", environment: [String: String] = [:]
) async throws -> CommandRun {
    let store = TrialStore.environment(for: arguments)
    return try await CommandRun(
        BuiltProgram(name, arguments, environment: store.merging(environment) { _, own in own }))
}

/// Runs `countersign-lab`.
package func executeLab(_ arguments: [String]) async throws -> CommandRun {
    try await execute(arguments, of: "countersign-lab")
}
