internal import Fleet
internal import FleetHub
internal import JSON
internal import MdocModel
internal import HTTPServing

/// The configuration of a hub: the members of `countersign-hub.json`, read and checked.
///
/// All commands except `authority` and `sign` read this file. Most commands need only the member `database`.
/// A file with a fault is not used. Only its first fault is reported, with line, column and member. (The
/// daemon `countersignd` reports all faults of its own file.)
///
/// The members are:
/// - `chain`: the name of the chain. All hubs of a chain have the same name and the same database.
/// - `http`: the listener of the hub with its certificate. Enrolled kiosks connect with client certificates.
/// - `authority`: the chain's own certificate authority, which signs the certificates of kiosks.
/// - `database`: a file with libpq's settings. The configuration contains no secrets, only paths of files
///   with secrets.
/// - `broker`: the MQTT broker that notifies kiosks of changes, and the hub's account there.
/// - `keys`: the public fleet keys, in order of precedence. The hub verifies documents with them and has no
///   private half.
/// - `operators`: the SHA-256 digests of the tokens that open the operator's page.
/// - `readerTokens`: the signing keys and the grants. Only a hub that makes reader tokens has this member.
///
/// The initialiser opens no file. ``assemble()`` opens the files that the configuration names, but makes no
/// connection. A running hub never reads the file again: a change takes effect at the next start.
///
/// The file has at most 4 MiB, which is enough for the grants of thousands of kiosks.
struct HubConfiguration: Equatable {
    struct Broker: Equatable {
        var host: String
        var port: Int64
        var certificate: String
        var key: String
        var user: String
        var passwordFile: String
    }

    var chain: FleetName
    var host = "0.0.0.0"
    var port = 8443
    var certificate: String
    var key: String
    var connections = 4096
    var authority: String
    var authorityKey: String
    /// The validity of a kiosk's certificate, in days.
    var certificateDays: Int64 = 14
    /// The file with libpq's settings.
    var database: String
    var broker: Broker
    /// The files with the public keys that sign documents.
    var keys: [String]
    var receiptMonths = 24
    /// The SHA-256 digests of the operators' tokens.
    var operators: [[UInt8]] = []
    /// The keys and grants of reader tokens. Nil if this hub makes no reader tokens.
    var readerTokens: TokenIssuing?
    var logLevel = "info"

    /// The maximum size of the file, in bytes. Each grant of reader tokens lists its readers, so with
    /// thousands of kiosks the file is large.
    private static let largestFile = 1 << 22

    init(_ bytes: [UInt8]) throws(JSONFault) {
        let members = try JSONText(bytes[...], limit: Self.largestFile).members([
            "chain", "http", "authority", "database", "broker", "keys", "receiptMonths", "operators",
            "readerTokens", "log",
        ])
        chain = try members.required("chain").fleetName()
        let http = try members.required("http").members(["host", "port", "certificate", "key", "connections"])
        host = try http["host"]?.string(upTo: 64) ?? host
        port = Int(try http["port"]?.integer(in: 1...65535) ?? Int64(port))
        certificate = try http.required("certificate").absolutePath()
        key = try http.required("key").absolutePath()
        connections = Int(try http["connections"]?.integer(in: 16...65536) ?? Int64(connections))
        let authority = try members.required("authority").members(["certificate", "key", "days"])
        self.authority = try authority.required("certificate").absolutePath()
        authorityKey = try authority.required("key").absolutePath()
        certificateDays = try authority["days"]?.integer(in: 1...365) ?? certificateDays
        database = try members.required("database").absolutePath()
        broker = try Broker(members.required("broker"))
        let list = try members.required("keys")
        keys = try list.array(upTo: FleetKeyring.mostKeys).map { entry throws(JSONFault) in
            try entry.absolutePath()
        }
        guard !keys.isEmpty else { throw list.wrong("must contain at least one file") }
        receiptMonths = Int(try members["receiptMonths"]?.integer(in: 1...600) ?? Int64(receiptMonths))
        var digests: Set<[UInt8]> = []
        operators =
            try members["operators"]?.array().map { entry throws(JSONFault) in
                let members = try entry.members(["name", "sha256"])
                // The name is for people who read the file. The hub recognises an operator by the digest of
                // the token alone.
                _ = try members.required("name").string(upTo: 64)
                let digest = try members.required("sha256")
                guard let bytes = try digest.string(upTo: 64).utf8.bytesOfHexadecimal, bytes.count == 32
                else {
                    throw digest.wrong("must be the SHA-256 of the token in 64 hexadecimal digits")
                }
                guard !TokenDigest.isOfNoText(bytes) else {
                    throw digest.wrong(
                        "is the SHA-256 of an empty text or a newline, which anybody could send: make another token"
                    )
                }
                guard digests.insert(bytes).inserted else {
                    throw digest.wrong(
                        "another operator has this SHA-256: give each operator another token")
                }
                return bytes
            } ?? []
        readerTokens = try members["readerTokens"].map { value throws(JSONFault) in try TokenIssuing(value) }
        if let log = members["log"] {
            logLevel = try log.string(upTo: 16)
            guard ["debug", "info", "notice", "warning", "error"].contains(logLevel) else {
                throw log.wrong("must be one of \"debug\", \"info\", \"notice\", \"warning\", \"error\"")
            }
        }
    }
}

extension HubConfiguration.Broker {
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(["host", "port", "certificate", "key", "user", "passwordFile"])
        host = try members.required("host").string(upTo: 253)
        // 8883 is the usual port of MQTT with TLS.
        port = try members["port"]?.integer(in: 1...65535) ?? 8883
        certificate = try members.required("certificate").absolutePath()
        key = try members.required("key").absolutePath()
        let account = try members.required("user")
        user = try account.string(upTo: 64)
        guard !user.hasPrefix(HubBroker.kioskUserPrefix) else {
            throw account.wrong(
                "must not begin with \(HubBroker.kioskUserPrefix): only the accounts of kiosks begin with this text"
            )
        }
        passwordFile = try members.required("passwordFile").absolutePath()
    }
}

extension JSONText {
    func fleetName() throws(JSONFault) -> FleetName {
        // A name has at most 48 bytes. The limit here is higher, so that a longer name is also reported with
        // the text of `FleetName.requirement`.
        guard let name = FleetName(try string(upTo: 64)) else { throw wrong(FleetName.requirement) }
        return name
    }
}
