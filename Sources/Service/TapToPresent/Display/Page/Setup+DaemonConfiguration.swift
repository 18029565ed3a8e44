internal import Foundation
internal import Glibc
internal import JSON
internal import MdocTrust

extension MobileDocumentReader.Setup {
    /// The lane of the private daemon.
    static let lane = "reader"

    /// The file of a private daemon that reads as this setup says.
    func daemonConfiguration(in folder: URL, port: UInt16, device: [(String, JSONValue)]?) -> String {
        let user: JSONValue = [
            "uid": .integer(Int64(getuid())), "scopes": .array(["app", "clerk"]),
        ]
        let other = (revocation[.elements] ?? .rental).policy.json
        let configuration: JSONValue = [
            "store": .string(storeFolder), "keys": .string(folder.appending(path: "keys").path),
            "socket": [
                "path": .string(folder.appending(path: "socket").path), "mode": "0600",
                "users": .array([user]),
            ],
            "http": ["port": .integer(Int64(port))], "log": "error", "endSeconds": .integer(2),
            "policies": [
                "age": (revocation[.age] ?? .rental).policy.json, "rental": other, "identity": other,
                "elements": other,
            ],
            "acceptTestDocuments": .boolean(acceptsTestDocuments),
            "lanes": .array([.object(laneMembers(device))]),
        ]
        return configuration.text
    }

    private func laneMembers(_ device: [(String, JSONValue)]?) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("name", .string(Self.lane)),
            ("waitSeconds", .integer(min(max(timeout.components.seconds, 1), 3600))),
        ]
        if let policy { members.append(("policy", policy.policy.json)) }
        if let device { return members + device }
        if let reader { members.append(("reader", .string(reader))) }
        if let bluetoothAdapter { members.append(("adapter", .string(bluetoothAdapter))) }
        return members
    }
}
