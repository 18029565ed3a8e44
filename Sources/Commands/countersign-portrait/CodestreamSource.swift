internal import COpenJPEG

/// Bytes in memory as a stream of OpenJPEG's.
final class CodestreamSource {
    private let bytes: [UInt8]
    private var index = 0

    init(_ codestream: ArraySlice<UInt8>) {
        bytes = Array(codestream)
    }

    /// A stream over the bytes, to be destroyed before this value is released. Nil if memory could not be
    /// allocated.
    func makeStream() -> UnsafeMutablePointer<opj_stream_t?>? {
        guard let stream = unsafe opj_stream_create(1 << 16, OPJ_TRUE) else { return nil }
        unsafe opj_stream_set_user_data(stream, Unmanaged.passUnretained(self).toOpaque(), nil)
        unsafe opj_stream_set_user_data_length(stream, UInt64(bytes.count))
        unsafe opj_stream_set_read_function(stream) { unsafe source($2).read(into: $0, $1) }
        unsafe opj_stream_set_skip_function(stream) { unsafe source($1).skip($0) }
        unsafe opj_stream_set_seek_function(stream) { unsafe source($1).seek(to: $0) }
        return unsafe stream
    }

    /// Like `fread`, but at the end the greatest number there is.
    fileprivate func read(into buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        let count = min(count, bytes.count - index)
        guard count > 0, let buffer = unsafe buffer else { return -1 }
        unsafe bytes[index..<index + count].withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(from: $0)
        }
        index += count
        return count
    }

    fileprivate func skip(_ count: Int64) -> Int64 {
        guard count >= 0, count <= bytes.count - index else { return -1 }
        index += Int(count)
        return count
    }

    fileprivate func seek(to position: Int64) -> OPJ_BOOL {
        guard position >= 0, position <= bytes.count else { return OPJ_FALSE }
        index = Int(position)
        return OPJ_TRUE
    }
}

/// The source that a stream was made of.
private func source(_ pointer: UnsafeMutableRawPointer?) -> CodestreamSource {
    guard let pointer = unsafe pointer else { preconditionFailure("a stream without its source") }
    return unsafe Unmanaged<CodestreamSource>.fromOpaque(pointer).takeUnretainedValue()
}
