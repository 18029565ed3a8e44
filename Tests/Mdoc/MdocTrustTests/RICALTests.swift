import CBOR
import COSE
import MdocModel
import MdocTrust
import PKIX
import TestCredentials
import Testing

@Suite("RICALs, the lists of readers' authorities")
struct RICALTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)
    private let day = TestAuthority.day

    private func provider() throws -> TestAuthority {
        try TestAuthority([(.countryName, "UT"), (.commonName, "Utopia provider")])
    }

    private func readers(_ name: String = "Readers") throws -> TestAuthority {
        try TestAuthority([(.countryName, "UT"), (.commonName, name)])
    }

    private func list(_ more: [(String, [UInt8])] = []) throws -> TestRICAL {
        try TestRICAL([.init(readers().der, more)], provider: provider())
    }

    private func verify(
        _ list: TestRICAL, by roots: [TestAuthority]? = nil, at time: Timestamp? = nil,
        signedBy key: TestKey? = nil
    ) throws -> VerifiedRICAL {
        try UnverifiedRICAL(list.encoded(signedBy: key)[...]).verify(
            by: (roots ?? [list.provider]).map { try $0.anchor() }, at: time ?? now)
    }

    @Test("A list is accepted only with the signature of its pinned provider")
    func verified() throws {
        let list = try list()
        let verified = try verify(list)
        #expect(verified.provider == "Utopia")
        #expect(verified.number == 3)
        #expect(!verified.isUpdateDue)
        #expect(verified.entries.map { Array($0.certificate.der) } == list.entries.map(\.certificate))
        #expect(verified.entries.map(\.isConstrained) == [false])
        #expect(verified.unusableEntries.isEmpty)
        #expect(throws: RICALError.signerNotTrusted(.issuerNotFound(issuer: "CN=Utopia provider,C=UT"))) {
            _ = try verify(list, by: [])
        }
        #expect(throws: RICALError.signerNotTrusted(.issuerNotFound(issuer: "CN=Utopia provider,C=UT"))) {
            _ = try verify(list, by: [provider()])
        }
        #expect(throws: RICALError.cose(.signatureInvalid)) { _ = try verify(list, signedBy: TestKey()) }
    }

    @Test("The signer's certificate has to be in the protected header")
    func signerNotProtected() throws {
        var list = try list()
        list.protectsSigner = false
        #expect(throws: RICALError.signerNotProtected) { _ = try verify(list) }
    }

    @Test("After nextUpdate a list is due for an update, after notAfter it is refused")
    func dates() throws {
        var list = try list()
        let date = try #require(DateText(list.date.utf8)).instant
        let next = try #require(list.nextUpdate.flatMap { DateText($0.utf8) }).instant
        #expect(throws: RICALError.notYetValid) { _ = try verify(list, at: date.advanced(bySeconds: -1)) }
        #expect(try !verify(list, at: next).isUpdateDue)
        #expect(try verify(list, at: next.advanced(bySeconds: 1)).isUpdateDue)
        list.notAfter = list.nextUpdate
        #expect(try !verify(list, at: next).isUpdateDue)
        #expect(throws: RICALError.expired) { _ = try verify(list, at: next.advanced(bySeconds: 1)) }
    }

    @Test("A list of another version or type, or without an authority, is refused")
    func refused() throws {
        var list = try list()
        list.version = "2.0"
        #expect(throws: RICALError.versionUnknown) { _ = try verify(list) }
        list.version = "1.7"
        _ = try verify(list)
        list.type = "org.example.doors"
        #expect(throws: RICALError.typeUnknown("org.example.doors")) { _ = try verify(list) }
        list.type = UnverifiedRICAL.readerAuthentication
        list.entries = []
        #expect(throws: RICALError.empty) { _ = try verify(list) }
    }

    @Test("An entry whose certificate differs from what stands beside it is not used, and the others are")
    func entries() throws {
        var list = try list()
        let good = list.entries[0]
        for change in [
            { (entry: inout TestRICAL.Entry) in entry.serialNumber[0] ^= 1 },
            { $0.keyIdentifier[0] ^= 1 }, { $0.certificate[20] ^= 0xff },
        ] {
            var bad = good
            change(&bad)
            list.entries = [bad, good]
            let verified = try verify(list)
            #expect(verified.unusableEntries == [0])
            #expect(verified.entries.count == 1)
            list.entries = [bad]
            #expect(throws: RICALError.empty) { _ = try verify(list) }
        }
    }

    @Test(
        "A constraint that is not known never holds, in both spellings of its member; an empty one does",
        arguments: ["trustConstraints", "trustContraints"])
    func constraints(_ name: String) throws {
        let extensions = Encoded.map([("extensions", Encoded.map([("1.2.3", Encoded.bytes([5]))]))])
        let empty = Encoded.map([])
        let cases: [([UInt8], Bool)] = [
            (Encoded.array([extensions]), true), (Encoded.array([extensions, empty]), false),
            (Encoded.array([]), true), (Encoded.text("none"), true),
        ]
        for (value, isConstrained) in cases {
            #expect(try verify(list([(name, value)])).entries.map(\.isConstrained) == [isConstrained])
        }
    }

    @Test("One bit of any part of the payload, and the signature does not verify")
    func changedBit() throws {
        let list = try list()
        var bytes = try list.encoded()
        let name = try #require(bytes.firstRange(of: Array("Readers".utf8)))
        bytes[name.lowerBound] ^= 1
        let changed = try UnverifiedRICAL(bytes[...])
        let roots = [try list.provider.anchor()]
        #expect(throws: RICALError.cose(.signatureInvalid)) { _ = try changed.verify(by: roots, at: now) }
    }
}
