internal import NDEF
internal import Transport

/// The objects that bluetoothd is shown: the service with its characteristics, and the advertisement.
///
/// Their layout is the same for every transaction, since phones remember it (Q113); what changes is the service's UUID.
struct GATTServerObjects: Sendable {
    enum Characteristic: String, CaseIterable, Sendable {
        case state, clientToServer, serverToClient, ident, psm
    }

    static let serviceInterface = "org.bluez.GattService1"
    static let characteristicInterface = "org.bluez.GattCharacteristic1"
    static let advertisementInterface = "org.bluez.LEAdvertisement1"

    /// The path of the ObjectManager.
    let root: String
    private let service: GATTService
    private let usesSockets: Bool
    /// Whether there is an L2CAP channel to publish; without one, clients must not find its characteristic.
    private let hasChannel: Bool
    /// The attribute handle where the service begins; 0 lets bluetoothd choose, which never takes a handle twice: after
    /// some thousand services it has none left.
    private var handle: UInt16 = 0

    /// - Parameter number: distinguishes the servers of one connection to the bus.
    init(_ service: GATTService, number: Int, usesSockets: Bool, hasChannel: Bool) {
        self.service = service
        self.usesSockets = usesSockets
        self.hasChannel = hasChannel
        root = "/org/countersign/server\(number)"
    }

    /// Behind bluetoothd's own services, each place with room for all our attributes.
    mutating func stand(at place: Int) { handle = UInt16(clamping: 0x1000 + 0x20 * place) }

    mutating func standAnywhere() { handle = 0 }

    var advertisement: String { root + "/advertisement" }
    private var servicePath: String { root + "/service" }

    func path(_ characteristic: Characteristic) -> String { servicePath + "/" + characteristic.rawValue }

    func characteristic(at path: String) -> Characteristic? {
        guard path.hasPrefix(servicePath + "/") else { return nil }
        return Characteristic(rawValue: String(path.dropFirst(servicePath.count + 1)))
    }

    var managed: BusValue {
        var objects = [servicePath: [Self.serviceInterface: serviceProperties]]
        for characteristic in Characteristic.allCases {
            guard let properties = properties(of: characteristic) else { continue }
            objects[path(characteristic)] = [Self.characteristicInterface: properties]
        }
        return .objects(objects)
    }

    /// The answer of Properties.GetAll for an object; nil if there is no such object.
    func properties(at path: String, _ interface: String) -> [String: BusValue]? {
        switch interface {
        case Self.advertisementInterface where path == advertisement: advertisementProperties
        case Self.serviceInterface where path == servicePath: serviceProperties
        case Self.characteristicInterface: characteristic(at: path).flatMap(properties(of:))
        default: nil
        }
    }

    private var serviceProperties: [String: BusValue] {
        ["UUID": .string(service.uuid.description), "Primary": .boolean(true), "Handle": .uint16(handle)]
    }

    /// General discoverable: without it bluetoothd leaves that flag out, or all flags, and a phone may ignore the
    /// advertisement (Q201). A short interval: some phones look for few seconds only (Q90); bluetoothd before 5.78 takes
    /// the one of its settings.
    private var advertisementProperties: [String: BusValue] {
        [
            "Type": .string("peripheral"), "ServiceUUIDs": .strings([service.uuid.description]),
            "Discoverable": .boolean(true), "MinInterval": .uint32(30), "MaxInterval": .uint32(50),
        ]
    }

    private func properties(of characteristic: Characteristic) -> [String: BusValue]? {
        guard characteristic != .psm || hasChannel, let uuid = service.uuid(of: characteristic) else {
            return nil
        }
        var properties: [String: BusValue] = [
            "UUID": .string(uuid.description), "Service": .path(servicePath),
            "Flags": .strings(flags(of: characteristic)),
        ]
        // This property makes bluetoothd take notifications through a socket. Written values come in a call each:
        // until a socket for writing is handed over, bluetoothd (5.66 and later) keeps no copy of the values
        // received meanwhile, and then passes on whatever its buffer holds. A call has a copy, and its writer's
        // name.
        if usesSockets && characteristic == .serverToClient { properties["NotifyAcquired"] = .boolean(false) }
        return properties
    }

    private func flags(of characteristic: Characteristic) -> [String] {
        switch characteristic {
        case .state: ["notify", "write-without-response"]
        case .clientToServer: ["write-without-response"]
        case .serverToClient: ["notify"]
        case .ident, .psm: ["read"]
        }
    }
}

extension GATTService {
    func uuid(of characteristic: GATTServerObjects.Characteristic) -> BluetoothUUID? {
        switch characteristic {
        case .state: state
        case .clientToServer: clientToServer
        case .serverToClient: serverToClient
        case .ident: ident
        case .psm: psm
        }
    }
}
