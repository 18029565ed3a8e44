package import JSON
internal import SystemPackage

/// Where a command writes: results to standard output, all else to standard error.
extension Terminal {
    package static func result(_ text: String) {
        write(text, to: .standardOutput)
    }

    /// Progress, a hint or an error.
    package static func note(_ text: String) {
        write(unsteered(text), to: .standardError)
    }

    /// A question, without a line end after it.
    package static func prompt(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }

    /// A reader that closed its end early does not need the rest: this is not an error.
    private static func write(_ text: String, to descriptor: FileDescriptor) {
        _ = try? descriptor.writeAll((text + "\n").utf8)
    }
}
