internal import ErrorMapping
internal import FoundationEssentials
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderIdentityStore

/// The brands in whose name this computer sends requests or signs tokens, each with its keys.
///
/// The registry is the contents of `brands.json`. An operator changes it with `countersign brand`, or a hub
/// distributes it to its readers (`BrandBundle`).
///
/// - A reader uses it to verify tokens: a token names its key, the key belongs to one brand, and the brand
///   gives the name, logo and identity for requests.
/// - A token server uses it to check its own tokens before they are handed out.
///
/// A key identifier occurs once in the whole registry, because a token is matched to a brand by the
/// identifier of its key. A revoked key stays in the registry, so that no new key gets its identifier.
///
/// There are at most 1000 brands with 32 keys each, and the file has at most 1 MiB. The registry is a value:
/// changes to the file happen in `BrandFolder`, under its lock. The registry never has a private key; private
/// keys are in the files of `TokenKeyFile`.
package struct BrandRegistry: Equatable, Sendable {
    package static let mostBrands = 1000
    package static let mostKeys = 32

    package private(set) var brands: [Brand] = []
    /// The position of each key: the index of its brand, and its index among the brand's keys.
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
        // The keys are added one by one below, where each is checked.
        var bare = brand
        bare.keys = []
        // A brand is added with all of its keys or not at all.
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
        // The index of the key is the number of keys before it.
        keys[key.identifier] = (index, brands[index].keys.count)
        brands[index].keys.append(key)
    }

    /// Marks a key as revoked. The key stays in the registry, so that no other key gets its identifier.
    package mutating func revoke(_ key: TokenText) throws(BrandFault) {
        guard let place = keys[key] else { throw .keyUnknown }
        brands[place.brand].keys[place.key].isRevoked = true
    }

    // `keys` is an index of `brands`, and need not be compared.
    package static func == (one: BrandRegistry, other: BrandRegistry) -> Bool { one.brands == other.brands }
}

/// The file `brands.json`: `{"brands": [{"id", "name", "logo"?, "identity"?, "keys": [KEY, …]}]}`, where KEY
/// is `{"kid", "kty": "EC", "crv": "P-256", "x", "y", "notAfter"?, "revoked"?}`.
///
/// A key is a JWK (RFC 7517) with the further members `notAfter` and `revoked`. Any other member is refused.
extension BrandRegistry {
    /// The maximum size of the file, in bytes.
    package static let longestFile = 1 << 20

    package init(json: [UInt8]) throws(BrandRegistryError) {
        do throws(RegistryFault) {
            self = try Self.read(json[...])
        } catch {
            switch error {
            case .form(let fault):
                let line = fault.offset.map { JSONItem.line(of: $0, in: json[...]) }
                throw .malformed(line: line, fault)
            case .content(let fault, let offset):
                throw .faulty(line: JSONItem.line(of: offset, in: json[...]), fault)
            }
        }
    }

    private static func read(_ json: ArraySlice<UInt8>) throws(RegistryFault) -> BrandRegistry {
        let items = try mapping(
            JSONItem.parse(json, limits: (bytes: longestFile, depth: 8)).members("brands").required("brands")
                .array(), RegistryFault.form)
        var registry = BrandRegistry()
        for item in items {
            let members = try mapping(
                item.members("id", "name", "logo", "identity", "keys"), RegistryFault.form)
            let brand = try readBrand(members)
            try mapping(registry.add(brand), RegistryFault.at(item))
            // The keys are added one by one, so that an error contains the line of the faulty key.
            let keys = try mapping(members.required("keys").array(), RegistryFault.form)
            for key in keys {
                let read = try readKey(key)
                try mapping(registry.add(read, to: brand.identifier), RegistryFault.at(key))
            }
        }
        return registry
    }

    /// Reads a brand without its keys.
    private static func readBrand(_ members: JSONMembers) throws(RegistryFault) -> Brand {
        Brand(
            identifier: try text("id", of: members, fault: .identifierMalformed, read: TokenText.init),
            name: try text("name", of: members, fault: .nameMalformed, read: BrandName.init),
            logo: try optional("logo", of: members, fault: .logoNameMalformed, read: LogoName.init),
            identity: try optional("identity", of: members, fault: .identityNameMalformed) {
                IdentityName($0)
            })
    }

    /// Reads a key, and checks that the key is a point on P-256.
    private static func readKey(_ item: JSONItem) throws(RegistryFault) -> BrandKey {
        let members = try mapping(
            item.members("kid", "kty", "crv", "x", "y", "notAfter", "revoked"), RegistryFault.form)
        let identifier = try text("kid", of: members, fault: .identifierMalformed, read: TokenText.init)
        // `kty` and `crv` have one permitted value each, so neither is stored.
        _ = try text("kty", of: members, fault: .keyNotP256) { $0 == "EC" ? $0 : nil }
        _ = try text("crv", of: members, fault: .keyNotP256) { $0 == "P-256" ? $0 : nil }
        let x = try text("x", of: members, fault: .keyNotP256) { Base64URL.decode($0.utf8) }
        let y = try text("y", of: members, fault: .keyNotP256) { Base64URL.decode($0.utf8) }
        let notAfter = try optional("notAfter", of: members, fault: .instantMalformed) {
            (text) -> Timestamp? in
            guard let date = DateText(text.utf8), case .instant(let instant) = date.value else { return nil }
            return instant
        }
        let isRevoked = try mapping(members["revoked"]?.boolean() ?? false, RegistryFault.form)
        guard let point = try? PublicKey(curve: .p256, x: x[...], y: y[...]) else {
            throw .content(.keyNotP256, at: item.offset)
        }
        return try mapping(
            BrandKey(identifier, point, notAfter: notAfter, isRevoked: isRevoked), RegistryFault.at(item))
    }

    // Members

    /// Reads a required member that is a text.
    ///
    /// - Parameters:
    ///   - fault: the fault to throw if `read` returns `nil`.
    ///   - read: makes the value from the text, or returns `nil`.
    private static func text<Value>(
        _ name: String, of members: JSONMembers, fault: BrandFault, read: (String) -> Value?
    ) throws(RegistryFault) -> Value {
        let item = try mapping(members.required(name), RegistryFault.form)
        let text = try mapping(item.string(), RegistryFault.form)
        guard let value = read(text) else { throw .content(fault, at: item.offset) }
        return value
    }

    /// Reads a member that is a text and may be absent.
    private static func optional<Value>(
        _ name: String, of members: JSONMembers, fault: BrandFault, read: (String) -> Value?
    ) throws(RegistryFault) -> Value? {
        guard members[name] != nil else { return nil }
        return try text(name, of: members, fault: fault, read: read)
    }
}

/// A fault in the bytes of `brands.json`.
private enum RegistryFault: Error {
    case form(JSONError)
    /// A value that is not allowed, in the JSON item that begins at this byte.
    case content(BrandFault, at: Int)

    /// Returns a function that adds the position of `item` to a fault.
    static func at(_ item: JSONItem) -> (BrandFault) -> RegistryFault {
        { .content($0, at: item.offset) }
    }
}

// Writing

extension BrandRegistry {
    /// Returns the contents of the file, with the members sorted by name.
    func json() throws(BrandRegistryError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let registry = WrittenRegistry(brands: brands.map(WrittenBrand.init))
            return try [UInt8](encoder.encode(registry)) + "\n".utf8
        } catch {
            // Encoding texts and truth values should not fail. `tooLong` stands for any error of the encoder.
            throw .malformed(line: nil, .tooLong(limit: Self.longestFile))
        }
    }
}

private struct WrittenRegistry: Encodable {
    let brands: [WrittenBrand]
}

private struct WrittenBrand: Encodable {
    let id: String
    let name: String
    let logo: String?
    let identity: String?
    let keys: [WrittenKey]

    init(_ brand: Brand) {
        id = brand.identifier.text
        name = brand.name.text
        logo = brand.logo?.text
        identity = brand.identity?.text
        keys = brand.keys.map(WrittenKey.init)
    }
}

private struct WrittenKey: Encodable {
    let kid: String
    let kty = "EC"
    let crv = "P-256"
    let x: String
    let y: String
    let notAfter: String?
    let revoked: Bool?

    init(_ key: BrandKey) {
        kid = key.identifier.text
        (x, y) = (Base64URL.encode(key.x), Base64URL.encode(key.y))
        notAfter = key.notAfter.map { "\($0)" }
        // The member is written for a revoked key only.
        revoked = key.isRevoked ? true : nil
    }
}
