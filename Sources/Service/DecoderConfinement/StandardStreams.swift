internal import Glibc

/// Standard input and output, read and written whole by the system calls that the confinement allows.
package enum StandardStreams {
    package enum Fault: Error, Equatable, Sendable {
        /// The input has more bytes than the limit.
        case tooLong
        /// The output was not accepted.
        case notWritten
    }

    /// Reads standard input to its end.
    package static func read(limit: Int) throws(Fault) -> [UInt8] {
        var input: [UInt8] = []
        while true {
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                // A failed read counts as the end of the input.
                count = max(0, unsafe Glibc.read(0, buffer.baseAddress, buffer.count))
            }
            guard !piece.isEmpty else { return input }
            guard input.count + piece.count <= limit else { throw .tooLong }
            input += piece
        }
    }

    /// Writes all bytes to standard output. One system call may write only a part of them.
    package static func write(_ output: ArraySlice<UInt8>) throws(Fault) {
        var rest = output
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(1, $0.baseAddress, $0.count) }
            guard written > 0 else { throw .notWritten }
            rest = rest.dropFirst(written)
        }
    }
}
