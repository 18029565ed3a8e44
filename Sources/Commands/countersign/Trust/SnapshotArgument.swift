internal import ArgumentParser

/// The id of a snapshot, or how it begins.
struct SnapshotArgument: ExpressibleByArgument {
    let prefix: String

    private static let shortest = 4

    init?(argument: String) {
        guard (Self.shortest...64).contains(argument.count), argument.allSatisfy(\.isHexDigit) else {
            return nil
        }
        prefix = argument.lowercased()
    }
}
