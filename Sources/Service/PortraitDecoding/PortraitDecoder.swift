internal import ChildPrograms
internal import Dispatch
internal import ErrorMapping
internal import FoundationEssentials
internal import PortraitImage
internal import Transport

/// A decoder of portraits, which runs `countersign-portrait` in a separate process, because the bytes come
/// from a phone, and JPEG 2000 is decoded by a library in C.
///
/// - Each portrait gets a separate process, which confines itself before it reads.
/// - Input and output go through one socket and are never written to disk.
/// - Time and output are limited here. At most four processes run at the same time. Further portraits
///   wait, and this wait counts towards their time limit.
///
/// The daemon and the library call `decode(_:)` from any task. The blocking work is done on a queue of
/// threads. The decoder makes no decision about the portrait: it returns a picture or the reason why there is
/// none.
package struct PortraitDecoder: Sendable {
    /// The maximum size of the output in bytes. A pixel has three bytes and compression may save nothing, so
    /// four bytes for each pixel are enough.
    private static let outputLimit = 4 * ImageLimits.portrait.pixels
    private static let queue = DispatchQueue(label: "countersign.portraits", attributes: .concurrent)
    private static let places = WorkPlaces(count: 4)

    let executable: String
    private let deadline: Duration

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - executable: the path of `countersign-portrait`.
    ///   - deadline: the maximum time of one portrait, including its wait for other portraits.
    package init(executable: String, deadline: Duration = .seconds(3)) {
        self.executable = executable
        self.deadline = deadline
    }

    /// Returns the portrait as JPEG or PNG.
    package func decode(_ portrait: ArraySlice<UInt8>) async throws(PortraitDecoderError) -> ShownPortrait {
        guard portrait.count <= ImageLimits.portrait.bytes else { throw .tooLarge }
        let (executable, end) = (executable, ContinuousClock.now + deadline)
        // `places` accepts any number of waiting portraits, so `enter()` returns true.
        guard await Self.places.enter() else { throw .overdue }
        defer { Self.places.leave() }
        // The wait for a free place among the four decoders may have taken all the time.
        guard ContinuousClock.now < end else { throw .overdue }
        let result = await withCheckedContinuation { continuation in
            Self.queue.async {
                continuation.resume(returning: Self.run(executable, portrait, until: end))
            }
        }
        return try result.get()
    }

    /// Runs the decoder for one portrait. Blocks its thread until the end.
    private static func run(
        _ executable: String, _ portrait: ArraySlice<UInt8>, until end: ContinuousClock.Instant
    ) -> Result<ShownPortrait, PortraitDecoderError> {
        Result { () throws(PortraitDecoderError) in
            let answer = try mapping(
                ChildExchange.run(executable, input: portrait, limit: outputLimit, until: end),
                PortraitDecoderError.init(exchange:))
            if let error = PortraitDecoderError(status: answer.status) { throw error }
            guard let shown = ShownPortrait(answer.output) else { throw .unexpected }
            return shown
        }
    }
}

/// A portrait that can be shown: a JPEG or PNG image.
package struct ShownPortrait: Equatable, Sendable, CustomStringConvertible {
    /// The media type: `image/jpeg` or `image/png`.
    package let mediaType: String
    package let bytes: [UInt8]

    /// The media type only, so that no log contains the picture.
    package var description: String { "ShownPortrait(\(mediaType))" }

    /// Creates a portrait from a JPEG image without the decoder, for computers on which no decoder is
    /// installed. The image is parsed to its last block, so that an incomplete image is refused. No pixels
    /// are computed.
    ///
    /// - Throws: `notStarted` for an image that only the decoder could check; `malformed` or `tooLarge`.
    package init(jpeg portrait: ArraySlice<UInt8>) throws(PortraitDecoderError) {
        do throws(ImageHeaderError) {
            let header = try ImageHeader.parse(portrait)
            guard header.kind == .jpeg else { throw .kindUnknown }
            try JPEGScans.check(portrait[header.image])
            (mediaType, bytes) = (ImageFormat.jpeg.mediaType, Array(portrait[header.image]))
        } catch {
            switch error {
            // Only the decoder could tell whether such an image is sound, and no decoder is used here.
            case .kindUnknown, .unsupported: throw .notStarted
            case .truncated, .malformed: throw .malformed
            case .tooLarge: throw .tooLarge
            }
        }
    }

    /// Creates a portrait from the decoder's output; `nil` if it is neither JPEG nor PNG.
    init?(_ bytes: [UInt8]) {
        guard let format = ImageFormat(bytes[...]), format == .jpeg || format == .png else { return nil }
        mediaType = format.mediaType
        self.bytes = bytes
    }
}

/// The reason why a portrait cannot be shown.
package enum PortraitDecoderError: Error, Equatable, Sendable {
    /// The decoder does not start, because it is not installed at its path or the system lacks a resource.
    case notStarted
    /// The decoder could not confine itself, and therefore read nothing.
    case notConfined
    /// The portrait does not decode, or is cut off.
    case malformed
    /// The image has a format that is not shown, or uses a feature that portraits do not need.
    case unsupported
    /// The portrait has too many bytes, pixels, tiles or parts, or the output has too many bytes.
    case tooLarge
    /// The decoder did not end in time, and was killed.
    case overdue
    /// The decoder was ended by a signal, because it used too much of a resource or made a system call that
    /// is not allowed.
    case ended(signal: Int32)
    /// The decoder ended with an exit status or an output that it should not have.
    case unexpected

    fileprivate init(exchange error: ChildExchangeError) {
        self =
            switch error {
            case .notStarted: .notStarted
            case .tooLarge: .tooLarge
            case .overdue: .overdue
            case .ended(let signal): .ended(signal: signal)
            case .broken: .unexpected
            }
    }

    /// The error for the exit status of the decoder; `nil` if it wrote an image.
    fileprivate init?(status: Int32) {
        switch PortraitEnd(rawValue: status) {
        case .shown: return nil
        case .notConfined: self = .notConfined
        case .malformed: self = .malformed
        case .unsupported: self = .unsupported
        case .tooLarge: self = .tooLarge
        case .usage, .broken, nil: self = .unexpected
        }
    }
}

extension PortraitDecoder {
    /// The name of the decoder's program.
    package static let program = "countersign-portrait"

    /// Whether the decoder's file exists and may be executed.
    package var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: executable) }

    /// The decoder beside this program or, if there is no decoder beside it, the first decoder in the folders
    /// of `PATH`; `nil` if no decoder is installed.
    package static var installed: PortraitDecoder? {
        ChildProgram.installedPath(of: program).map { PortraitDecoder(executable: $0) }
    }
}
