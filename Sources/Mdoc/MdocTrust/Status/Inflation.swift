internal import CZlib

/// Opens zlib streams (RFC 1950) within a limit.
enum Inflation {
    enum Failure: Error, Equatable {
        /// The bytes are not exactly one complete zlib stream.
        case malformed
        /// The contents are longer than the limit.
        case tooLong
    }

    /// Decompresses the one zlib stream in `compressed`.
    ///
    /// - Parameter limit: The maximum number of bytes to return.
    static func inflate(_ compressed: ArraySlice<UInt8>, limit: Int) throws(Failure) -> [UInt8] {
        var capacity = min(limit, max(1 << 12, 16 * compressed.count))
        // A stream does not state its size. So the first capacity is a guess, and the buffer grows until the
        // contents fit or reach the limit.
        while true {
            var used = UInt(compressed.count)
            var status = Z_OK
            let contents = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
                var written = UInt(target.count)
                status = unsafe compressed.withUnsafeBufferPointer {
                    unsafe uncompress2(target.baseAddress, &written, $0.baseAddress, &used)
                }
                count = status == Z_OK ? Int(written) : 0
            }
            switch status {
            case Z_OK where used == UInt(compressed.count): return contents
            case Z_BUF_ERROR where capacity < limit: capacity = min(limit, 8 * capacity)
            case Z_BUF_ERROR: throw .tooLong
            default: throw .malformed
            }
        }
    }
}
