internal import BlueZTransport
internal import Doctor

/// The Bluetooth of this computer, and what may keep it silent.
struct BluetoothFacts: Sendable {
    /// What rfkill says of Bluetooth.
    enum RadioSwitch: Sendable {
        case on
        /// Off by software.
        case blocked
        /// Off by a switch or a key of the computer.
        case blockedByHardware
    }

    var bluetooth: Result<BluetoothDescription, BlueZTransportError>
    var isInstalled = true
    var radioSwitch = RadioSwitch.on
    /// How many bytes from a phone may wait for bluetoothd; nil if the kernel does not report it.
    var socketRoom: Int?
    /// Whether the message bus is configured to carry more than 128 values at once.
    var hasBusRoom = true
}

extension BluetoothFacts {
    /// For each answer of the bus and of bluetoothd.
    private static let limit = Duration.seconds(3)

    /// Asks bluetoothd and looks at the system's files. Changes nothing.
    static func current(in system: SystemFolder) async -> BluetoothFacts {
        let bluetooth: Result<BluetoothDescription, BlueZTransportError>
        do throws(BlueZTransportError) {
            bluetooth = .success(try await .current(within: limit))
        } catch {
            bluetooth = .failure(error)
        }
        return await blocking {
            BluetoothFacts(
                bluetooth: bluetooth,
                isInstalled: ["/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd"]
                    .contains(where: system.has),
                radioSwitch: radioSwitch(system),
                socketRoom: Int(system.firstWord(of: "/proc/sys/net/core/rmem_default")),
                hasBusRoom: hasBusRoom(system))
        }
    }

    private static func hasBusRoom(_ system: SystemFolder) -> Bool {
        ["/etc/dbus-1/system.d", "/usr/share/dbus-1/system.d"].contains { folder in
            (system.names(in: folder) ?? []).contains { name in
                system.text(of: "\(folder)/\(name)")?.contains("max_replies_per_connection") == true
            }
        }
    }

    private static func radioSwitch(_ system: SystemFolder) -> RadioSwitch {
        let folder = "/sys/class/rfkill"
        let ours = (system.names(in: folder) ?? []).filter {
            system.firstWord(of: "\(folder)/\($0)/type") == "bluetooth"
        }
        func isSet(_ name: String) -> Bool {
            ours.contains { system.firstWord(of: "\(folder)/\($0)/\(name)") == "1" }
        }
        return isSet("hard") ? .blockedByHardware : isSet("soft") ? .blocked : .on
    }
}
