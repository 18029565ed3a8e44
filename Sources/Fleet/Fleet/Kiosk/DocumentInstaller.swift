internal import ErrorMapping
internal import JSON
internal import Logging
internal import MdocTrust
internal import ReaderTokens

/// Stores the trust bundles and the brands of fleet documents in the kiosk's reader store.
struct DocumentInstaller: Sendable {
    private let settings: KioskSettings
    private let clockSkew: @Sendable () async -> Int64
    private let log: Logger

    init(_ settings: KioskSettings, clockSkew: @escaping @Sendable () async -> Int64, log: Logger) {
        self.settings = settings
        self.clockSkew = clockSkew
        self.log = log
    }

    /// Returns the trust bundle that comes into force with the documents `next`, or `nil` if there is none or
    /// the bundle of `accepted` stays in force.
    ///
    /// - Parameter known: A bundle that was parsed earlier. If its bytes and its signer are those of the
    ///   bundle in `next`, this function returns `known` and parses nothing.
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

    /// Checks a bundle, and returns the change that replaces the store's trust with the bundle's trust. `nil`
    /// if the store already has that trust.
    func change(
        by bundle: FleetTrust.Bundle, after accepted: AcceptedDocuments
    ) async throws(FleetDocumentError) -> FleetTrust? {
        // The bundle of a less specific level comes into force again when the document of a more specific
        // level no longer contains a bundle. Such a bundle may be older than the bundle of the more specific
        // level, so its age alone must not lead to a refusal.
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

    /// Puts a checked change of trust in force, and logs the trusted lists that the change removes.
    func store(_ trust: FleetTrust) async throws(FleetDocumentError) {
        try await blocking { () throws(FleetDocumentError) in
            try mapping(trust.store(), FleetDocumentError.trustRefused)
        }
        for list in trust.removedLists {
            log.warning(
                "the fleet's trust bundle lacks a list that was trusted before: the list's revocations no longer apply",
                metadata: ["kind": "\(list.kind.rawValue)", "name": "\(Terminal.safe(list.name))"])
        }
    }

    /// Replaces the brands in the reader store with the brands of `documents`. If `documents` have no brands,
    /// the store stays unchanged.
    func putBrands(inForceOf documents: AcceptedDocuments) async throws(FleetDocumentError) {
        guard let brands = documents.brands else { return }
        let store = settings.store
        try await blocking { () throws(FleetDocumentError) in try brands.save(in: store) }
    }

    /// Restores the brands of accepted documents. Called when the daemon starts, and when a document could
    /// not be accepted after its brands had been stored.
    ///
    /// - Parameter before: A copy of the store's earlier brands, which this function restores. The caller
    ///   passes a copy only if the accepted documents have no brands.
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
                "the fleet's brands could not be stored", metadata: ["why": "\(error.explanation)"])
        }
    }

    /// Reads a copy of the store's brands.
    func brandFiles() async throws(FleetDocumentError) -> BrandFiles {
        let store = settings.store
        return try await blocking { () throws(FleetDocumentError) in try FleetBrands.files(in: store) }
    }
}
