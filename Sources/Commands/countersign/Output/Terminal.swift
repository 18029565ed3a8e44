internal import JSON
internal import SystemPackage

/// Where a command writes: results to standard output, all else to standard error.
extension Terminal {
    /// A result.
    static func result(_ text: String) {
        write(text, to: .standardOutput)
    }

    /// Progress, a hint or an error.
    static func note(_ text: String) {
        write(text, to: .standardError)
    }

    /// A reader that closed its end early has seen enough: that is no failure of ours.
    private static func write(_ text: String, to descriptor: FileDescriptor) {
        _ = try? descriptor.writeAll((text + "\n").utf8)
    }
}
