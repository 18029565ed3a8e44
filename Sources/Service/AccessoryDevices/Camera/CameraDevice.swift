internal import CAccessoryDevices
internal import Glibc
internal import GreyFrames

/// A camera of the kernel (V4L2) that is open and has accepted a format. It takes no picture: that begins
/// with `CameraStream`.
///
/// The calls are for one thread.
package struct CameraDevice: ~Copyable, Sendable {
    /// The size that is asked for, in pixels. It shows the modules of a phone's code large enough at 25 cm.
    private static let size: (width: UInt32, height: UInt32) = (640, 480)

    let device: OwnedDescriptor
    let layout: PictureLayout

    /// Whether the device's node exists. Nothing is opened.
    package static func isPresent(path: String) -> Bool { SystemFiles.realPath(path) != nil }

    /// Opens a camera and chooses the format of its pictures.
    ///
    /// - Parameter path: the path of the node, such as `/dev/video0`, or of a link to it.
    /// - Throws: `busy` if another program uses the camera; `misconfigured` if the path names something else
    ///   than a camera, or if the camera offers none of the formats of `PictureFormat`.
    package init(path: String) throws(DeviceFault) {
        let device = try OwnedDescriptor.device(path, O_RDWR)
        var capabilities: UInt32 = 0
        guard unsafe countersign_camera_capabilities(device.raw, &capabilities) >= 0 else {
            throw errno == ENOTTY || errno == EINVAL ? Self.noCamera : DeviceFault(errno: errno)
        }
        // A USB camera has a second node, which has no pictures.
        guard countersign_camera_is_usable(capabilities) != 0 else { throw Self.noCamera }
        layout = try Self.chooseLayout(of: device.raw)
        self.device = device
    }

    private static let noCamera = DeviceFault.misconfigured(
        "the device is no camera (V4L2); a camera often has two devices, of which the first has the pictures")

    private static let noFormat = DeviceFault.misconfigured(
        "the camera offers none of the formats YUYV, UYVY, GREY, NV12 and YU12 (v4l2-ctl --list-formats); use another camera"
    )

    private static func chooseLayout(of device: Int32) throws(DeviceFault) -> PictureLayout {
        for format in PictureFormat.allCases {
            var (code, width, height, row) = (format.rawValue, size.width, size.height, UInt32(0))
            guard unsafe countersign_camera_format(device, &code, &width, &height, &row) >= 0 else {
                guard errno == EINVAL else { throw DeviceFault(errno: errno) }
                continue
            }
            // A driver that does not offer the format or size changes both to what it offers.
            guard code == format.rawValue,
                let layout = PictureLayout(
                    format: format, width: Int(width), height: Int(height), bytesPerRow: Int(row))
            else { continue }
            return layout
        }
        throw noFormat
    }
}
