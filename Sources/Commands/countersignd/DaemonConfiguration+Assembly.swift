internal import VersionNumber
internal import BlueZTransport
internal import COSE
internal import ErrorMapping
internal import FieldTrace
internal import Fleet
internal import FoundationEssentials
internal import JSON
internal import Logging
internal import MdocVerification
internal import OpenSSLCrypto
internal import PCSCTransport
internal import HTTPServing
internal import PresentationService
internal import ReaderAPI
internal import ReaderIdentityStore
internal import ReaderService
internal import ReaderStore
internal import Reports
internal import Transport
internal import WalletPresentation

extension DaemonConfiguration {
    /// Reads every file that the configuration names, to find faults. The contents are discarded. One fault
    /// does not hide another.
    func checkFiles() throws(AssemblyFaults) {
        var faults: [AssemblyFault] = []
        do throws(AssemblyFault) { _ = try webhooks?.secret() } catch { faults.append(error) }
        do throws(AssemblyFault) { _ = try readerTokens.signers() } catch { faults.append(error) }
        do throws(AssemblyFault) { _ = try pageFiles() } catch { faults.append(error) }
        do throws(AssemblyFault) { try checkLogos() } catch { faults.append(error) }
        do throws(AssemblyFault) { _ = try http?.serverTLS() } catch { faults.append(error) }
        do throws(AssemblyFault) { _ = try fleet?.settings(in: store) } catch { faults.append(error) }
        if let online {
            do throws(AssemblyFault) { _ = try online.settings() } catch { faults.append(error) }
            do throws(AssemblyFault) { _ = try online.connection() } catch { faults.append(error) }
        }
        guard faults.isEmpty else { throw AssemblyFaults(faults: faults) }
    }

    /// Reads the logos of all lanes, to find faults. The logos are discarded.
    func checkLogos() throws(AssemblyFault) {
        for (number, lane) in lanes.enumerated() {
            guard let brand = lane.page.brand else { continue }
            _ = try mapping(brand.image()) { (error: LogoFileFault) in
                AssemblyFault(
                    "lanes[\(number)].brand.logo", "\(Terminal.safe(brand.logo ?? "")): \(error.explanation)")
            }
        }
    }

    /// Logs a warning if the configuration accepts test documents.
    func warnOfTestDocuments(_ log: Logger) {
        guard policy.acceptsTestDocuments else { return }
        log.warning("acceptTestDocuments is set: anybody can make a document that is accepted here")
    }

    /// Reads the files of the pages from the folder that the configuration names. Nil if the configuration
    /// names no folder.
    func pageFiles() throws(AssemblyFault) -> PageFiles? {
        guard let page else { return nil }
        return try mapping(PageFiles(folder: page)) { (error: PageFault) in
            AssemblyFault("page", "\(Terminal.safe(page)): \(error)")
        }
    }

    /// Makes the sessions of pages with the key in the store.
    func pageSessions() throws(AssemblyFault) -> PageSessions {
        try mapping(PageSessions(store: store)) { (error: IdentityStoreError) in
            AssemblyFault("store", error.explanation)
        }
    }

    /// Creates the archive of receipts and retained data, and the registry of the brands for which reader
    /// tokens are made. Both use the daemon's store.
    ///
    /// - Parameter tokens: makes the reader tokens of presets that request data.
    func openStore(
        _ metrics: PresentationMetrics, tokens: @escaping TokenBrands.Maker, _ log: Logger
    ) throws(AssemblyFault) -> (RecordArchive, TokenBrands) {
        try mapping(
            (
                RecordArchive(
                    store: store, keys: keys, metrics: metrics, log: log, at: WallClock.system.now),
                TokenBrands(store: store, clock: .system, maker: tokens)
            )
        ) { (error: ReaderStoreError) in AssemblyFault(store: store, error) }
    }
}

extension DaemonConfiguration.HTTP {
    /// Reads the listener's certificate from its file again, and replaces the certificate in force. If the
    /// new certificate cannot be used, the previous certificate stays in force.
    func renew(_ inForce: ServerTLS?, _ log: Logger) {
        guard let inForce else { return }
        do throws(AssemblyFault) {
            if let renewed = try serverTLS() { inForce.renew(from: renewed) }
        } catch {
            log.error(
                "the new certificate of http.tls cannot be used: the previous one stays in force",
                metadata: ["fault": "\(error)"])
        }
    }

    /// Reads the certificate of the listener. Nil for plain HTTP.
    func serverTLS() throws(AssemblyFault) -> ServerTLS? {
        guard let tls else { return nil }
        do throws(ServerTLSFault) {
            return try ServerTLS(
                certificate: tls.certificate, key: tls.key, clientAuthority: tls.clientAuthority)
        } catch {
            switch error {
            case .file(let path, let error): throw AssemblyFault("http.tls", file: path, error)
            case .noCertificate(let path):
                throw AssemblyFault(
                    "http.tls",
                    "\(Terminal.safe(path)): the file has no certificate: name the right PEM file")
            case .noKey(let path):
                throw AssemblyFault(
                    "http.tls",
                    "\(Terminal.safe(path)): the file has no private key: name the right PEM file")
            case .notOfOneKey(let path):
                throw AssemblyFault(
                    "http.tls",
                    "\(Terminal.safe(path)): TLS does not accept this certificate with the private key in http.tls.key: name the file with the certificate's own key"
                )
            }
        }
    }
}

extension DaemonConfiguration.Lane {
    func assemble(_ service: PCSCService) throws(TransportError) -> ConfiguredLane {
        ConfiguredLane(
            Lane(name: name, device: try device(service)), page: page, settings: settings,
            presets: presets, standing: standing)
    }

    /// Makes the lane's device: the bench link, or the reader with the Bluetooth adapter. With a field trace,
    /// reader and adapter are wrapped in recorders.
    private func device(_ service: PCSCService) throws(TransportError) -> any LaneDevice {
        if let benchLink {
            return BenchLinkLaneDevice(try SocketAddress(host: benchLink.host, port: benchLink.port))
        }
        let selector = ReaderSelector(reader)
        let field = CommandedReader(
            PCSCContactlessReader(service: service, selector: selector), service: service,
            selector: selector, wishes: readerCommands)
        let bluetooth = BlueZConfiguration(adapter: adapter)
        guard let recorder = fieldTrace?.recorder else {
            return ContactlessLaneDevice(
                reader: field, radio: usesBluetooth ? BlueZRadio(configuration: bluetooth) : nil,
                missingReader: { await service.missing(selector) })
        }
        let traced = ContactlessLaneDevice(
            reader: TracingReader(field, recorder),
            radio: usesBluetooth ? TracingRadio(bluetooth, recorder) : nil,
            missingReader: { await service.missing(selector) })
        return TracingLaneDevice(traced, by: recorder, readers: service)
    }
}

extension DaemonConfiguration.Lane.FieldTraceSettings {
    /// The recorder of the field trace. Nil if OpenSSL cannot generate random bytes; then nothing is traced.
    fileprivate var recorder: FieldTraceRecorder? {
        try? FieldTraceRecorder(.ofThisProgram, to: RotatingTraceFile(file, bytes: bytes))
    }
}

extension PCSCService {
    /// Returns the fault that keeps the selected readers from being used. Nil if a selected reader can be
    /// used.
    fileprivate func missing(_ selector: ReaderSelector) async -> ReaderFault? {
        do throws(PCSCTransportError) {
            let found = selector.candidates(among: try await readers())
            return found.isEmpty ? .noReader : nil
        } catch {
            return ReaderFault(error)
        }
    }
}

extension DaemonConfiguration.Webhooks {
    private static let member = "webhooks.secretFile"
    /// The minimum length of a secret, in bytes.
    private static let shortestSecret = 16

    /// Makes the queue that sends webhooks.
    func queue(
        from archive: RecordArchive, metrics: PresentationMetrics, log: Logger
    ) throws(AssemblyFault) -> WebhookQueue {
        WebhookQueue(
            to: origins, secret: try secret(), metrics: metrics, log: log,
            clock: .system, archive: archive)
    }

    /// Reads the secret that signs webhooks, from a file that only its owner can read.
    func secret() throws(AssemblyFault) -> SecretBytes {
        let secret: SecretBytes? = try mapping(
            PrivateFile.withSecret(secretFile) { bytes throws(IdentityStoreError) in
                bytes.count < Self.shortestSecret ? nil : SecretBytes(copying: bytes)
            }
        ) { (error: IdentityStoreError) in AssemblyFault(Self.member, file: secretFile, error) }
        guard let secret else {
            throw AssemblyFault(
                Self.member,
                "\(Terminal.safe(secretFile)) has fewer than \(Self.shortestSecret) bytes: write a longer secret"
            )
        }
        return secret
    }
}

extension DaemonConfiguration.Online {
    /// Makes the settings of apps and pages, with the keys from their files.
    func settings() throws(AssemblyFault) -> OnlineSettings {
        var settings = OnlineSettings()
        for merchant in merchants {
            settings.merchants.append(
                .init(
                    name: merchant.name, identity: merchant.identity, keys: try Self.read(merchant.keys)))
        }
        if let web {
            settings.web = .init(
                origins: web.origins, keys: try Self.read(web.keys), identity: web.identity)
        }
        return settings
    }

    /// Reads private keys on P-256, each from a file that only its owner can read.
    private static func read(_ files: [String]) throws(AssemblyFault) -> [RecipientKey] {
        try files.map { file throws(AssemblyFault) in
            do {
                return try RecipientKey(COSEKeyPair(PrivateFile.key(file)))
            } catch let error as IdentityStoreError {
                throw AssemblyFault("online", file: file, error)
            } catch {
                throw AssemblyFault("online", "\(Terminal.safe(file)): the key is not on P-256")
            }
        }
    }

    /// Opens the store of nonces that the configuration names. `folder` is the store's folder, for SQLite.
    func openNonces(in folder: String) throws(AssemblyFault) -> any NonceStore {
        if let connection = try connection() { return PostgreSQLNonces(connection, nonces.terms) }
        if nonces.store == .memory { return MemoryNonces(nonces.terms) }
        return try mapping(SQLiteNonces(in: folder, nonces.terms)) { (error: ReaderStoreError) in
            AssemblyFault(store: folder, error)
        }
    }

    /// Reads the connection string of PostgreSQL, from a file that only its owner can read. Nil if the nonces
    /// are kept elsewhere.
    func connection() throws(AssemblyFault) -> String? {
        guard case .postgresql(let file) = nonces.store else { return nil }
        return try mapping(
            PrivateFile.withSecret(file) { bytes throws(IdentityStoreError) in
                String(decoding: bytes, as: UTF8.self)
            }
        ) { (error: IdentityStoreError) in AssemblyFault("online.nonces.connection", file: file, error) }
    }
}

extension DaemonConfiguration.Fleet {
    /// Makes the settings of the kiosk, with the fleet's keys from their files.
    func settings(in store: String) throws(AssemblyFault) -> KioskSettings {
        let keys = try keys.map { file throws(AssemblyFault) in
            // The keys are public. But a user who can change this file could put their own key into it, so
            // `PrivateFile` checks the file's permissions.
            let pem = try mapping(PrivateFile.read(file)) { (error: IdentityStoreError) in
                AssemblyFault("fleet", file: file, error)
            }
            guard let key = try? FleetKey(pem: pem) else {
                throw AssemblyFault(
                    "fleet",
                    "\(Terminal.safe(file)): the file has no public key on P-256: name the right PEM file")
            }
            return key
        }
        // The settings contain only the path of this file. It is read here so that a faulty file is reported
        // now.
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

/// A fault of a file, device or folder that the configuration names, as one line: the member, the problem and
/// the remedy.
struct AssemblyFault: Error, CustomStringConvertible {
    let description: String

    init(_ member: String, _ why: String) {
        description = "\(member): \(why)"
    }

    init(_ member: String, file: String, _ error: IdentityStoreError) {
        // The texts of all other errors already contain the path of the file.
        if case .keyUnusable = error {
            self.init(member, "\(Terminal.safe(file)): \(error.explanation)")
        } else {
            self.init(member, error.explanation)
        }
    }

    init(store: String, _ error: ReaderStoreError) {
        self.init("store", "\(Terminal.safe(store)): \(error.explanation)")
    }
}

struct AssemblyFaults: Error, CustomStringConvertible {
    let faults: [AssemblyFault]

    var description: String { faults.map(\.description).joined(separator: "\n") }
}
