internal import NDEF
internal import Transport

/// Where bluetoothd shows the characteristics of a peer's service.
struct GATTRemoteService: Sendable {
    typealias Characteristic = GATTServerObjects.Characteristic

    private var found: [Characteristic: (path: String, flags: [String])] = [:]

    /// Whether a state and both directions are there.
    var isComplete: Bool { has(.state) && has(.clientToServer) && has(.serverToClient) }

    func has(_ characteristic: Characteristic) -> Bool { found[characteristic] != nil }

    func path(_ characteristic: Characteristic) -> String { found[characteristic]?.path ?? "/" }

    /// How values are written: without response, unless the peer knows no other way.
    func writeType(_ characteristic: Characteristic) -> String {
        let flags = found[characteristic]?.flags ?? []
        return flags.contains("write") && !flags.contains("write-without-response") ? "request" : "command"
    }
}

extension Daemon {
    /// What a peer has of a service: the first of that UUID that is complete, or else nothing.
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
