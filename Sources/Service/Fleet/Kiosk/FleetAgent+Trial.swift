internal import ErrorMapping
internal import JSON
internal import Logging
internal import MdocTrust
internal import OpenSSLCrypto

/// Further documents: obeyed at once where the configuration stays, and otherwise once the lanes are ready with it, one after the other.
extension FleetAgent {
    /// Obeys a document, or begins to try the lanes with it. One that changes the configuration is left for another question while the
    /// lanes are tried with another document, or the kiosk is stopped. Throws why it is refused.
    ///
    /// - Returns: false if it is to be asked for again soon.
    @discardableResult
    func take(_ bytes: [UInt8]) async throws(FleetDocumentError) -> Bool {
        var next = accepted
        guard try next.accept(bytes, at: settings.now()) else { return true }
        let file = actions.file()
        let configuration = try next.configuration(over: file)
        let isChange = configuration != (try? accepted.configuration(over: file))
        try await applyTrust(of: next, isTried: true)
        guard isChange else { return await settle(bytes, leadingTo: configuration) }
        guard applying == nil else { return true }
        // A stopped kiosk has no lanes to try.
        guard !isStopped, resuming == nil else {
            log.notice("document \(Self.name(of: bytes)) waits until the kiosk is started")
            return true
        }
        if let fault = actions.check(configuration) { throw .configurationRefused(fault) }
        let digest = Digest(.sha256, of: bytes[...]).bytes
        accepted.beginTrial(of: digest)
        keep()
        applying = Task { await self.prove(bytes, digest, configuration) }
        return true
    }

    private func prove(
        _ bytes: [UInt8], _ digest: [UInt8], _ configuration: AcceptedDocuments.Configuration
    ) async {
        let before = stops
        var outcome = await actions.apply(configuration)
        // One that was stopped or ends meanwhile has learned nothing.
        if isStopped || stops != before || Task.isCancelled { outcome = .inUse }
        accepted.endTrial()
        if outcome == .notReady {
            log.error(
                "document \(Self.name(of: bytes)) is not used: the lanes did not become ready with it. See GET /v1/lanes, then sign another version"
            )
            accepted.fail(digest)
        }
        keep()
        guard !Task.isCancelled else { return }
        // It would be refused again at once.
        if outcome == .ready, await !settle(bytes, leadingTo: configuration) { outcome = .inUse }
        if outcome != .ready { await applyAccepted() }
        applying = nil
        notice(spread: outcome == .inUse ? 60 : 0)
    }

    /// Has the daemon use what is obeyed, or the kiosk's own file alone where that leads to a fault.
    func applyAccepted() async {
        let file = actions.file()
        let configuration = (try? accepted.configuration(over: file)) ?? .file(file)
        _ = await actions.apply(actions.check(configuration) == nil ? configuration : .file(file))
    }

    /// Puts brands and trust of a document in the store and obeys it, one document after the other. False if that cannot be done now:
    /// it is refused by now, leads to another configuration than the one that was looked at, or its brands cannot be kept. The documents
    /// before stay in force then, with their brands.
    private func settle(
        _ bytes: [UInt8], leadingTo configuration: AcceptedDocuments.Configuration
    ) async -> Bool {
        let before = settling
        let task = Task {
            _ = await before?.value
            return await self.settleNow(bytes, leadingTo: configuration)
        }
        settling = task
        return await task.value
    }

    private func settleNow(
        _ bytes: [UInt8], leadingTo configuration: AcceptedDocuments.Configuration
    ) async -> Bool {
        do throws(FleetDocumentError) {
            var next = accepted
            try next.accept(bytes, at: settings.now())
            guard try next.configuration(over: actions.file()) == configuration else {
                log.notice(
                    "document \(Self.name(of: bytes)) waits: another changed meanwhile what it leads to")
                return false
            }
            try await applyTrust(of: next, isTried: true)
            try await applyBrands(of: next)
            try await applyTrust(of: next, isTried: false)
            // A trial may have begun or ended meanwhile: that stays.
            try accepted.accept(bytes, at: settings.now())
        } catch {
            log.error(
                "document \(Self.name(of: bytes)) is not applied", metadata: ["why": "\(error.explanation)"])
            await putBrands(of: accepted)
            return false
        }
        keep()
        log.notice("document \(Self.name(of: bytes)) is applied")
        return true
    }

    /// Level and version of a document.
    private static func name(of bytes: [UInt8]) -> String {
        (try? FleetDocument.parse(bytes).document).map { "\($0.level.rawValue) \($0.version)" } ?? ""
    }

    /// Trusts what `next` says, or looks whether that can be done.
    func applyTrust(of next: AcceptedDocuments, isTried: Bool) async throws(FleetDocumentError) {
        guard let trust = next.trust, trust.bytes != accepted.trust?.bytes else { return }
        guard let key = next.keyring.keys.first(where: { $0.id == trust.signer }) else { throw .keyUnknown }
        // A bundle of a document that is obeyed already counts again once a later level has no bundle any more.
        let isReinstated = accepted.documents.values.contains {
            $0.document.trust == trust.bytes && $0.signer == trust.signer
        }
        let (store, now) = (settings.store, settings.now())
        let change = try await blocking { () throws(FleetDocumentError) in
            try mapping(
                FleetTrust.apply(
                    trust.bytes, signedBy: key, in: store, isReinstated: isReinstated, isTried: isTried,
                    at: now), FleetDocumentError.trustRefused)
        }
        guard !isTried else { return }
        for list in change?.removedLists ?? [] {
            log.warning(
                "the fleet's trust bundle lacks a list that was trusted: what it revokes is forgotten",
                metadata: ["kind": "\(list.kind.rawValue)", "name": "\(Terminal.safe(list.name))"])
        }
    }

    /// Has the brands of these documents in the store, whatever is there; nothing where they say nothing of brands.
    private func applyBrands(of documents: AcceptedDocuments) async throws(FleetDocumentError) {
        guard let brands = documents.brands else { return }
        let store = settings.store
        try await blocking { () throws(FleetDocumentError) in try brands.keep(in: store) }
    }

    /// The same for documents that are obeyed already: at the start, and where others were not taken after all.
    func putBrands(of documents: AcceptedDocuments) async {
        do throws(FleetDocumentError) {
            try await applyBrands(of: documents)
        } catch {
            log.error(
                "the brands of the fleet are not in the store", metadata: ["why": "\(error.explanation)"])
        }
    }
}
