internal import Glibc

/// The time in the form of HTTP (RFC 9110, 5.6.7 and 6.6.1).
package enum HTTPDate {
    package static var now: String { text(of: time(nil)) }

    static func text(of seconds: time_t) -> String {
        var seconds = seconds
        var fields = unsafe tm()
        guard unsafe gmtime_r(&seconds, &fields) != nil else { return "" }
        // This program never leaves the C locale, so these are the names that the standard wants.
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
            let length = unsafe strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &fields)
            return unsafe String(decoding: text.prefix(length).map(UInt8.init), as: UTF8.self)
        }
    }
}
