internal import CBOR
internal import ErrorMapping
package import ReaderTokens

/// The brands of a document: a registry and the logos of its brands. The bytes are unchecked until `bundle()`
/// checks them. A kiosk stores the registry and the logos in the folder `brands` of its store.
package struct FleetBrands: Equatable, Sendable {
    private let registry: [UInt8]
    private let logos: [LogoName: [UInt8]]

    init(registry: [UInt8], logos: [LogoName: [UInt8]]) {
        self.registry = registry
        self.logos = logos
    }

    package init(_ bundle: BrandBundle) {
        self.init(registry: bundle.json, logos: bundle.logos.mapValues(\.png))
    }

    /// Checks the registry and the logos, and returns them. Throws `brandsRefused` if a kiosk could not use
    /// them.
    package func bundle() throws(FleetDocumentError) -> BrandBundle {
        try mapping(BrandBundle(json: registry, logos: logos), \BrandRegistryError.refusal)
    }

    /// Replaces the brands in a store with the brands of this value.
    func save(in store: String) throws(FleetDocumentError) {
        let bundle = try bundle()
        try mapping(BrandFolder(store: store).replace(with: bundle), \BrandRegistryError.refusal)
    }

    /// Reads the files of a store's brands without checking them, so that `putBack` can restore them.
    static func files(in store: String) throws(FleetDocumentError) -> BrandFiles {
        try mapping(BrandFolder(store: store).files(), \BrandRegistryError.refusal)
    }

    /// Replaces the brands in a store with files that `files(in:)` read there before.
    static func putBack(_ files: BrandFiles, in store: String) throws(FleetDocumentError) {
        try mapping(BrandFolder(store: store).replace(with: files), \BrandRegistryError.refusal)
    }

    // MARK: The member `brands` of a document

    /// Writes a map of two members: `registry`, a byte string, and `logos`, a map from names to PNG images in
    /// the order of the names. Both are empty for a document without brands.
    static func encode(_ brands: FleetBrands?, to encoder: inout CBOREncoder) {
        encoder.map(count: 2)
        encoder.text("registry")
        encoder.byteString(brands?.registry ?? [])
        encoder.text("logos")
        let logos = (brands?.logos ?? [:]).sorted { $0.key < $1.key }
        encoder.map(count: logos.count)
        for (name, png) in logos {
            encoder.text(name.text)
            encoder.byteString(png)
        }
    }

    /// Reads the member `brands`. `nil` for a document without brands.
    static func parse(_ item: CBORItem) throws -> FleetBrands? {
        let map = try item.map()
        guard map.count == 2, let registry = try map["registry"]?.byteString(),
            let entries = try map["logos"]?.map()
        else { throw FleetDocumentError.malformed }
        var logos: [LogoName: [UInt8]] = [:]
        var last: LogoName?
        for (key, png) in entries {
            // The names must ascend. So no name occurs twice, and brands have only one encoding.
            guard logos.count < BrandRegistry.mostBrands, let name = LogoName(try key.text()),
                last.map({ $0 < name }) ?? true
            else { throw FleetDocumentError.malformed }
            logos[name] = Array(try png.byteString())
            last = name
        }
        // An empty registry means a document without brands, which must not have logos.
        guard registry.isEmpty else { return FleetBrands(registry: Array(registry), logos: logos) }
        guard logos.isEmpty else { throw FleetDocumentError.malformed }
        return nil
    }
}

extension BrandRegistryError {
    fileprivate var refusal: FleetDocumentError { .brandsRefused(explanation) }
}
