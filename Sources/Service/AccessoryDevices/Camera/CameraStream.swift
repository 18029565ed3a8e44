internal import CAccessoryDevices
internal import Glibc
package import GreyFrames

/// A camera that is on. It is switched off when this value is released.
///
/// The pictures are in buffers of the driver, which are mapped into this process. The only copy is the frame
/// that `frame()` returns.
///
/// The calls are for one thread, and none waits.
package struct CameraStream: ~Copyable {
    /// The number of buffers that is asked for. Some drivers start only with two or three.
    private static let wantedBuffers: UInt32 = 4
    /// The maximum number of buffers that a driver may make instead.
    private static let mostBuffers: UInt32 = 32
    /// The maximum size of a buffer in bytes, whatever the driver says.
    private static let longestBuffer: UInt32 = 64 << 20

    private let camera: CameraDevice
    private let pictures: [MappedPicture]

    /// Switches a camera on.
    ///
    /// - Throws: `busy` if another program uses the camera; `absent` if it was unplugged.
    package init(_ camera: consuming CameraDevice) throws(DeviceFault) {
        let raw = camera.device.raw
        var count = Self.wantedBuffers
        guard unsafe countersign_camera_buffers(raw, &count) >= 0 else { throw DeviceFault(errno: errno) }
        guard (1...Self.mostBuffers).contains(count) else { throw .failed(errno: ENOBUFS) }
        var pictures: [MappedPicture] = []
        for index in 0..<count {
            var (length, offset): (UInt32, UInt32) = (0, 0)
            guard unsafe countersign_camera_buffer(raw, index, &length, &offset) >= 0 else {
                throw DeviceFault(errno: errno)
            }
            guard (1...Self.longestBuffer).contains(length) else { throw .failed(errno: EMSGSIZE) }
            pictures.append(try MappedPicture(device: raw, length: Int(length), offset: Int(offset)))
            guard countersign_camera_queue(raw, index) >= 0 else { throw DeviceFault(errno: errno) }
        }
        guard countersign_camera_stream(raw, 1) >= 0 else { throw DeviceFault(errno: errno) }
        self.camera = camera
        self.pictures = pictures
    }

    deinit {
        // A camera that was unplugged cannot be switched off.
        _ = countersign_camera_stream(camera.device.raw, 0)
    }

    /// The descriptor for a `WaitSet`, valid as long as this value exists.
    package var descriptor: Int32 { camera.device.raw }

    /// Returns the oldest picture that was taken; `nil` if there is none, or if the picture has an error.
    ///
    /// - Throws: `absent` if the camera was unplugged.
    package borrowing func frame() throws(DeviceFault) -> GreyFrame? {
        guard let (index, used) = try dequeue() else { return nil }
        let bytes = pictures[index].bytes(upTo: min(used, camera.layout.length))
        try queue(index)
        return camera.layout.frame(of: bytes)
    }

    /// Drops the pictures that were taken, so that `frame()` returns one that is taken later.
    ///
    /// - Throws: `absent` if the camera was unplugged.
    package borrowing func discardPictures() throws(DeviceFault) {
        // No more than all buffers: a fast camera fills them again meanwhile.
        for _ in pictures {
            guard let (index, _) = try dequeue() else { return }
            try queue(index)
        }
    }

    private borrowing func dequeue() throws(DeviceFault) -> (index: Int, used: Int)? {
        var (index, used): (UInt32, UInt32) = (0, 0)
        guard unsafe countersign_camera_dequeue(camera.device.raw, &index, &used) >= 0 else {
            guard errno == EAGAIN || errno == EINTR else { throw DeviceFault(errno: errno) }
            return nil
        }
        guard index < pictures.count else { throw .failed(errno: EINVAL) }
        return (Int(index), Int(used))
    }

    private borrowing func queue(_ index: Int) throws(DeviceFault) {
        guard countersign_camera_queue(camera.device.raw, UInt32(index)) >= 0 else {
            throw DeviceFault(errno: errno)
        }
    }
}

/// A buffer of the driver with one picture, mapped into this process for reading.
@safe private final class MappedPicture {
    private let start: UnsafeMutableRawPointer
    private let length: Int

    init(device: Int32, length: Int, offset: Int) throws(DeviceFault) {
        let mapped = unsafe mmap(nil, length, PROT_READ, MAP_SHARED, device, offset)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { throw DeviceFault(errno: errno) }
        unsafe start = mapped
        self.length = length
    }

    deinit { unsafe munmap(start, length) }

    /// Returns a copy of the first bytes.
    func bytes(upTo count: Int) -> [UInt8] {
        unsafe Array(UnsafeRawBufferPointer(start: start, count: min(max(0, count), length)))
    }
}
