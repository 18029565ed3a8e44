internal import CZlib

/// Opens zlib streams (RFC 1950) within a limit.
enum Inflation {
    enum Failure: Error, Equatable {
        /// No zlib stream, one that is cut off, or bytes after it.
        case malformed
        /// More comes out than the limit.
        case tooLong
    }

    /// The contents of the one stream that `compressed` holds, at most `limit` bytes.
    static func inflate(_ compressed: ArraySlice<UInt8>, limit: Int) throws(Failure) -> [UInt8] {
        var capacity = min(limit, max(1 << 12, 16 * compressed.count))
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
