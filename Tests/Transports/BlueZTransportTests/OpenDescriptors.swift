import Deadlines
import Foundation
import Testing

/// How many descriptors this process has open.
func openDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
}

/// Expects that no more are open than before, with time for what closes its own a moment after it has ended.
func expectOpenDescriptors(
    atMost count: Int, _ location: SourceLocation = #_sourceLocation
) async throws {
    try? await until("closed descriptors", within: .seconds(5)) { openDescriptors() <= count }
    #expect(openDescriptors() <= count, sourceLocation: location)
}
