package import Accessories

/// The description of an accessory for pages, programs and metrics.
package struct AccessoryReport: Equatable, Sendable {
    package let name: String
    /// The name of the lane; `nil` for an accessory that serves all lanes.
    package let lane: String?
    /// The kind of the device, with the word of the configuration file, such as `serial` or `relay`.
    package let kind: String
    /// Whether the accessory is a scanner. Otherwise it is an output.
    package let isScanner: Bool
    package let state: AccessoryState
    /// Whether an output also acts on test documents, whatever its state is.
    package let isTrial: Bool

    init(_ accessory: Accessory, state: AccessoryState) {
        name = accessory.name
        lane = accessory.lane
        (kind, isScanner) =
            switch accessory.role {
            case .scanner(let scanner): (scanner.kind, true)
            case .output(let output): (output.device.kind, false)
            }
        self.state = state
        isTrial = accessory.isTrial
    }
}

extension Scanner {
    /// The word of the configuration file for this kind of scanner.
    fileprivate var kind: String {
        switch self {
        case .serial: "serial"
        case .keyboard: "keyboard"
        case .hidPOS: "hidPos"
        case .camera: "camera"
        }
    }
}

extension OutputDevice {
    /// The word of the configuration file for this kind of output.
    fileprivate var kind: String {
        switch self {
        case .keys: "keys"
        case .line: "line"
        case .relay: "relay"
        case .osdp: "osdp"
        case .mqtt: "mqtt"
        }
    }
}
