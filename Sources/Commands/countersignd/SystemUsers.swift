internal import Glibc

/// The user database of this computer (getpwnam(3)).
enum SystemUsers {
    /// The limits of the memory for one entry of the database, in bytes.
    private static let (leastBuffer, largestBuffer) = (1024, 1 << 16)

    /// Returns the number of the user with a name.
    ///
    /// - Returns: nil if no user has the name, if the text cannot be the name of a user, or if the database
    ///   cannot be read.
    static func number(of name: String) -> UInt32? {
        guard isName(name) else { return nil }
        var length = leastBuffer
        while length <= largestBuffer {
            var entry = unsafe passwd()
            var found: UnsafeMutablePointer<passwd>?
            var buffer = [CChar](repeating: 0, count: length)
            switch unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found) {
            case 0: return unsafe found == nil ? nil : unsafe entry.pw_uid
            // The entry does not fit, for example because of a long home folder.
            case ERANGE: length *= 2
            default: return nil
            }
        }
        return nil
    }

    /// Whether a text can be the name of a user. A text with a zero byte would be the name of another user in C,
    /// and a text of digits would be taken for a number by other programs.
    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { byte in
            isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
    }

    /// Whether a byte is an ASCII letter or an underscore.
    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
}
