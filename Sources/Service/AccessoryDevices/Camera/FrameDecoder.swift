internal import ChildPrograms
package import GreyFrames

/// A decoder of camera frames, which runs `countersign-qrcode` for each frame, because anybody can hold
/// anything before a camera, and QR codes are read by a library in C++.
///
/// The process confines itself before it reads, and it is killed if it does not end in time. The frame goes
/// through a socket and is never written to disk.
///
/// The call blocks its thread: some 20 ms usually, at most `limit`.
package struct FrameDecoder: Sendable {
    /// The name of the decoder's program.
    package static let program = "countersign-qrcode"
    /// The maximum length of a code's text, in bytes.
    private static let longestText = 8192

    /// The exit status with which the loader ends a program that lacks a library (libzxing2).
    private static let libraryMissing: Int32 = 127

    private let executable: String
    private let limit: Duration

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - executable: the path of `countersign-qrcode`.
    ///   - limit: the maximum time for one frame.
    package init(executable: String, limit: Duration = .seconds(1)) {
        self.executable = executable
        self.limit = limit
    }

    /// The decoder that is installed with the running program; `nil` if there is none.
    package static var installed: FrameDecoder? {
        ChildProgram.installedPath(of: program).map { FrameDecoder(executable: $0) }
    }

    /// Returns the text of the longest code in a frame that begins with `mdoc:` in any case; `nil` if there is
    /// none.
    package func code(in frame: GreyFrame) throws(FrameDecoderError) -> [UInt8]? {
        let answer: (output: [UInt8], status: Int32)
        do throws(ChildExchangeError) {
            answer = try ChildExchange.run(
                executable, input: frame.serialized()[...], limit: Self.longestText, until: .now + limit)
        } catch {
            throw FrameDecoderError(error)
        }
        switch FrameEnd(rawValue: answer.status) {
        case .read: return answer.output.isEmpty ? nil : answer.output
        case .notConfined: throw .notConfined
        case nil where answer.status == Self.libraryMissing: throw .notStarted
        case .usage, .malformed, .broken, nil: throw .unexpected
        }
    }
}

/// The reason why a frame was not read.
package enum FrameDecoderError: Error, Equatable, Sendable {
    /// The decoder does not start, because it is not installed at its path, its library is not installed, or
    /// the system lacks a resource.
    case notStarted
    /// The decoder could not confine itself, and therefore read nothing.
    case notConfined
    /// The decoder did not end in time, and was killed.
    case overdue
    /// A signal ended the decoder.
    case ended(signal: Int32)
    /// The decoder ended with an exit status or an output that it should not have.
    case unexpected

    fileprivate init(_ error: ChildExchangeError) {
        self =
            switch error {
            case .notStarted: .notStarted
            case .overdue: .overdue
            case .ended(let signal): .ended(signal: signal)
            case .tooLarge, .broken: .unexpected
            }
    }
}
