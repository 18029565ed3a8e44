internal import Glibc
internal import JSON

/// The lines of this program on standard error, which systemd's journal keeps.
///
/// A line names an accessory and a state, a fault or the kind of a try's result. It never contains a scanned text, an outcome or the id of a
/// presentation.
enum Journal {
    static func write(_ text: String) {
        let line = Array("\(Terminal.safe(text, limit: 1024))\n".utf8)
        // One call a line, so that the lines of several threads do not mix. A failed write cannot be reported anywhere.
        _ = unsafe Glibc.write(STDERR_FILENO, line, line.count)
    }
}
