internal import ArgumentParser
internal import ErrorMapping
internal import Fleet
internal import FleetHub
internal import FoundationEssentials
internal import JSON
internal import OpenSSLCrypto
internal import HTTPServing
internal import ReaderIdentityStore
internal import ReaderStore

extension HubConfiguration {
    /// The checked contents of the files that the configuration names.
    struct Assembly {
        let database: HubDatabase
        let authority: HubAuthority
        let tls: ServerTLS
        let broker: FleetBrokerSettings
        /// The public fleet keys. A running hub does not use this value. It is read so that a faulty key file
        /// prevents the start.
        let keyring: FleetKeyring
        /// The token server's brands and keys. Nil if this hub makes no reader tokens.
        let tokens: HubTokens?
    }

    /// Reads and checks the configuration. If its contents are wrong, the error contains the line and the
    /// column of the first fault.
    static func read(_ path: String) throws(HubFault) -> HubConfiguration {
        let bytes = try mapping(HubFault.contents(of: path)) { (fault: HubFault) in
            HubFault("\(fault): give --config FILE, or run this command as the user countersign-hub")
        }
        return try mapping(HubConfiguration(bytes)) { (error: JSONFault) in
            HubFault("\(Terminal.safe(path)):\(error.line):\(error.column): \(error.explanation)")
        }
    }

    /// Opens every file that the configuration names. Makes no connection yet.
    func assemble() throws(HubFault) -> Assembly {
        let database = try openDatabase()
        return Assembly(
            database: database,
            authority: try mapping(
                HubAuthority(certificate: authority, key: authorityKey, days: certificateDays)
            ) { (error: IdentityStoreError) in error.fault(of: "authority") },
            tls: try serverTLS(),
            broker: try brokerSettings(),
            keyring: try keyring(), tokens: try readerTokens?.tokens(database))
    }

    /// Makes the settings of the connection to the broker, with the password from its file.
    func brokerSettings() throws(HubFault) -> FleetBrokerSettings {
        FleetBrokerSettings(
            host: broker.host, port: broker.port, authority: authority, certificate: broker.certificate,
            key: broker.key, user: broker.user,
            password: try secret(broker.passwordFile, of: "broker.passwordFile"), client: "countersign-hub")
    }

    /// Reads the connection string of the database, in the form of libpq.
    func databaseSettings() throws(HubFault) -> String { try secret(database, of: "database") }

    func openDatabase() throws(HubFault) -> HubDatabase {
        HubDatabase(try databaseSettings(), chain: chain)
    }

    /// Reads the public fleet keys.
    func keyring() throws(HubFault) -> FleetKeyring {
        FleetKeyring(
            try keys.map { file throws(HubFault) in
                // The keys are public. But a user who can change this file could put their own key into it,
                // so `PrivateFile` checks the file's permissions.
                let pem = try mapping(PrivateFile.read(file)) { (error: IdentityStoreError) in
                    error.fault(of: "keys")
                }
                guard let key = try? FleetKey(pem: pem) else {
                    throw HubFault(
                        "keys: \(Terminal.safe(file)): there is no public key on P-256 in it: name a PEM file"
                    )
                }
                return key
            })
    }

    /// Reads the certificate of the listener. Client certificates are optional, since a kiosk that enrols has
    /// no certificate yet.
    private func serverTLS() throws(HubFault) -> ServerTLS {
        do throws(ServerTLSFault) {
            return try ServerTLS(
                certificate: certificate, key: key, clientAuthority: authority, clientCertificate: .optional)
        } catch {
            switch error {
            // This explanation contains the path of the faulty file already.
            case .file(_, let error): throw HubFault("http: \(error.explanation)")
            case .noCertificate(let path):
                throw HubFault(
                    "http.certificate: \(Terminal.safe(path)): there is no certificate in it: name a PEM file"
                )
            case .noKey(let path):
                throw HubFault(
                    "http.key: \(Terminal.safe(path)): there is no private key in it: name a PEM file")
            case .notOfOneKey(let path):
                throw HubFault(
                    "http.certificate: \(Terminal.safe(path)): it does not match http.key: name a certificate and its own key"
                )
            }
        }
    }

    /// Reads the first line of a file. Throws if another user can read or change the file.
    private func secret(_ path: String, of member: String) throws(HubFault) -> String {
        let text = try mapping(
            PrivateFile.withSecret(path) { bytes throws(IdentityStoreError) in
                String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self)
            }
        ) { (error: IdentityStoreError) in error.fault(of: member) }
        guard !text.isEmpty else { throw HubFault("\(member): \(Terminal.safe(path)) is empty") }
        return text
    }
}

extension IdentityStoreError {
    var fault: HubFault { HubFault(explanation) }

    /// - Parameter member: the member of the configuration that names the file.
    func fault(of member: String) -> HubFault { HubFault("\(member): \(explanation)") }
}

/// A fault that prevents the start of the hub or the work of a command. Its text describes the fault and the
/// remedy.
struct HubFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    init(_ error: PostgreSQLError) { self.init("database: \(error.explanation)") }

    /// Reads a file that is an argument of a command. The file may belong to another user.
    static func contents(of path: String) throws(HubFault) -> [UInt8] {
        do {
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        } catch {
            let why =
                switch (error as? CocoaError)?.code {
                case .fileReadNoSuchFile: "there is no such file"
                case .fileReadNoPermission: "you may not read it"
                default: "the file cannot be read"
                }
            throw HubFault("\(Terminal.safe(path)): \(why)")
        }
    }
}

/// The option `--config`, with the path of the configuration that a command reads.
struct ConfigurationArgument: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration, as JSON.", valueName: "file"))
    var config = "/etc/countersign-hub/countersign-hub.json"

    func read() throws(HubFault) -> HubConfiguration { try .read(config) }
}

extension FleetName: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}
