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
    for _ in 0..<250 where openDescriptors() > count { try await Task.sleep(for: .milliseconds(20)) }
    #expect(openDescriptors() <= count, sourceLocation: location)
}
