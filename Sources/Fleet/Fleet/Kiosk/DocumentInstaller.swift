internal import ErrorMapping
internal import JSON
internal import Logging
internal import MdocTrust
internal import ReaderTokens

/// Stores the trust and the brands of documents in the kiosk's store.
struct DocumentInstaller: Sendable {
    private let settings: KioskSettings
    private let clockSkew: @Sendable () async -> Int64
    private let log: Logger

    init(_ settings: KioskSettings, clockSkew: @escaping @Sendable () async -> Int64, log: Logger) {
        self.settings = settings
        self.clockSkew = clockSkew
        self.log = log
    }

    /// Returns the trust bundle that is in force with `next`, or `nil` if the kiosk's trust stays as it is.
    ///
    /// - Parameter known: A bundle that was parsed before. If this bundle has the bytes and the signer of the
    ///   wanted one, it is returned, and nothing is parsed again.
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

    /// Returns the checked change of trust that a bundle makes, or `nil` if the store already has that trust.
    func change(
        by bundle: FleetTrust.Bundle, after accepted: AcceptedDocuments
    ) async throws(FleetDocumentError) -> FleetTrust? {
        // The bundle of a less specific level comes into force again when the document of a more specific
        // level no longer contains a bundle. Such a bundle may be older than the bundle that was in force
        // last.
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

    /// Replaces the store's brands with the brands of the documents. Changes nothing if the documents have no
    /// brands.
    func putBrands(inForceOf documents: AcceptedDocuments) async throws(FleetDocumentError) {
        guard let brands = documents.brands else { return }
        let store = settings.store
        try await blocking { () throws(FleetDocumentError) in try brands.save(in: store) }
    }

    /// Restores the brands of accepted documents. This is needed at the start, and if the brands of a
    /// document were stored and the document could then not be accepted.
    ///
    /// - Parameter before: A copy of the store's brands, which is restored if the accepted documents have no
    ///   brands.
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
