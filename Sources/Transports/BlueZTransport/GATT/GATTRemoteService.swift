internal import NDEF
internal import Transport

/// The D-Bus paths and flags of the characteristics of a peer's service.
struct GATTRemoteService: Sendable {
    typealias Characteristic = GATTServerObjects.Characteristic

    private var found: [Characteristic: (path: String, flags: [String])] = [:]

    /// Whether the state and both data characteristics are present.
    var isComplete: Bool { has(.state) && has(.clientToServer) && has(.serverToClient) }

    func has(_ characteristic: Characteristic) -> Bool { found[characteristic] != nil }

    /// Returns the path of a characteristic. The caller must have checked that the peer has it.
    func path(_ characteristic: Characteristic) -> String { found[characteristic]?.path ?? "/" }

    /// Returns the type of write for a characteristic: `command` (without response), or `request` if the peer
    /// allows nothing else.
    func writeType(_ characteristic: Characteristic) -> String {
        let flags = found[characteristic]?.flags ?? []
        return flags.contains("write") && !flags.contains("write-without-response") ? "request" : "command"
    }
}

extension Daemon {
    /// Returns the peer's first complete service with the UUID; an empty service if no service of the peer is
    /// complete.
    func remoteService(_ service: GATTService, of device: String) -> GATTRemoteService {
        for path in paths("org.bluez.GattService1", below: device)
        where properties(path, "org.bluez.GattService1")?["UUID"]?.text == service.uuid.description {
            let remote = GATTRemoteService(service, at: path, in: self)
            if remote.isComplete { return remote }
        }
        return GATTRemoteService()
    }
}

extension GATTRemoteService {
    fileprivate init(_ service: GATTService, at path: String, in daemon: isolated Daemon) {
        let interface = GATTServerObjects.characteristicInterface
        for path in daemon.paths(interface, below: path) {
            // If several characteristics have the same UUID, the first is used.
            let properties = daemon.properties(path, interface) ?? [:]
            guard let uuid = properties["UUID"]?.text,
                let characteristic = Characteristic.allCases.first(where: {
                    service.uuid(of: $0)?.description == uuid.lowercased()
                }), found[characteristic] == nil
            else { continue }
            found[characteristic] = (path, properties["Flags"]?.texts ?? [])
        }
    }
}
