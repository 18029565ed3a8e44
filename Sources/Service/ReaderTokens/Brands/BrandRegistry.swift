/// The brands that this computer asks or signs for, each with its keys. No key identifier occurs twice, even in
/// different brands: a token names its key before it names its brand.
package struct BrandRegistry: Equatable, Sendable {
    package static let mostBrands = 1000
    package static let mostKeys = 32

    package private(set) var brands: [Brand] = []
    /// Where each key is.
    private var keys: [TokenText: (brand: Int, key: Int)] = [:]

    package init() {}

    package func brand(_ identifier: TokenText) -> Brand? {
        brands.first { $0.identifier == identifier }
    }

    package func key(_ identifier: TokenText) -> (Brand, BrandKey)? {
        keys[identifier].map { (brands[$0.brand], brands[$0.brand].keys[$0.key]) }
    }

    package mutating func add(_ brand: Brand) throws(BrandFault) {
        guard brands.count < Self.mostBrands else { throw .tooManyBrands(limit: Self.mostBrands) }
        guard self.brand(brand.identifier) == nil else { throw .brandTwice }
        var bare = brand
        bare.keys = []
        let before = self
        brands.append(bare)
        do throws(BrandFault) {
            for key in brand.keys { try add(key, to: brand.identifier) }
        } catch {
            self = before
            throw error
        }
    }

    package mutating func add(_ key: BrandKey, to brand: TokenText) throws(BrandFault) {
        guard let index = brands.firstIndex(where: { $0.identifier == brand }) else { throw .brandUnknown }
        guard brands[index].keys.count < Self.mostKeys else { throw .tooManyKeys(limit: Self.mostKeys) }
        guard keys[key.identifier] == nil else { throw .keyTwice }
        keys[key.identifier] = (index, brands[index].keys.count)
        brands[index].keys.append(key)
    }

    /// Marks a key as revoked. It stays, so that no other takes its identifier.
    package mutating func revoke(_ key: TokenText) throws(BrandFault) {
        guard let place = keys[key] else { throw .keyUnknown }
        brands[place.brand].keys[place.key].isRevoked = true
    }

    package static func == (one: BrandRegistry, other: BrandRegistry) -> Bool { one.brands == other.brands }
}
