internal import Accessories
internal import AccessoryDevices
internal import GreyFrames

/// The pictures of a camera that is on. The camera is switched off when the object is released.
protocol CameraPictures: AnyObject {
    /// The descriptor that is readable when a picture was taken.
    var descriptor: Int32 { get }
    /// Drops the pictures that were taken earlier.
    func discard() throws(DeviceFault)
    /// Returns a picture; `nil` if none was taken, or if it has an error.
    func next() throws(DeviceFault) -> GreyFrame?
}

/// The calls that reach the camera and the decoder.
struct CameraEdge {
    /// Whether the camera is plugged in. Opens nothing.
    let isPresent: () -> Bool
    /// Opens the camera, checks that it can be used, and closes it again. Then checks that the decoder
    /// starts.
    let check: () throws(DeviceFault) -> Void
    let turnOn: () throws(DeviceFault) -> any CameraPictures
    /// Returns the text of a phone's code in a frame, or `nil` if there is none.
    let decode: (GreyFrame) throws(FrameDecoderError) -> [UInt8]?
}

/// A camera that reads the code, on only while the lane takes one or an operator tries it.
///
/// While the camera is off, its device is closed: no other program is kept out, and its lamp is dark. While
/// it is on, one frame every quarter of a second goes to the decoder. A frame is in memory until the decoder
/// has answered, and nowhere else.
struct CameraScannerDevice: ScannerDevice, ~Copyable {
    /// The time from one frame that is decoded to the next.
    static let interval = Duration.milliseconds(250)
    /// The time after which a camera that is on and gives no picture counts as not answering.
    static let silence = Duration.seconds(5)
    /// The time between two looks whether a camera that is off is still plugged in.
    static let presence = Duration.seconds(5)

    private enum Phase {
        case off(nextLook: Duration)
        /// The camera is on, and its pictures are not wanted yet.
        case pausing(until: Duration)
        /// The next picture is decoded.
        case waiting(until: Duration)
    }

    private let edge: CameraEdge
    private var pictures: (any CameraPictures)?
    private var phase = Phase.off(nextLook: .zero)
    private var codes = CameraCodes()
    /// The number of frames in a row that ended their decoder.
    private var lostFrames = 0
    /// The number of lost frames in a row after which the camera counts as not answering.
    static let mostLostFrames = 20

    init(_ scanner: CameraScanner) throws(DeviceFault) {
        guard let decoder = FrameDecoder.installed else { throw Self.noDecoder }
        try self.init(.real(path: scanner.device, decoder))
    }

    /// Checks the camera, and leaves it off.
    init(_ edge: CameraEdge) throws(DeviceFault) {
        try edge.check()
        self.edge = edge
    }

    // A descriptor below zero is never ready.
    var descriptor: Int32 {
        if case .waiting = phase { pictures?.descriptor ?? -1 } else { -1 }
    }

    var deadline: Duration? {
        switch phase {
        case .off(let time), .pausing(let time), .waiting(let time): time
        }
    }

    mutating func turn(on isOn: Bool) throws(DeviceFault) {
        guard isOn != (pictures != nil) else { return }
        pictures = isOn ? try edge.turnOn() : nil
        phase = isOn ? .pausing(until: .zero) : .off(nextLook: .zero)
    }

    mutating func read(at now: Duration) throws(DeviceFault) -> [ReadCode] {
        guard let frame = try pictures?.next() else { return [] }
        phase = .pausing(until: now + Self.interval)
        guard let text = try decode(frame), let code = codes.receive(text, at: now) else { return [] }
        return [ReadCode(code, characters: text.count)]
    }

    mutating func expire(at now: Duration) throws(DeviceFault) -> [ReadCode] {
        switch phase {
        case .off(let time) where now >= time:
            guard edge.isPresent() else { throw .absent }
            phase = .off(nextLook: now + Self.presence)
        case .pausing(let time) where now >= time:
            // The buffers have pictures from before the pause.
            try pictures?.discard()
            phase = .waiting(until: now + Self.silence)
        case .waiting(let time) where now >= time: throw .notAnswering
        case .off, .pausing, .waiting: break
        }
        return []
    }

    private mutating func decode(_ frame: GreyFrame) throws(DeviceFault) -> [UInt8]? {
        do throws(FrameDecoderError) {
            let text = try edge.decode(frame)
            lostFrames = 0
            return text
        } catch {
            // A frame that ends its decoder is lost, and the next one is tried.
            if let fault = Self.fault(of: error) { throw fault }
            lostFrames += 1
            guard lostFrames < Self.mostLostFrames else { throw .notAnswering }
            return nil
        }
    }

    /// The fault of a decoder that can read no frame at all; `nil` if the error is that of one frame.
    fileprivate static func fault(of error: FrameDecoderError) -> DeviceFault? {
        switch error {
        case .notStarted: noDecoder
        case .notConfined: notConfined
        case .overdue, .ended, .unexpected: nil
        }
    }

    private static let noDecoder = DeviceFault.misconfigured(
        "\(FrameDecoder.program) does not start: install libzxing2, and countersign-accessories again"
    )
    fileprivate static let emptyFrameLost = DeviceFault.misconfigured(
        "\(FrameDecoder.program) cannot read an empty picture on this computer")
    private static let notConfined = DeviceFault.misconfigured(
        "\(FrameDecoder.program) cannot confine itself: the kernel needs seccomp")
}

extension CameraEdge {
    /// The camera of the kernel with this path, and the decoder in a process.
    fileprivate static func real(path: String, _ decoder: FrameDecoder) -> CameraEdge {
        CameraEdge(
            isPresent: { CameraDevice.isPresent(path: path) },
            check: { () throws(DeviceFault) in
                _ = try CameraDevice(path: path)
                try check(decoder)
            },
            turnOn: { () throws(DeviceFault) in try KernelPictures(path: path) },
            decode: { (frame) throws(FrameDecoderError) in try decoder.code(in: frame) })
    }

    /// Lets the decoder read an empty frame.
    private static func check(_ decoder: FrameDecoder) throws(DeviceFault) {
        let side = GreyFrame.widths.lowerBound
        let pixels = [UInt8](repeating: 0, count: side * side)
        guard let frame = GreyFrame(width: side, height: side, pixels: pixels) else { return }
        do throws(FrameDecoderError) {
            _ = try decoder.code(in: frame)
        } catch {
            throw CameraScannerDevice.fault(of: error) ?? CameraScannerDevice.emptyFrameLost
        }
    }
}

/// The pictures of a camera of the kernel.
private final class KernelPictures: CameraPictures {
    private let stream: CameraStream

    init(path: String) throws(DeviceFault) {
        stream = try CameraStream(try CameraDevice(path: path))
    }

    var descriptor: Int32 { stream.descriptor }

    func discard() throws(DeviceFault) { try stream.discardPictures() }

    func next() throws(DeviceFault) -> GreyFrame? { try stream.frame() }
}
