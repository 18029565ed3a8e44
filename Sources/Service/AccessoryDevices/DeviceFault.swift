package import Accessories
internal import Glibc

/// The reason why a device cannot be opened, read or written.
///
/// A fault contains neither bytes that were read from a device nor text that was scanned. The text of
/// `misconfigured` names the part of the configuration that the device contradicts.
package enum DeviceFault: Error, Equatable, Sendable {
    /// The device is not plugged in, or its address cannot be reached.
    case absent
    /// Another program has opened the device.
    case busy
    /// This program's user may not open the device.
    case notPermitted
    /// The device did not accept or send bytes in time.
    case notAnswering
    /// The device contradicts the configuration file. The value says what is wrong and what to do.
    case misconfigured(String)
    /// A system call failed for another reason.
    case failed(errno: Int32)

    /// The fault of a system call on a device.
    ///
    /// - Parameter code: the value of `errno`.
    package init(errno code: Int32) {
        self =
            switch code {
            // A device that was unplugged while it was open gives ENODEV, EIO (a terminal whose other side is
            // gone) or ESHUTDOWN (a USB interface that was disabled).
            case ENOENT, ENXIO, ENODEV, EIO, ESHUTDOWN: .absent
            case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN: .absent
            case EBUSY: .busy
            case EACCES, EPERM: .notPermitted
            case ETIMEDOUT: .notAnswering
            default: .failed(errno: code)
            }
    }

    /// The state of an accessory whose device has this fault.
    package var state: AccessoryState {
        switch self {
        case .absent: .absent
        case .busy: .busy
        case .notPermitted: .notPermitted
        case .notAnswering, .failed: .notAnswering
        case .misconfigured: .misconfigured
        }
    }
}
