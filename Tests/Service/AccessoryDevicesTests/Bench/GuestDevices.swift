import Glibc
import Testing

/// What the kernel of the guest has, and a computer where tests run usually has not.
enum GuestDevices {
    static let hasUinput = unsafe access("/dev/uinput", R_OK | W_OK) == 0
    static let uinputAbsence: Comment =
        "no /dev/uinput that may be opened: run in a guest with uinput and evdev, as root"

    static let hasUHID = unsafe access("/dev/uhid", R_OK | W_OK) == 0
    static let uhidAbsence: Comment =
        "no /dev/uhid that may be opened: run in a guest with uhid and hidraw, as root"

    static let hasGPIOSimulator = unsafe access(GPIOSimulator.folder, W_OK) == 0
    static let gpioAbsence: Comment =
        "no gpio-sim in configfs: run in a guest with gpio-sim and configfs, as root"
}
