internal import NDEF
internal import Transport

/// The D-Bus objects that this process exports to bluetoothd: the service with its characteristics, and the
/// advertisement.
///
/// The layout of the service is the same in every transaction, since phones remember it (Q113). Only the UUID
/// of the service changes.
struct GATTServerObjects: Sendable {
    enum Characteristic: String, CaseIterable, Sendable {
        case state, clientToServer, serverToClient, ident, psm
    }

    static let serviceInterface = "org.bluez.GattService1"
    static let characteristicInterface = "org.bluez.GattCharacteristic1"
    static let advertisementInterface = "org.bluez.LEAdvertisement1"

    /// The path of the object with the interface ObjectManager. The paths of all other objects begin with
    /// this path.
    let root: String
    private let service: GATTService
    private let usesSockets: Bool
    /// Whether an L2CAP channel is published. If not, clients must not find the characteristic with the
    /// channel's PSM.
    private let hasChannel: Bool
    /// The attribute handle of the service. 0 lets bluetoothd choose. bluetoothd never chooses a handle
    /// twice, so after a few thousand services no handle would be left.
    private var handle: UInt16 = 0

    /// Creates the objects of one server.
    ///
    /// - Parameter number: distinguishes the servers of one connection to the bus.
    init(_ service: GATTService, number: Int, usesSockets: Bool, hasChannel: Bool) {
        self.service = service
        self.usesSockets = usesSockets
        self.hasChannel = hasChannel
        root = "/org/countersign/server\(number)"
    }

    /// Sets the position in bluetoothd's attribute table by its number. Position 0 comes after bluetoothd's
    /// own services, and each position has room for all attributes of one service.
    mutating func setPlace(_ place: Int) { handle = UInt16(clamping: 0x1000 + 0x20 * place) }

    /// Lets bluetoothd choose the position.
    mutating func clearPlace() { handle = 0 }

    var advertisement: String { root + "/advertisement" }
    private var servicePath: String { root + "/service" }

    func path(_ characteristic: Characteristic) -> String { servicePath + "/" + characteristic.rawValue }

    func characteristic(at path: String) -> Characteristic? {
        guard path.hasPrefix(servicePath + "/") else { return nil }
        return Characteristic(rawValue: String(path.dropFirst(servicePath.count + 1)))
    }

    /// The answer to `GetManagedObjects`: all objects below the root with their properties, without the
    /// advertisement.
    var managed: BusValue {
        var objects = [servicePath: [Self.serviceInterface: serviceProperties]]
        for characteristic in Characteristic.allCases {
            guard let properties = properties(of: characteristic) else { continue }
            objects[path(characteristic)] = [Self.characteristicInterface: properties]
        }
        return .objects(objects)
    }

    /// Returns the answer to `Properties.GetAll` for an object; `nil` if the object does not exist.
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

    /// The properties of the advertisement.
    ///
    /// `Discoverable` sets the flag "general discoverable"; without it a phone may ignore the advertisement
    /// (Q201). The interval is 30 to 50 ms, because some phones scan for a few seconds only (Q90). bluetoothd
    /// before 5.78 uses the interval from its settings.
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
        // If `NotifyAcquired` is present, bluetoothd requests a socket for notifications; the value says that
        // no socket is in use yet. The other direction has no socket, so each written value comes in a
        // separate call. If a socket for writing is offered, bluetoothd (5.66 and later) keeps no copy of the
        // values that it receives until the socket is open, and then passes on whatever its buffer contains.
        // A call contains a copy of the value, and the path of the device that wrote it.
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
