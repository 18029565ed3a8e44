internal import ErrorMapping
internal import JSON
internal import Logging
internal import MdocTrust
internal import ReaderTokens

/// Puts the trust and the brands of documents in the kiosk's store.
struct DocumentInstaller: Sendable {
    private let settings: KioskSettings
    private let clockSkew: @Sendable () async -> Int64
    private let log: Logger

    init(_ settings: KioskSettings, clockSkew: @escaping @Sendable () async -> Int64, log: Logger) {
        self.settings = settings
        self.clockSkew = clockSkew
        self.log = log
    }

    /// The bundle that is to count with `next`; nil if the kiosk's trust stays as it is.
    ///
    /// - Parameter known: A bundle that was opened before, which is not opened again.
    func bundle(
        of next: AcceptedDocuments, after accepted: AcceptedDocuments,
        knowing known: FleetTrust.Bundle? = nil
    ) async throws(FleetDocumentError) -> FleetTrust.Bundle? {
        guard let (bytes, signer) = next.trust, bytes != accepted.trust?.bytes else { return nil }
        if let known, known.bytes == bytes, known.signer == signer { return known }
        guard let key = next.keyring.keys.first(where: { $0.id == signer }) else { throw .keyUnknown }
        return try await blocking { () throws(FleetDocumentError) in
            try mapping(FleetTrust.Bundle(bytes, signedBy: key), FleetDocumentError.trustRefused)
        }
    }

    /// The change of trust that a bundle makes, checked and not stored; nil if the store trusts just that already.
    func change(
        by bundle: FleetTrust.Bundle, after accepted: AcceptedDocuments
    ) async throws(FleetDocumentError) -> FleetTrust? {
        // A bundle of a document that is obeyed already counts again once a later level has no bundle any more.
        let isObeyed = accepted.documents.values.contains {
            $0.document.trust == bundle.bytes && $0.signer == bundle.signer
        }
        let (store, now) = (settings.store, settings.now())
        let clockSkew = await clockSkew()
        return try await blocking { () throws(FleetDocumentError) in
            try mapping(
                FleetTrust(
                    bundle, in: store, isObeyed: isObeyed, at: now, clockSkew: clockSkew),
                FleetDocumentError.trustRefused)
        }
    }

    func store(_ trust: FleetTrust) async throws(FleetDocumentError) {
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
    func putBrands(inForceOf documents: AcceptedDocuments) async throws(FleetDocumentError) {
        guard let brands = documents.brands else { return }
        let store = settings.store
        try await blocking { () throws(FleetDocumentError) in try brands.keep(in: store) }
    }

    /// Has the brands of documents that are obeyed already in the store: at the start, and where others were not taken after all.
    ///
    /// - Parameter before: What was there while these documents said nothing of brands; it is there again afterwards.
    func putBrands(of documents: AcceptedDocuments, orElse before: BrandFiles? = nil) async {
        let store = settings.store
        do throws(FleetDocumentError) {
            try await putBrands(inForceOf: documents)
            guard let before else { return }
            try await blocking { () throws(FleetDocumentError) in
                try FleetBrands.putBack(before, in: store)
            }
        } catch {
            log.error(
                "the brands of the fleet are not in the store", metadata: ["why": "\(error.explanation)"])
        }
    }

    func brandFiles() async throws(FleetDocumentError) -> BrandFiles {
        let store = settings.store
        return try await blocking { () throws(FleetDocumentError) in try FleetBrands.files(in: store) }
    }
}
