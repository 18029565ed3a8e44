internal import DecoderConfinement
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
    /// The limit of the address space, in bytes.
    private static let memory: UInt = 512 << 20
    /// The limit of processor time, in seconds.
    private static let seconds: UInt = 5

    static func run(arguments: Int32) -> PortraitEnd {
        // The arguments include the name of the program, so a count of 1 means that there are no others.
        guard arguments == 1 else { return .usage }
        guard Confinement.enter(memory: memory, seconds: seconds) else { return .notConfined }
        do throws(RenderingError) {
            let image = try read()
            try write(render(image))
            return .shown
        } catch {
            return error.end
        }
    }

    private static func read() throws(RenderingError) -> [UInt8] {
        do throws(StandardStreams.Fault) {
            return try StandardStreams.read(limit: ImageLimits.portrait.bytes)
        } catch {
            throw .tooLong
        }
    }

    private static func write(_ image: ArraySlice<UInt8>) throws(RenderingError) {
        do throws(StandardStreams.Fault) {
            try StandardStreams.write(image)
        } catch {
            throw .streamBroken
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
