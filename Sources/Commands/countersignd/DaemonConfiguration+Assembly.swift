internal import BlueZTransport
internal import ErrorMapping
internal import FieldTrace
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
internal import Transport

extension DaemonConfiguration {
    /// Reads the files that it names and keeps nothing of them: one fault does not hide another.
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

    func warnOfTestDocuments(_ log: Logger) {
        guard policy.acceptsTestDocuments else { return }
        log.warning("acceptTestDocuments is set: anybody can make a document that is accepted here")
    }

    /// The files of the page; nil if none is named.
    func pageFiles() throws(AssemblyFault) -> PageFiles? {
        guard let page else { return nil }
        return try mapping(PageFiles(folder: page)) { (error: PageFault) in
            AssemblyFault("page", "\(Terminal.safe(page)): \(error)")
        }
    }

    /// What lets pages in, with its key in the store.
    func pageSessions() throws(AssemblyFault) -> PageSessions {
        try mapping(PageSessions(store: store)) { (error: IdentityStoreError) in
            AssemblyFault("store", error.explanation)
        }
    }

    /// What writes receipts and retained data, and the brands of reader tokens.
    func openStore(
        _ metrics: PresentationMetrics, _ log: Logger
    ) throws(AssemblyFault) -> (RecordArchive, TokenBrands) {
        try mapping(
            (
                RecordArchive(
                    store: store, keys: keys, metrics: metrics, log: log, at: WallClock.system.now),
                TokenBrands(store: store, clock: .system)
            )
        ) { (error: ReaderStoreError) in AssemblyFault(store: store, error) }
    }
}

extension DaemonConfiguration.HTTP {
    /// Puts the certificate that the file names now in place of the one in force; where it cannot be used, that stays.
    func renew(_ inForce: ServerTLS?, _ log: Logger) {
        guard let inForce else { return }
        do throws(AssemblyFault) {
            if let renewed = try serverTLS() { inForce.renew(from: renewed) }
        } catch {
            log.error("the certificate of http.tls stays as it was", metadata: ["fault": "\(error)"])
        }
    }

    /// The certificate of the listener; nil for plain HTTP.
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
                    "http.tls", "\(Terminal.safe(path)): there is no certificate in it: name a PEM file")
            case .noKey(let path):
                throw AssemblyFault(
                    "http.tls", "\(Terminal.safe(path)): there is no private key in it: name a PEM file")
            case .notOfOneKey(let path):
                throw AssemblyFault(
                    "http.tls",
                    "\(Terminal.safe(path)): TLS does not accept it with this key: name the key of the certificate"
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

    private func device(_ service: PCSCService) throws(TransportError) -> any LaneDevice {
        switch device {
        case .benchLink(let host, let port):
            return BenchLinkLaneDevice(try SocketAddress(host: host, port: port))
        case .contactless(let reader, let adapter, let usesBluetooth):
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
            return TracingLaneDevice(traced, recorder, service)
        }
    }
}

extension DaemonConfiguration.Lane.FieldTraceSettings {
    /// Nil if OpenSSL has no random bytes: nothing is traced then.
    fileprivate var recorder: FieldTraceRecorder? {
        try? FieldTraceRecorder(.ofThisProgram, to: RotatingTraceFile(file, bytes: bytes))
    }
}

extension PCSCService {
    /// What keeps the readers that `selector` picks from being used; nil if nothing does.
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
    /// The fewest bytes of a secret.
    private static let shortestSecret = 16

    func queue(
        _ metrics: PresentationMetrics, _ archive: RecordArchive, _ log: Logger
    ) throws(AssemblyFault) -> WebhookQueue {
        WebhookQueue(
            to: origins.compactMap(WebhookOrigin.init), secret: try secret(), metrics: metrics, log: log,
            clock: .system, archive: archive)
    }

    /// What signs webhooks, from a file that is its owner's alone.
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
