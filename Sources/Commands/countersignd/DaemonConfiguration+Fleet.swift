internal import ErrorMapping
internal import Fleet
internal import FoundationEssentials
internal import JSON
internal import ReaderIdentityStore
internal import ReaderService
internal import Reports

extension DaemonConfiguration.Fleet {
    init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        membership = FleetMembership(
            chain: try members.required("chain").fleetName(), site: try members["site"]?.fleetName(),
            group: try members["group"]?.fleetName(), kiosk: try members.required("kiosk").fleetName())
        hubs = try members.required("hubs").array(upTo: 8).map { entry throws(JSONFault) in
            try entry.string(upTo: 300)
        }
        authority = try members.required("authority").absolutePath()
        keys = try members.required("keys").array(upTo: 8).map { entry throws(JSONFault) in
            try entry.absolutePath()
        }
        codeFile = try members["codeFile"]?.absolutePath()
        pollInterval = .seconds(try members["pollSeconds"]?.integer(in: 5...86_400) ?? 300)
    }

    /// Reads the keys.
    func settings(in store: String) throws(AssemblyFault) -> KioskSettings {
        let keys = try keys.map { file throws(AssemblyFault) in
            let pem = try mapping(PrivateFile.read(file)) { (error: IdentityStoreError) in
                AssemblyFault("fleet", file: file, error)
            }
            guard let key = try? FleetKey(pem: pem) else {
                throw AssemblyFault(
                    "fleet", "\(Terminal.safe(file)): there is no public key on P-256 in it: name a PEM file")
            }
            return key
        }
        _ = try mapping(PrivateFile.read(authority)) { (error: IdentityStoreError) in
            AssemblyFault("fleet", file: authority, error)
        }
        var settings = KioskSettings(
            membership, hubs: hubs, authority: authority, keys: keys, codeFile: codeFile, store: store,
            software: Version.number, now: { WallClock.system.now })
        settings.pollInterval = pollInterval
        return settings
    }
}

extension JSONText {
    fileprivate func fleetName() throws(JSONFault) -> FleetName {
        guard let name = FleetName(try string(upTo: 48)) else { throw wrong(FleetName.requirement) }
        return name
    }
}
