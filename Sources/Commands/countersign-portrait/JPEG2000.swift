internal import COpenJPEG
internal import PortraitImage

/// A decoder of one codestream (ISO/IEC 15444-1), by OpenJPEG. The file format around the codestream is never
/// given to OpenJPEG.
enum JPEG2000 {
    /// Decodes a codestream to the size in the header of its file.
    static func decode(
        _ codestream: ArraySlice<UInt8>, _ header: ImageHeader
    ) throws(RenderingError) -> Pixels {
        let source = CodestreamSource(codestream)
        guard let codec = unsafe opj_create_decompress(OPJ_CODEC_J2K) else { throw .notDecodable }
        defer { unsafe opj_destroy_codec(codec) }
        guard let stream = unsafe source.makeStream() else { throw .notDecodable }
        defer { unsafe opj_stream_destroy(stream) }
        var parameters = opj_dparameters_t()
        unsafe opj_set_default_decoder_parameters(&parameters)
        var image: UnsafeMutablePointer<opj_image_t>?
        defer { unsafe opj_image_destroy(image) }
        let isDecoded =
            unsafe opj_setup_decoder(codec, &parameters) == OPJ_TRUE
            // Strict mode refuses truncated images, which must not be compared with a face.
            && opj_decoder_set_strict_mode(codec, OPJ_TRUE) == OPJ_TRUE
            && opj_read_header(stream, codec, &image) == OPJ_TRUE
            && opj_decode(codec, stream, image) == OPJ_TRUE && opj_end_decompress(codec, stream) == OPJ_TRUE
        guard isDecoded, let decoded = unsafe image else { throw .notDecodable }
        return try unsafe pixels(of: decoded.pointee, header)
    }

    /// Returns the first component as grey, or the first three as RGB. The samples are scaled to eight bits
    /// and to the size of the image.
    private static func pixels(
        of image: opj_image_t, _ header: ImageHeader
    ) throws(RenderingError) -> Pixels {
        let count = unsafe Int(image.numcomps)
        // The second of two components and the fourth of four are transparency, which is not shown.
        let colour = count < 3 ? Pixels.Colour.grey : .rgb
        guard (1...4).contains(count), let first = unsafe image.comps else { throw .notDecodable }
        var samples = [UInt8](repeating: 0, count: header.width * header.height * colour.rawValue)
        for channel in 0..<colour.rawValue {
            guard let component = unsafe Component(first[channel]) else { throw .notDecodable }
            var target = channel
            for row in 0..<header.height {
                for column in 0..<header.width {
                    samples[target] = component.sample(column, row)
                    target += colour.rawValue
                }
            }
        }
        return Pixels(width: header.width, height: header.height, colour: colour, samples: samples)
    }

    /// A component of the image. Its depth is 1 to 16 bits, it may be signed, and it may have fewer samples
    /// than the image.
    private struct Component {
        private let values: [Int32]
        private let width: Int
        private let height: Int
        /// The subsampling: the numbers of image columns and rows that one sample of this component covers.
        private let steps: (x: Int, y: Int)
        private let depth: Int
        private let offset: Int

        init?(_ component: opj_image_comp_t) {
            width = unsafe Int(component.w)
            height = unsafe Int(component.h)
            steps = unsafe (Int(component.dx), Int(component.dy))
            depth = unsafe Int(component.prec)
            guard let start = unsafe component.data, width > 0, height > 0, steps.x > 0, steps.y > 0,
                (1...16).contains(depth)
            else { return nil }
            values = unsafe Array(UnsafeBufferPointer(start: start, count: width * height))
            // Signed samples are centred on 0.
            offset = unsafe component.sgnd == 0 ? 0 : 1 << (depth - 1)
        }

        /// Returns the sample at a position in the image, scaled to eight bits.
        func sample(_ column: Int, _ row: Int) -> UInt8 {
            let (x, y) = (min(column / steps.x, width - 1), min(row / steps.y, height - 1))
            let value = Int(values[y * width + x]) + offset
            // The largest sample of `depth` bits. In Swift `<<` binds more tightly than `-`, so no brackets
            // are needed.
            let largest = 1 << depth - 1
            return UInt8(min(max(value, 0), largest) * 255 / largest)
        }
    }
}

/// Decoded pixels: eight bits a sample, row after row.
struct Pixels {
    enum Colour: Int {
        case grey = 1
        case rgb = 3
    }

    let width: Int
    let height: Int
    let colour: Colour
    let samples: [UInt8]
}

/// A stream of OpenJPEG over bytes in memory.
final class CodestreamSource {
    private let bytes: [UInt8]
    private var index = 0

    init(_ codestream: ArraySlice<UInt8>) {
        bytes = Array(codestream)
    }

    /// Makes a stream over the bytes. Destroy the stream before this object is released. Returns nil if there
    /// is no memory.
    func makeStream() -> UnsafeMutablePointer<opj_stream_t?>? {
        // `OPJ_TRUE`: a stream for reading. Its buffer has 64 KiB.
        guard let stream = unsafe opj_stream_create(1 << 16, OPJ_TRUE) else { return nil }
        unsafe opj_stream_set_user_data(stream, Unmanaged.passUnretained(self).toOpaque(), nil)
        unsafe opj_stream_set_user_data_length(stream, UInt64(bytes.count))
        // The last argument of each callback is the user data, from which `source` gets this object.
        unsafe opj_stream_set_read_function(stream) { unsafe source($2).read(into: $0, $1) }
        unsafe opj_stream_set_skip_function(stream) { unsafe source($1).skip($0) }
        unsafe opj_stream_set_seek_function(stream) { unsafe source($1).seek(to: $0) }
        return unsafe stream
    }

    /// Reads up to `count` bytes. At the end of the stream returns -1, as OpenJPEG requires.
    fileprivate func read(into buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        let count = min(count, bytes.count - index)
        guard count > 0, let buffer = unsafe buffer else { return -1 }
        unsafe bytes[index..<index + count].withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(from: $0)
        }
        index += count
        return count
    }

    /// Skips bytes and returns their number. Returns -1 if fewer bytes are left.
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

/// Returns the source from the user data of its stream.
private func source(_ pointer: UnsafeMutableRawPointer?) -> CodestreamSource {
    guard let pointer = unsafe pointer else { preconditionFailure("a stream without its source") }
    return unsafe Unmanaged<CodestreamSource>.fromOpaque(pointer).takeUnretainedValue()
}
