package import Accessories

/// Finds relay boards among HID devices with the numbers 16c0:05df.
///
/// All boards of this kind have one USB serial number, so that udev cannot tell them apart. A "USBRelay"
/// board reports five characters of its own, a "HIDRelay" board only has its place at the bus.
package enum RelayFinder {
    /// The USB numbers of the boards. Other makers use them for other devices also.
    package static let usb = USBIdentity(vendor: 0x16c0, product: 0x05df)

    /// Begins the product text of a board that has five characters and a state to read.
    static let readableProduct = "USBRelay"
    /// Begins the product text of a board with another protocol.
    static let silentProduct = "HIDRelay"
    /// The feature report with the five characters and the state, and its length in bytes with a number
    /// before it.
    private static let feature = (report: UInt8(1), length: 9)

    /// Returns the hidraw path of a board, or `nil` for a board that is no HID device.
    ///
    /// - Throws: `absent` if no board has the characters or the place; the fault of the first board that
    ///   could not be asked if no other board is the one; `misconfigured` if the board is of the other kind
    ///   or the characters are not unique.
    package static func path(of board: RelayBoard) throws(DeviceFault) -> String? {
        switch board {
        case .usbRelay(let serial): try path(serial: serial, among: HIDRawDevice.paths(of: usb))
        case .hidRelay(let place): try path(place: place, in: HIDRawDevice.folder)
        case .gpio, .lcus, .kmtronic, .modbusRTU, .modbusTCP: nil
        }
    }

    private static func path(serial: String, among paths: [String]) throws(DeviceFault) -> String {
        var found: [String] = []
        var fault = DeviceFault.absent
        for path in paths {
            do throws(DeviceFault) {
                let device = try HIDRawDevice(path: path)
                // The request might mean something else to a board of the other kind.
                if isOfKind(silentProduct, device.product) { continue }
                let answer = try device.feature(report: feature.report, length: feature.length)
                if (try? USBRelayReport(answer))?.serial == serial { found.append(path) }
            } catch {
                // A board that does not answer must not hide the board that is wanted.
                if fault == .absent { fault = error }
            }
        }
        guard found.count <= 1 else {
            throw .misconfigured("two relay boards report the same characters; unplug one of them")
        }
        guard let path = found.first else { throw fault }
        return path
    }

    /// Returns the five characters that a USBRelay board reports, or `nil` if its report has none.
    ///
    /// - Parameter path: the board's hidraw node. The request to the device switches nothing.
    package static func serial(atPath path: String) throws(DeviceFault) -> String? {
        let device = try HIDRawDevice(path: path)
        // Nothing is asked of a board of another kind: the request might mean something else to it.
        guard isOfKind(readableProduct, device.product) else { return nil }
        let answer = try device.feature(report: feature.report, length: feature.length)
        return (try? USBRelayReport(answer))?.serial
    }

    private static func path(place: String, in folder: String) throws(DeviceFault) -> String {
        let names = HIDRawDevice.names(of: usb, in: folder).filter { name in
            SystemFiles.realPath("\(folder)/\(name)").flatMap(USBPlace.init(devicePath:))?.name == place
        }
        guard let name = names.first else { throw .absent }
        let path = "/dev/\(name)"
        let device = try HIDRawDevice(path: path)
        guard !isOfKind(readableProduct, device.product) else {
            throw .misconfigured(
                "the board at this USB path is a USBRelay board; name it by its five characters (`usbRelay`)")
        }
        return path
    }

    /// Whether a product text is one of a kind. The text of a HID device may have the maker's name before the
    /// product's.
    static func isOfKind(_ kind: String, _ product: String) -> Bool {
        product.split(separator: " ").contains { $0.hasPrefix(kind) }
    }
}
