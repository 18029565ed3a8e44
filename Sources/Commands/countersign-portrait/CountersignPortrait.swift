internal import Glibc
package import PortraitImage

/// One image on standard input, one that browsers show on standard output: JPEG and PNG as they are, JPEG 2000 as PNG. A JPEG image is
/// read to its last block: browsers show a part of one that is broken.
///
/// The bytes come from a phone, and OpenJPEG is written in C: nothing is read before the process has confined itself.
@main
struct CountersignPortrait {
    static func main() {
        exit(Rendering.run(arguments: CommandLine.argc).rawValue)
    }
}

/// What the process does.
package enum Rendering {
    static func run(arguments: Int32) -> PortraitEnd {
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

/// Why there is no image to show.
package enum RenderingError: Error {
    case header(ImageHeaderError)
    case tooLong
    case notDecodable
    case streamBroken

    var end: PortraitEnd {
        switch self {
        case .header(.kindUnknown), .header(.unsupported): .unsupported
        case .header(.truncated), .header(.malformed), .notDecodable: .malformed
        case .header(.tooLarge), .tooLong: .tooLarge
        case .streamBroken: .broken
        }
    }
}

/// Whole inputs and outputs, by calls that the confinement allows.
private enum StandardStreams {
    /// Everything up to the end of standard input.
    static func read(limit: Int) throws(RenderingError) -> [UInt8] {
        var input: [UInt8] = []
        while true {
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = max(0, unsafe Glibc.read(0, buffer.baseAddress, buffer.count))
            }
            guard !piece.isEmpty else { return input }
            guard input.count + piece.count <= limit else { throw .tooLong }
            input += piece
        }
    }

    static func write(_ output: ArraySlice<UInt8>) throws(RenderingError) {
        var rest = output
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(1, $0.baseAddress, $0.count) }
            guard written > 0 else { throw .streamBroken }
            rest = rest.dropFirst(written)
        }
    }
}
