internal import CBOR
internal import SystemPackage

/// Where a command writes: results to standard output, all else to standard error.
enum Terminal {
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

    /// Text from a phone, a certificate or a file, fit for one line: nothing that steers the terminal or hides
    /// what follows, and at most `limit` characters.
    static func safe(_ text: some StringProtocol, limit: Int = 160) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return result + "…" }
            result.unicodeScalars.append(scalar.prints ? scalar : "\u{fffd}")
            count += 1
        }
        return result
    }
}
