internal import ArgumentParser
internal import ErrorMapping
internal import Fleet
internal import FleetHub
internal import Glibc
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderIdentityStore
internal import ReaderService

/// The command `countersign-hub authority`. It makes a certificate authority for the chain of shops,
/// certificates for servers, and the fleet keys that sign documents.
struct AuthorityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authority",
        abstract: "Make the chain's authority, certificates of servers, and fleet keys.",
        subcommands: [
            AuthorityCreateCommand.self, AuthorityServerCommand.self, AuthorityFleetKeyCommand.self,
        ])
}

/// The command `countersign-hub authority create`. It makes the chain's certificate authority.
struct AuthorityCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make authority.pem and authority-key.pem in a folder.")

    @Argument(help: ArgumentHelp("The folder; it is made if it does not exist.", valueName: "folder"))
    var folder: String
    @Option(help: "The chain's name.")
    var chain: FleetName

    func run() throws {
        try mapping(
            HubAuthority.create(in: folder, for: chain, at: WallClock.system.now), \IdentityStoreError.fault)
    }
}

/// The command `countersign-hub authority server`. It certifies a hub or the broker.
struct AuthorityServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server",
        abstract: "Make NAME.pem and NAME-key.pem for a hub or the broker, certified by the authority.")

    @Argument(help: ArgumentHelp("The folder of the authority.", valueName: "folder"))
    var folder: String
    @Argument(help: ArgumentHelp("The NAME of the two files.", valueName: "name"))
    var name: FleetName
    @Option(
        parsing: .upToNextOption,
        help: "The DNS names and IP addresses under which the hub or the broker is reached.")
    var host: [String]
    @Flag(help: "Renew the certificate of the existing key NAME-key.pem.")
    var replace = false

    func run() throws {
        var dns: [String] = []
        var addresses: [[UInt8]] = []
        // A text that is not an IP address is taken as a DNS name.
        for text in host {
            if let address = Self.address(text) { addresses.append(address) } else { dns.append(text) }
        }
        try mapping(
            HubAuthority.certifyServer(
                name, dns: dns, addresses: addresses, in: folder, isReplacing: replace,
                at: WallClock.system.now), \IdentityStoreError.fault)
    }

    /// Returns the 4 bytes of an IPv4 address or the 16 bytes of an IPv6 address. Nil for a DNS name.
    private static func address(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            return unsafe withUnsafeBytes(of: &four) { unsafe Array($0) }
        }
        var sixteen = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
        return unsafe withUnsafeBytes(of: &sixteen) { unsafe Array($0) }
    }
}

/// The command `countersign-hub authority fleet-key`. It makes a key that signs documents.
struct AuthorityFleetKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet-key",
        abstract: "Make a key that signs fleet documents, and print its id. Never keep the key on a hub.")

    @Argument(
        help: ArgumentHelp(
            "The file for the private key; its public half goes to FILE.pub.", valueName: "file"))
    var path: String

    func run() throws {
        let id = try mapping(makeKey(), \IdentityStoreError.fault)
        print(id.bytes.hexadecimal)
    }

    /// Makes the key, writes the private and the public half to their files, and returns the key's id.
    private func makeKey() throws(IdentityStoreError) -> FleetKey.ID {
        let key = try mapping(PrivateKey.generate(.p256), IdentityStoreError.keyUnusable)
        let publicKey = try mapping(key.publicKey(), IdentityStoreError.keyUnusable)
        try PrivateFile.create(path, key)
        let pem = PEM.encode(publicKey.subjectPublicKeyInfo[...], label: "PUBLIC KEY")
        // The public half is not secret, but no other user may change it.
        try PrivateFile.create("\(path).pub", pem[...])
        return try mapping(FleetKey(publicKey).id, IdentityStoreError.keyUnusable)
    }
}
