internal import Doctor
internal import Transport

/// The smart-card readers on the USB, and whether the kernel may put them to sleep.
struct ReaderPowerFacts: Sendable {
    struct Device: Hashable, Sendable {
        var usb: USBIdentity
        var maySleep: Bool
    }

    var devices: [Device]

    static func current(in system: SystemFolder) -> ReaderPowerFacts {
        let folder = "/sys/bus/usb/devices"
        // An interface is named for its device: 1-2:1.0 is of 1-2.
        let readers = (system.names(in: folder) ?? []).filter {
            $0.contains(":") && system.firstWord(of: "\(folder)/\($0)/bInterfaceClass") == "0b"
        }
        let names = Set(readers.map { String($0.prefix { $0 != ":" }) }).sorted()
        return ReaderPowerFacts(
            devices: names.compactMap { name in
                SystemFile.usbIdentity(at: system.path("\(folder)/\(name)")).map { usb in
                    Device(
                        usb: usb,
                        maySleep: system.firstWord(of: "\(folder)/\(name)/power/control") == "auto")
                }
            })
    }
}

extension ReaderPowerFacts {
    static let checks: [DoctorCheck.ID] = [.usbPower]

    var checks: [DoctorCheck] { [check] }

    private var check: DoctorCheck {
        guard !devices.isEmpty else { return .skipped(.usbPower, "no reader is connected to USB") }
        let sleepers = devices.filter(\.maySleep).map { "\($0.usb)" as CheckText }
        return sleepers.isEmpty
            ? .ok(.usbPower, "the kernel does not put readers to sleep")
            : .note(
                .usbPower, "the kernel may put \(sleepers.joined(by: ", ")) to sleep between phones",
                fix: .settings([.readerPower]))
    }
}
