internal import ErrorMapping
internal import JSON
internal import Logging
internal import MdocTrust
internal import OpenSSLCrypto
internal import ReaderTokens

/// A document on its way to being obeyed, with what it leads to: verified once, built once, and its bundle opened once.
struct Trial: Sendable {
    let document: VerifiedFleetDocument
    /// The configuration that the document leads to beside those of the other levels.
    let built: AcceptedDocuments.BuiltConfiguration
    /// The bundle that counts with it; nil if the kiosk's trust stays as it is.
    let bundle: FleetTrust.Bundle?

    var configuration: AcceptedDocuments.Configuration { built.configuration }

    /// Level and version of the document.
    var name: String { "\(document.document.level.rawValue) \(document.document.version)" }
}

/// Further documents: obeyed at once where the configuration stays, and otherwise once the lanes are ready with it, one after the other.
extension FleetAgent {
    /// Obeys a document, or begins to try the lanes with it. One that changes the configuration is left for another question while the
    /// lanes are tried with another document, or the kiosk is stopped. Throws why it is refused.
    ///
    /// - Returns: false if it is to be asked for again soon.
    @discardableResult
    func take(_ bytes: [UInt8]) async throws(FleetDocumentError) -> Bool {
        let document = try VerifiedFleetDocument(bytes, by: accepted.keyring)
        var next = accepted
        guard try next.accept(document, at: settings.now()) else { return true }
        let file = actions.file()
        let built = try next.builtConfiguration(over: file)
        let isChange = built.configuration != (try? accepted.configuration(over: file))
        let bundle = try await bundle(of: next)
        if let bundle { _ = try await trust(bundle) }
        let trial = Trial(document: document, built: built, bundle: bundle)
        guard isChange else { return await settle(trial) }
        guard applying == nil else { return true }
        // A stopped kiosk has no lanes to try.
        guard !isStopped, resuming == nil else {
            log.notice("document \(trial.name) waits until the kiosk is started")
            return true
        }
        if let fault = actions.check(trial.configuration) { throw .configurationRefused(fault) }
        accepted.beginTrial(of: document.digest)
        keep()
        applying = Task { await self.prove(trial) }
        return true
    }

    private func prove(_ trial: Trial) async {
        let before = stops
        var outcome = await actions.apply(trial.configuration)
        // One that was stopped or ends meanwhile has learned nothing.
        if isStopped || stops != before || Task.isCancelled { outcome = .inUse }
        accepted.endTrial()
        if outcome == .notReady {
            log.error(
                "document \(trial.name) is not used: the lanes did not become ready with it. See GET /v1/lanes, then sign another version"
            )
            accepted.fail(trial.document.digest)
        }
        keep()
        guard !Task.isCancelled else { return }
        // It would be refused again at once.
        if outcome == .ready, await !settle(trial) { outcome = .inUse }
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
    private func settle(_ trial: Trial) async -> Bool {
        let before = settling
        let task = Task {
            _ = await before?.value
            return await self.settleNow(trial)
        }
        settling = task
        return await task.value
    }

    private func settleNow(_ trial: Trial) async -> Bool {
        var brandsBefore: BrandFiles?
        do throws(FleetDocumentError) {
            var next = accepted
            try next.accept(trial, at: settings.now())
            guard try next.configuration(over: actions.file()) == trial.configuration else {
                log.notice("document \(trial.name) waits: another changed meanwhile what it leads to")
                return false
            }
            var change: FleetTrust?
            if let bundle = try await bundle(of: next, knowing: trial.bundle) {
                change = try await trust(bundle)
            }
            // Nothing but a copy brings back what no document says.
            if accepted.brands == nil, next.brands != nil { brandsBefore = try await brandFiles() }
            try await applyBrands(of: next)
            if let change { try await apply(change) }
            // A trial may have begun or ended meanwhile: that stays.
            try accepted.accept(trial, at: settings.now())
        } catch {
            log.error("document \(trial.name) is not applied", metadata: ["why": "\(error.explanation)"])
            await putBrands(of: accepted, orElse: brandsBefore)
            return false
        }
        keep()
        log.notice("document \(trial.name) is applied")
        return true
    }

    /// The bundle that is to count with `next`; nil if the kiosk's trust stays as it is.
    ///
    /// - Parameter known: A bundle that was opened before, which is not opened again.
    private func bundle(
        of next: AcceptedDocuments, knowing known: FleetTrust.Bundle? = nil
    ) async throws(FleetDocumentError) -> FleetTrust.Bundle? {
        guard let (bytes, signer) = next.trust, bytes != accepted.trust?.bytes else { return nil }
        if let known, known.bytes == bytes, known.signer == signer { return known }
        guard let key = next.keyring.keys.first(where: { $0.id == signer }) else { throw .keyUnknown }
        return try await blocking { () throws(FleetDocumentError) in
            try mapping(FleetTrust.Bundle(bytes, signedBy: key), FleetDocumentError.trustRefused)
        }
    }

    /// The change of trust that a bundle makes, checked and not stored; nil if the store trusts just that already.
    private func trust(_ bundle: FleetTrust.Bundle) async throws(FleetDocumentError) -> FleetTrust? {
        // A bundle of a document that is obeyed already counts again once a later level has no bundle any more.
        let isObeyed = accepted.documents.values.contains {
            $0.document.trust == bundle.bytes && $0.signer == bundle.signer
        }
        let (store, now) = (settings.store, settings.now())
        let clockSkew = await actions.clockSkew()
        return try await blocking { () throws(FleetDocumentError) in
            try mapping(
                FleetTrust(
                    bundle, in: store, isObeyed: isObeyed, at: now, clockSkew: clockSkew),
                FleetDocumentError.trustRefused)
        }
    }

    private func apply(_ trust: FleetTrust) async throws(FleetDocumentError) {
        try await blocking { () throws(FleetDocumentError) in
            try mapping(trust.store(), FleetDocumentError.trustRefused)
        }
        for list in trust.removedLists {
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
    ///
    /// - Parameter before: What was there while these documents said nothing of brands; it is there again afterwards.
    func putBrands(of documents: AcceptedDocuments, orElse before: BrandFiles? = nil) async {
        let store = settings.store
        do throws(FleetDocumentError) {
            try await applyBrands(of: documents)
            guard let before else { return }
            try await blocking { () throws(FleetDocumentError) in
                try FleetBrands.putBack(before, in: store)
            }
        } catch {
            log.error(
                "the brands of the fleet are not in the store", metadata: ["why": "\(error.explanation)"])
        }
    }

    private func brandFiles() async throws(FleetDocumentError) -> BrandFiles {
        let store = settings.store
        return try await blocking { () throws(FleetDocumentError) in try FleetBrands.files(in: store) }
    }
}
