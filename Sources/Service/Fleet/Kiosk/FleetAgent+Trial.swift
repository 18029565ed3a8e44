internal import Logging

/// Documents that were checked: tried with the lanes, and obeyed where the lanes become ready.
extension FleetAgent {
    /// Trusts what `next` says, or looks whether that can be done.
    func applyTrust(of next: AcceptedDocuments, isTried: Bool) async throws(FleetDocumentError) {
        guard let trust = next.trust, trust.bytes != accepted.trust?.bytes else { return }
        guard let key = next.keyring.keys.first(where: { $0.id == trust.signer }) else { throw .keyUnknown }
        // A bundle of a document that is obeyed already counts again once a later level has no bundle any more.
        let isReinstated = accepted.documents.values.contains {
            $0.document.trust == trust.bytes && $0.signer == trust.signer
        }
        let (store, now) = (settings.store, settings.now())
        try await blocking { () throws(FleetDocumentError) in
            _ = try FleetTrust.apply(
                trust.bytes, signedBy: key, in: store, isReinstated: isReinstated, isTried: isTried, at: now)
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

    /// Obeys what has been checked: at once where the configuration stays, and otherwise once the lanes are ready with it.
    func take(_ candidate: AcceptedDocuments) async {
        guard applying == nil,
            candidate.documents.mapValues(\.digest) != accepted.documents.mapValues(\.digest)
        else { return }
        guard let configuration = try? candidate.configuration(over: actions.file()),
            let earlier = try? accepted.configuration(over: actions.file()), configuration != earlier
        else {
            _ = await settle(candidate)
            return
        }
        // A stopped kiosk has no lanes to try: it takes these once it is started.
        guard !isStopped else { return log.notice("documents wait until the kiosk is started") }
        var trial = accepted
        trial.beginTrial(of: candidate)
        keep(trial)
        applying = Task { await self.prove(candidate, configuration, or: earlier) }
    }

    private func prove(_ candidate: AcceptedDocuments, _ configuration: [UInt8], or earlier: [UInt8]) async {
        var outcome = await actions.apply(configuration)
        // One that ends now has learned nothing.
        var before = accepted
        before.endTrial()
        guard !Task.isCancelled else { return keep(before) }
        if isStopped { outcome = .inUse }
        switch outcome {
        case .ready:
            // It would be refused again at once.
            if await !settle(candidate) {
                outcome = .inUse
                fallthrough
            }
        case .inUse:
            keep(before)
            _ = await actions.apply(earlier)
        case .notReady:
            log.error("the lanes did not become ready: back to the documents before")
            var failed = candidate
            failed.fail(backTo: before)
            failed.endTrial()
            keep(failed)
            _ = await actions.apply(earlier)
        }
        applying = nil
        notice(spread: outcome == .inUse ? 60 : 0)
    }

    /// Puts the brands and the trust of the documents in the store, and keeps the documents. False where the bundle is refused by now,
    /// or the brands cannot be kept: the documents before stay in force then, with their brands.
    private func settle(_ candidate: AcceptedDocuments) async -> Bool {
        do throws(FleetDocumentError) {
            try await applyTrust(of: candidate, isTried: true)
            try await applyBrands(of: candidate)
            try await applyTrust(of: candidate, isTried: false)
        } catch {
            log.error("documents of the fleet are not applied", metadata: ["why": "\(error.explanation)"])
            await putBrands(of: accepted)
            return false
        }
        var documents = candidate
        documents.endTrial()
        keep(documents)
        log.notice("documents of the fleet are applied")
        return true
    }

    func keep(_ documents: AcceptedDocuments) {
        accepted = documents
        do throws(FleetFolderError) {
            try folder.keep(documents, isStopped: isStopped)
        } catch {
            log.error("the fleet's folder", metadata: ["why": "\(error.explanation)"])
        }
    }
}
