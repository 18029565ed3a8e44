import Accessories
import AccessoryDevices
import GreyFrames
import JSON
import Testing

@testable import countersign_accessories

@Suite("A camera as a scanner")
struct CameraScannerTests {
    /// A camera in memory, with a decoder that finds what the test says.
    private final class Camera {
        var isPresent = true
        var isOn = false
        /// The number of times that the camera was switched on.
        var starts = 0
        /// The number of frames that were given to the decoder.
        var decoded = 0
        var discarded = 0
        var checkFault: DeviceFault?
        var turnFault: DeviceFault?
        var hasPicture = true
        var text: [UInt8]?
        var decoderFault: FrameDecoderError?

        var edge: CameraEdge {
            CameraEdge(
                isPresent: { self.isPresent },
                check: { () throws(DeviceFault) in if let fault = self.checkFault { throw fault } },
                turnOn: { () throws(DeviceFault) in
                    if let fault = self.turnFault { throw fault }
                    return Pictures(of: self)
                },
                decode: { (_) throws(FrameDecoderError) in
                    self.decoded += 1
                    if let fault = self.decoderFault { throw fault }
                    return self.text
                })
        }
    }

    private final class Pictures: CameraPictures {
        private let camera: Camera

        init(of camera: Camera) {
            self.camera = camera
            camera.isOn = true
            camera.starts += 1
        }

        deinit { camera.isOn = false }

        let descriptor: Int32 = 77

        func discard() throws(DeviceFault) { camera.discarded += 1 }

        func next() throws(DeviceFault) -> GreyFrame? {
            guard camera.hasPicture else { return nil }
            return GreyFrame(width: 64, height: 64, pixels: [UInt8](repeating: 0, count: 64 * 64))
        }
    }

    private static let start = Duration.seconds(100)
    private static let code = Array("mdoc:AAAA".utf8)

    @Test("The camera is on only while the lane takes a code, and off when its worker ends")
    func off() throws {
        let camera = Camera()
        do {
            var device = try CameraScannerDevice(camera.edge)
            #expect(!camera.isOn && camera.starts == 0)
            try device.turn(on: false)
            _ = try device.expire(at: Self.start)
            _ = try device.read(at: Self.start)
            #expect(!camera.isOn && camera.starts == 0 && camera.decoded == 0)
            for turn in 1...2 {
                try device.turn(on: true)
                try device.turn(on: true)
                #expect(camera.isOn && camera.starts == turn)
                try device.turn(on: false)
                #expect(!camera.isOn)
                let codes = try device.read(at: Self.start)
                #expect(codes.isEmpty && camera.decoded == 0)
            }
            try device.turn(on: true)
            #expect(camera.isOn)
            let watched = device.descriptor
            #expect(watched == -1)
        }
        #expect(!camera.isOn)
    }

    @Test(
        "A picture that is taken after the pause is decoded, four in a second, and the code is passed on once"
    )
    func pace() throws {
        let camera = Camera()
        camera.text = Self.code
        var device = try CameraScannerDevice(camera.edge)
        try device.turn(on: true)
        var found: [ReadCode] = []
        for number in 0..<4 {
            let now = Self.start + CameraScannerDevice.interval * number
            // The descriptor is not watched during the pause, in which the camera takes pictures nobody wants.
            let (paused, early) = (device.descriptor, try device.expire(at: now - .milliseconds(1)))
            #expect(early.isEmpty)
            if number > 0 { #expect(paused == -1 && camera.discarded == number) }
            _ = try device.expire(at: now)
            let watched = device.descriptor
            #expect(watched == 77 && camera.discarded == number + 1)
            found += try device.read(at: now)
            #expect(camera.decoded == number + 1)
        }
        #expect(found.map(\.code) == [ScannedCode(Self.code[...])])
    }

    @Test("A frame that ends the decoder is dropped, and the next one is read")
    func decoderEnds() throws {
        for fault in [FrameDecoderError.overdue, .ended(signal: 11), .unexpected] {
            let camera = Camera()
            camera.text = Self.code
            camera.decoderFault = fault
            var device = try CameraScannerDevice(camera.edge)
            try device.turn(on: true)
            _ = try device.expire(at: Self.start)
            let lost = try device.read(at: Self.start)
            camera.decoderFault = nil
            let next = Self.start + CameraScannerDevice.interval
            _ = try device.expire(at: next)
            let codes = try device.read(at: next)
            #expect(lost.isEmpty && codes.map(\.code) == [ScannedCode(Self.code[...])])
        }
    }

    private static func fault(_ body: () throws(DeviceFault) -> Void) -> DeviceFault? {
        do throws(DeviceFault) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("A decoder that is missing or not confined is named, and no frame goes anywhere else")
    func noDecoder() {
        for wrong in [FrameDecoderError.notStarted, .notConfined] {
            let camera = Camera()
            camera.decoderFault = wrong
            let fault = Self.fault { () throws(DeviceFault) in
                var device = try CameraScannerDevice(camera.edge)
                try device.turn(on: true)
                _ = try device.read(at: Self.start)
            }
            #expect(fault?.state == .misconfigured && !camera.isOn && camera.decoded == 1)
        }
    }

    @Test(
        "Twenty frames in a row that end the decoder make the camera silent; one that is read in between does not"
    )
    func lostFrames() throws {
        for readAt in [nil, 10] as [Int?] {
            let camera = Camera()
            var device = try CameraScannerDevice(camera.edge)
            try device.turn(on: true)
            var fault: DeviceFault?
            for number in 1...CameraScannerDevice.mostLostFrames where fault == nil {
                camera.decoderFault = number == readAt ? nil : .ended(signal: 11)
                do throws(DeviceFault) {
                    _ = try device.read(at: Self.start)
                } catch {
                    fault = error
                }
            }
            #expect(fault == (readAt == nil ? .notAnswering : nil))
        }
    }

    @Test("A camera that cannot be used, is taken or is unplugged has its fault")
    func faults() {
        let camera = Camera()
        camera.checkFault = .misconfigured("no format")
        #expect(
            Self.fault { () throws(DeviceFault) in _ = try CameraScannerDevice(camera.edge) }
                == camera.checkFault)
        camera.checkFault = nil
        camera.turnFault = .busy
        let taken = Self.fault { () throws(DeviceFault) in
            var device = try CameraScannerDevice(camera.edge)
            try device.turn(on: true)
        }
        #expect(taken == .busy && !camera.isOn)
        camera.isPresent = false
        let unplugged = Self.fault { () throws(DeviceFault) in
            var device = try CameraScannerDevice(camera.edge)
            _ = try device.expire(at: Self.start)
        }
        #expect(unplugged == .absent)
    }

    @Test("A camera that is on and gives no picture does not answer after five seconds, and not before")
    func silent() throws {
        let camera = Camera()
        camera.hasPicture = false
        var device = try CameraScannerDevice(camera.edge)
        try device.turn(on: true)
        _ = try device.expire(at: Self.start)
        let end = Self.start + CameraScannerDevice.silence
        let (deadline, codes) = (device.deadline, try device.read(at: Self.start))
        _ = try device.expire(at: end - .milliseconds(1))
        #expect(deadline == end && codes.isEmpty && camera.decoded == 0)
        var fault: DeviceFault?
        do throws(DeviceFault) {
            _ = try device.expire(at: end)
        } catch {
            fault = error
        }
        #expect(fault == .notAnswering)
    }

    /// A scanner that records when it is switched.
    private struct SwitchedScanner: ScannerDevice, ~Copyable {
        final class Log {
            var turns: [Bool] = []
        }

        let log: Log
        let descriptor: Int32 = -1
        let deadline: Duration? = nil

        mutating func turn(on isOn: Bool) throws(DeviceFault) { log.turns.append(isOn) }
        mutating func read(at now: Duration) throws(DeviceFault) -> [ReadCode] { [] }
        mutating func expire(at now: Duration) throws(DeviceFault) -> [ReadCode] { [] }
    }

    @Test("A scanner is switched off when the daemon is lost, and on only by news of its own lane")
    func lost() throws {
        let accessory = Accessory(
            name: "qr", lane: "gate", role: .scanner(.camera(CameraScanner())), isTrial: false, source: .null)
        let desk = try WorkerDesk(accessory, daemon: DaemonLink(path: "/nowhere"))
        var worker = try #require(ScannerWorker(desk))
        for message: WorkerMessage in [
            .lane(
                LaneNews(lane: "other", state: "armed", takesCode: true, isPaused: false, hasProblem: false)),
            .lane(
                LaneNews(lane: "gate", state: "armed", takesCode: true, isPaused: false, hasProblem: false)),
            .daemonLost,
            .lane(
                LaneNews(lane: "gate", state: "armed", takesCode: true, isPaused: false, hasProblem: false)),
            .lane(
                LaneNews(lane: "gate", state: "engaged", takesCode: false, isPaused: false, hasProblem: false)
            ), .stop,
        ] {
            desk.mailbox.post(message)
        }
        let log = SwitchedScanner.Log()
        var scanner = SwitchedScanner(log: log)
        let goesOn = try worker.serve(&scanner)
        #expect(!goesOn && log.turns == [false, true, false, true, false, false])
    }
}
