internal import Glibc
package import PortraitImage

/// The program `countersign-portrait`. It reads one image from standard input, and writes to standard output
/// an image that browsers can show: JPEG and PNG unchanged, JPEG 2000 as PNG.
///
/// A JPEG image is checked to its last block. Browsers would show the intact part of a truncated image, but
/// nobody may compare such a part with a face.
///
/// The bytes come from a phone, and OpenJPEG is written in C. So the process confines itself before it reads
/// anything.
@main
struct CountersignPortrait {
    static func main() {
        exit(Rendering.run(arguments: CommandLine.argc).rawValue)
    }
}

/// The work of the process: read, decode, write.
package enum Rendering {
    static func run(arguments: Int32) -> PortraitEnd {
        // The arguments include the name of the program, so a count of 1 means that there are no others.
        guard arguments == 1 else { return .usage }
        guard Confinement.enter() else { return .notConfined }
        do throws(RenderingError) {
            let image = try StandardStreams.read(limit: ImageLimits.portrait.bytes)
            try StandardStreams.write(render(image))
            return .shown
        } catch {
            return error.end
        }
    }

    /// Returns the image in a form that browsers show.
    package static func render(_ bytes: [UInt8]) throws(RenderingError) -> ArraySlice<UInt8> {
        let header: ImageHeader
        do throws(ImageHeaderError) {
            header = try ImageHeader.parse(bytes[...])
        } catch {
            throw .header(error)
        }
        switch header.kind {
        case .jpeg:
            do throws(ImageHeaderError) {
                try JPEGScans.check(bytes[header.image])
            } catch {
                throw .header(error)
            }
            return bytes[header.image]
        case .png: return bytes[header.image]
        case .jpeg2000: return try PNG.encode(JPEG2000.decode(bytes[header.image], header))[...]
        }
    }
}

/// The reason why no image can be shown.
package enum RenderingError: Error {
    case header(ImageHeaderError)
    case tooLong
    case notDecodable
    case streamBroken

    /// The exit status of the program for this error.
    var end: PortraitEnd {
        switch self {
        case .header(.kindUnknown), .header(.unsupported): .unsupported
        case .header(.truncated), .header(.malformed), .notDecodable: .malformed
        case .header(.tooLarge), .tooLong: .tooLarge
        case .streamBroken: .broken
        }
    }
}

/// Standard input and output, read and written whole by the system calls that the confinement allows.
private enum StandardStreams {
    /// Reads standard input to its end.
    static func read(limit: Int) throws(RenderingError) -> [UInt8] {
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
    static func write(_ output: ArraySlice<UInt8>) throws(RenderingError) {
        var rest = output
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(1, $0.baseAddress, $0.count) }
            guard written > 0 else { throw .streamBroken }
            rest = rest.dropFirst(written)
        }
    }
}
