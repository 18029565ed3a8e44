internal import Dispatch
internal import FoundationEssentials
internal import PortraitImage
internal import Transport

/// Decodes portraits in a separate process, since they come from a phone and JPEG 2000 is decoded by C.
///
/// Bytes are passed through one socket and are never written to disk. The process confines itself; here its time
/// and its output are limited. Each call has a separate process, and a limited number of them run at once, however many lanes
/// and online answers have portraits.
package struct PortraitDecoder: Sendable {
    /// What the largest portrait can become: three bytes a pixel, hardly compressed.
    private static let outputLimit = 4 * ImageLimits.portrait.pixels
    private static let queue = DispatchQueue(label: "countersign.portraits", attributes: .concurrent)
    private static let places = WorkPlaces(count: 4)

    let executable: String
    private let deadline: Duration

    /// `executable` is the path of `countersign-portrait`; a portrait may take as long as `deadline`, with its wait for other portraits.
    package init(executable: String, deadline: Duration = .seconds(3)) {
        self.executable = executable
        self.deadline = deadline
    }

    /// The portrait as JPEG or PNG.
    package func decode(_ portrait: ArraySlice<UInt8>) async throws(PortraitDecoderError) -> ShownPortrait {
        guard portrait.count <= ImageLimits.portrait.bytes else { throw .tooLarge }
        let (executable, end) = (executable, ContinuousClock.now + deadline)
        guard await Self.places.enter() else { throw .overdue }
        defer { Self.places.leave() }
        guard ContinuousClock.now < end else { throw .overdue }
        let result = await withCheckedContinuation { continuation in
            Self.queue.async {
                continuation.resume(returning: Self.run(executable, portrait, until: end))
            }
        }
        return try result.get()
    }

    private static func run(
        _ executable: String, _ portrait: ArraySlice<UInt8>, until end: ContinuousClock.Instant
    ) -> Result<ShownPortrait, PortraitDecoderError> {
        Result { () throws(PortraitDecoderError) in
            let process = try DecoderProcess(executable)
            let output = try process.exchange(portrait, limit: outputLimit, until: end)
            try process.end(until: end)
            guard let shown = ShownPortrait(output) else { throw .unexpected }
            return shown
        }
    }
}

package struct ShownPortrait: Equatable, Sendable, CustomStringConvertible {
    /// `image/jpeg` or `image/png`.
    package let mediaType: String
    package let bytes: [UInt8]

    /// Never the picture.
    package var description: String { "ShownPortrait(\(mediaType))" }

    /// A JPEG image that this process follows to its last block, for computers on which no decoder is installed.
    ///
    /// - Throws: `notStarted` for JPEG 2000, which is decoded by C and therefore by `countersign-portrait` alone.
    package init(jpeg portrait: ArraySlice<UInt8>) throws(PortraitDecoderError) {
        do throws(ImageHeaderError) {
            let header = try ImageHeader.parse(portrait)
            guard header.kind == .jpeg else { throw .kindUnknown }
            try JPEGScans.check(portrait[header.image])
            (mediaType, bytes) = (ImageFormat.jpeg.mediaType, Array(portrait[header.image]))
        } catch {
            switch error {
            case .kindUnknown, .unsupported: throw .notStarted
            case .truncated, .malformed: throw .malformed
            case .tooLarge: throw .tooLarge
            }
        }
    }

    /// Nil if the bytes are neither.
    init?(_ bytes: [UInt8]) {
        guard let format = ImageFormat(bytes[...]), format == .jpeg || format == .png else { return nil }
        mediaType = format.mediaType
        self.bytes = bytes
    }
}

package enum PortraitDecoderError: Error, Equatable, Sendable {
    /// The decoder does not start: it is not where it should be, or the system is short of something.
    case notStarted
    /// The decoder could not confine itself, and so read nothing.
    case notConfined
    /// The portrait does not decode, or is cut short.
    case malformed
    /// A kind of image that is not shown.
    case unsupported
    /// More bytes, pixels, tiles or parts than a portrait has, or more output than those can make.
    case tooLarge
    /// The decoder did not end in time, and was ended.
    case overdue
    /// The decoder was ended by a signal: it used more than it may, or called what it must not.
    case ended(signal: Int32)
    /// The decoder ended in a way that it does not have.
    case unexpected
}

extension PortraitDecoder {
    /// The name of the program.
    package static let program = "countersign-portrait"

    /// Whether the file of the decoder is there and may be executed.
    package var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: executable) }

    /// The decoder that lies beside this program, else the first in a folder of `PATH`; nil without one.
    package static var installed: PortraitDecoder? {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = own.flatMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(
            String.init)
        return ([beside].compactMap(\.self) + folders.filter { $0.hasPrefix("/") })
            .map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
            .map { PortraitDecoder(executable: $0) }
    }
}
