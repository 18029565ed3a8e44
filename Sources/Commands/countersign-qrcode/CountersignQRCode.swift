package import GreyFrames

internal import CZXing
internal import DecoderConfinement
internal import Glibc

/// The program `countersign-qrcode`. It reads one frame of a camera from standard input (`GreyFrame`), and
/// writes the text of the QR code that begins with `mdoc:` to standard output: the longest if there are several.
/// It writes nothing if there is no such code.
///
/// Anybody can hold anything before a camera, and ZXing is written in C++. So the process confines itself
/// before it reads anything. It reads one frame and ends: no frame is kept, and a frame that ends the process
/// ends nothing else.
@main
struct CountersignQRCode {
    static func main() {
        exit(FrameReading.run(arguments: CommandLine.argc).rawValue)
    }
}

/// The work of the process: read, look for a code, write.
package enum FrameReading {
    /// The limit of the address space, in bytes.
    private static let memory: UInt = 256 << 20
    /// The limit of processor time, in seconds.
    private static let seconds: UInt = 2
    /// The maximum length of a text, in bytes: more than any QR code can hold.
    private static let longestText = 8192
    /// The beginning of a phone's code (ISO/IEC 18013-5 8.2.2.3). `ScannedCode` judges the rest of the text.
    private static let prefix = "mdoc:"

    static func run(arguments: Int32) -> FrameEnd {
        // The arguments include the name of the program, so a count of 1 means that there are no others.
        guard arguments == 1 else { return .usage }
        guard Confinement.enter(memory: memory, seconds: seconds) else { return .notConfined }
        do throws(StandardStreams.Fault) {
            let input = try StandardStreams.read(limit: GreyFrame.longest)
            guard let frame = GreyFrame(serialized: input) else { return .malformed }
            guard let text = code(in: frame) else { return .broken }
            try StandardStreams.write(text[...])
            return .read
        } catch {
            return error == .tooLong ? .malformed : .broken
        }
    }

    /// Returns the text of the longest phone's code, light on dark or dark on light; empty if there is none,
    /// and `nil` if the library failed.
    package static func code(in frame: GreyFrame) -> [UInt8]? {
        guard let text = find(in: frame) else { return nil }
        return text.isEmpty ? find(in: frame.inverted) : text
    }

    private static func find(in frame: GreyFrame) -> [UInt8]? {
        var length = 0
        let text = unsafe [UInt8](unsafeUninitializedCapacity: longestText) { buffer, count in
            length = unsafe countersign_qr_find(
                frame.pixels, Int32(frame.width), Int32(frame.height), prefix, buffer.baseAddress, longestText
            )
            count = max(0, length)
        }
        return length < 0 ? nil : text
    }
}
