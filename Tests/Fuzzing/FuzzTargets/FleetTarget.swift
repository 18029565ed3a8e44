internal import Fleet
internal import JSON
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderTokens
internal import TestCredentials

/// A document of a fleet: as it comes, and with the input as what the key signed. Of those that come only the seed is signed, so
/// that no other is believed.
///
/// - Returns: whether it is obeyed.
@discardableResult
func fuzzFleetDocument(_ input: ArraySlice<UInt8>) -> Bool {
    let chain = FuzzChain.standard
    if let signed = chain.verified(chain.signed(Array(input))) { _ = chain.obey(signed) }
    guard let verified = chain.verified(Array(input)) else { return false }
    demand(verified.document == chain.document, "a forged document is believed")
    return chain.obey(verified)
}

/// A chain with one fixed fleet key, and a kiosk of it.
struct FuzzChain: Sendable {
    static let standard: FuzzChain = {
        do { return try FuzzChain() } catch { fatalError("the fuzz targets have no chain: \(error)") }
    }()

    /// The kiosk's own file.
    private static let file = Array(#"{"store": "/store", "log": "info"}"#.utf8)

    /// What the seed says.
    let document: FleetDocument
    private let key: TestKey
    private let kiosk: AcceptedDocuments

    private init() throws {
        key = try TestKey(scalar: [UInt8](repeating: 9, count: 32))
        let later = try TestKey(scalar: [UInt8](repeating: 10, count: 32))
        let keys = [try FleetKey(key.privateKey.publicKey()), try FleetKey(later.privateKey.publicKey())]
        guard let utopia = FleetName("utopia"), let till = FleetName("till-1") else { throw FuzzChainFault() }
        let now = Timestamp(secondsSince1970: TestAuthority.now)
        var document = FleetDocument(chain: utopia, level: .chain, name: utopia, version: 7, created: now)
        document.configuration = Array(#"{"log": "debug", "endSeconds": null}"#.utf8)
        document.withdrawn = [keys[1].id]
        document.trust = Array("trust".utf8)
        document.brands = FleetBrands(try Self.brands())
        self.document = document
        kiosk = AcceptedDocuments(
            FleetMembership(chain: utopia, site: nil, group: nil, kiosk: till), FleetKeyring(keys))
    }

    private static func brands() throws -> BrandBundle {
        let registry = """
            {"brands": [{"id": "utopia", "name": "Utopia", "logo": "utopia.png", "keys": []}]}
            """
        guard let name = LogoName("utopia.png") else { throw FuzzChainFault() }
        return try BrandBundle(json: Array(registry.utf8), logos: [name: logo])
    }

    /// A PNG of one column and row, as far as its frame goes.
    private static let logo: [UInt8] =
        [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 1] + Array("IDAT".utf8)
        + [0, 0, 0, 0, 0] + [0, 0, 0, 0] + Array("IEND".utf8) + [0xae, 0x42, 0x60, 0x82]

    func signed(_ payload: [UInt8]) -> [UInt8] {
        (try? FleetDocument.sign(payload, with: key.privateKey)) ?? []
    }

    func verified(_ bytes: [UInt8]) -> VerifiedFleetDocument? {
        try? VerifiedFleetDocument(bytes, by: kiosk.keyring)
    }

    /// Whether the kiosk obeys the document. What it refuses changes nothing, and what it obeys it can use.
    func obey(_ verified: VerifiedFleetDocument) -> Bool {
        let document = verified.document
        let again = (try? document.sign(with: key.privateKey)).flatMap(self.verified)
        demand(again?.document == document, "a document written anew is another")
        var kiosk = kiosk
        let now = Timestamp(secondsSince1970: TestAuthority.now)
        guard (try? kiosk.accept(verified, at: now)) == true else {
            demand(kiosk.documents.isEmpty && kiosk.seen.isEmpty, "a document that is refused is obeyed")
            demand(kiosk.keyring.withdrawn.isEmpty, "a document that is refused withdraws a key")
            return false
        }
        demand(kiosk.documents.count == 1, "a document of two levels")
        if let brands = kiosk.brands {
            guard let bundle = try? brands.bundle() else {
                fatalError("brands that cannot be used are obeyed")
            }
            demand(
                bundle.registry.brands.allSatisfy { $0.logo.map { bundle.logos[$0] != nil } ?? true },
                "a brand without its logo")
        }
        let item: JSONItem? =
            switch try? kiosk.configuration(over: Self.file) {
            case .file(let bytes)?: try? JSONItem.parse(bytes[...])
            case .changed(let item)?: item
            case nil: nil
            }
        guard case .object(let members)? = item?.value else {
            fatalError("a configuration that is no object")
        }
        let store = members.first { $0.name == "store" }?.item.value
        demand(store == .string("/store"), "a document changes what only the kiosk's own file says")
        return true
    }
}

private struct FuzzChainFault: Error {}
