import CBOR
import COSE
import MdocModel
import MdocWallet
import OpenSSLCrypto
import PKIX
import Testing

@Suite("The test issuer")
struct TestIssuerTests {
    private static let now = WrittenCase.now

    @Test("The root fits Annex B.1.2 and names itself a test")
    func root() throws {
        let issuer = try TestIssuer(entropy: .seed("issuer"), now: Self.now)
        let root = try Certificate(der: issuer.root[...])
        #expect(root.isSelfIssued)
        #expect(root.subject.description.contains("Countersign Test IACA"))
        #expect(root.subject.countryName == "UT")
        #expect(root.basicConstraints == BasicConstraints(isCA: true, pathLength: 0))
        #expect(root.keyUsage == [.keyCertSign, .cRLSign])
        #expect(root.extendedKeyUsage == nil)
        #expect(root.notAfter - root.notBefore <= 20 * 365 * 86_400)
        #expect(root.firstExtension(.issuerAlternativeName) != nil)
        #expect(root.firstExtension(.crlDistributionPoints) != nil)
        #expect(try root.subjectKeyIdentifier?.elementsEqual(root.publicKey().subjectKeyIdentifier()) == true)
        try root.verifySignature(with: root.publicKey())
    }

    @Test("The document signer fits Annex B.1.4")
    func documentSigner() throws {
        let issuer = try TestIssuer(entropy: .seed("issuer"), now: Self.now)
        let root = try Certificate(der: issuer.root[...])
        let signer = try Certificate(der: issuer.signer[...])
        #expect(signer.issuer == root.subject)
        #expect(signer.authorityKeyIdentifier == root.subjectKeyIdentifier)
        #expect(signer.subjectKeyIdentifier != nil)
        #expect(signer.keyUsage == .digitalSignature)
        #expect(signer.extendedKeyUsage == [ObjectIdentifier("1.0.18013.5.1.2")])
        #expect(signer.firstExtension(.extendedKeyUsage)?.isCritical == true)
        #expect(signer.basicConstraints == nil)
        #expect(signer.notAfter - signer.notBefore <= 457 * 86_400)
        #expect(signer.firstExtension(.crlDistributionPoints) != nil)
        #expect((9...20).contains(signer.serialNumber.count))
        try signer.verifySignature(with: root.publicKey())
    }

    @Test("The licence has every mandatory element, and AAMVA's")
    func elements() {
        let document = TestLicence().document(on: Self.now.dayInUTC)
        let mandatory = [
            "family_name", "given_name", "birth_date", "issue_date", "expiry_date", "issuing_country",
            "issuing_authority", "document_number", "portrait", "driving_privileges",
            "un_distinguishing_sign", "age_over_18", "age_over_21", "age_over_65",
        ]
        let aamva = [
            "domestic_driving_privileges", "DHS_compliance", "sex", "family_name_truncation",
            "given_name_truncation",
        ]
        func identifiers(_ nameSpace: String) -> Set<String> {
            Set(document.elements.filter { $0.nameSpace == nameSpace }.map(\.identifier))
        }
        #expect(identifiers(TestLicence.nameSpace).isSuperset(of: mandatory))
        #expect(identifiers(TestLicence.aamvaNameSpace).isSuperset(of: aamva))
    }

    @Test(
        "Every element that the wallet issues has the form of the data model, and no mandatory one is missing",
        arguments: TestDocumentKind.allCases)
    func forms(_ kind: TestDocumentKind) throws {
        var licence = TestLicence()
        licence.jurisdiction = "UT-1"
        let document = kind.document(for: licence, on: Self.now.dayInUTC)
        let model = try #require(DataModel(docType: kind.docType))
        var names: Set<ElementName> = []
        for element in document.elements {
            let name = ElementName(nameSpace: element.nameSpace, identifier: element.identifier)
            names.insert(name)
            let row = try #require(model.element(name), "\(name.text)")
            #expect(
                row.form(of: try CBORItem.parse(element.value.encode()[...])) == .asDefined, "\(name.text)")
        }
        #expect(names.isSuperset(of: model.elements.filter(\.isMandatory).map(\.name)))
    }

    @Test("Ages follow the holder's age", arguments: [17, 18, 20, 21, 64, 65, 99])
    func ages(age: Int) throws {
        var licence = TestLicence()
        licence.age = age
        let document = licence.document(on: Self.now.dayInUTC)
        for years in [18, 21, 65] {
            guard case .boolean(let isOver)? = document["age_over_\(years)"] else {
                Issue.record("no age_over_\(years)")
                continue
            }
            #expect(isOver == (age >= years))
        }
    }

    @Test("A licence issued on a leap day has dates that exist")
    func leapDay() throws {
        let leapDay = try #require(FullDate(year: 2028, month: 2, day: 29))
        guard case .tagged(1004, .text(let expiry))? = TestLicence().document(on: leapDay)["expiry_date"]
        else {
            Issue.record("no expiry_date")
            return
        }
        #expect(expiry == "2037-02-28")
    }

    @Test("Under a seed everything but the signatures comes out the same; under another, nothing does")
    func determinism() throws {
        func credential(_ seed: String) throws -> CBORItem {
            let entropy = TestEntropy.seed(seed)
            let issuer = try TestIssuer(entropy: entropy, now: Self.now)
            let key = COSEKeyPair(try entropy.key(on: .p256, for: "device"))
            let document = try issuer.issue(TestLicence().document(on: Self.now.dayInUTC), for: key)
            return try CBORItem.parse(document.credential()[...])
        }
        func parts(_ seed: String) throws -> (items: ArraySlice<UInt8>, payload: ArraySlice<UInt8>) {
            let map = try credential(seed).map()
            let signed = try COSESign1(#require(map["issuerAuth"]))
            return (try #require(map["nameSpaces"]).encoded, try #require(signed.payload))
        }
        let (one, same, other) = (try parts("one"), try parts("one"), try parts("other"))
        #expect(one == same)
        #expect(one.items != other.items)
        #expect(one.payload != other.payload)
    }

    @Test("Digest identifiers are in no order that tells the elements")
    func digestIdentifiers() throws {
        let entropy = TestEntropy.seed("order")
        let issuer = try TestIssuer(entropy: entropy, now: Self.now)
        let key = COSEKeyPair(try entropy.key(on: .p256, for: "device"))
        let document = try issuer.issue(TestLicence().document(on: Self.now.dayInUTC), for: key)
        let identifiers = try document.items.filter { $0.nameSpace == TestLicence.nameSpace }.map {
            try UnverifiedIssuerSignedItemID($0.encoded).value
        }
        #expect(Set(identifiers) == Set(0..<UInt64(identifiers.count)))
        #expect(identifiers != identifiers.sorted())
    }
}

/// The digestID of an encoded item.
private struct UnverifiedIssuerSignedItemID {
    let value: UInt64

    init(_ encoded: [UInt8]) throws {
        let item = try EncodedCBOR<Never>(CBORItem.parse(encoded[...])).item()
        value = try #require(try item.map()["digestID"]).unsigned()
    }
}

@Suite("Keys and bytes from a seed or from OpenSSL")
struct TestEntropyTests {
    @Test("A key on every curve, the same for the same seed, purpose and curve", arguments: Curve.allCases)
    func keys(curve: Curve) throws {
        let one = try TestEntropy.seed("s").key(on: curve, for: "a").encodedPoint
        #expect(one == (try TestEntropy.seed("s").key(on: curve, for: "a").encodedPoint))
        #expect(one != (try TestEntropy.seed("s").key(on: curve, for: "b").encodedPoint))
        #expect(one != (try TestEntropy.seed("t").key(on: curve, for: "a").encodedPoint))
        #expect(one != (try TestEntropy.openSSL.key(on: curve, for: "a").encodedPoint))
    }

    @Test("Bytes differ by purpose, and OpenSSL's each time")
    func bytes() throws {
        let seeded = TestEntropy.seed("s")
        #expect(try seeded.bytes(100, for: "a") == seeded.bytes(100, for: "a"))
        #expect(try seeded.bytes(16, for: "a") != seeded.bytes(16, for: "b"))
        #expect(try TestEntropy.openSSL.bytes(16, for: "a") != TestEntropy.openSSL.bytes(16, for: "a"))
    }
}

@Suite("The test portrait")
struct TestPortraitTests {
    /// The markers of a JPEG up to the scan, walked by their lengths; nil where a segment is none.
    private func markers(_ jpeg: [UInt8]) -> [UInt8]? {
        var (markers, index) = ([UInt8](), 2)
        while index + 4 <= jpeg.count, jpeg[index] == 0xff {
            while index < jpeg.count - 1, jpeg[index + 1] == 0xff { index += 1 }
            let marker = jpeg[index + 1]
            markers.append(marker)
            if marker == 0xda { return markers }
            index += 2 + Int(jpeg[index + 2]) << 8 + Int(jpeg[index + 3])
        }
        return nil
    }

    @Test(
        "A baseline JPEG of exactly the size asked for",
        arguments: [
            1861, 1862, 1863, 1864, 1865, 2000, 2048, 22_600, 67_395, 67_398, 67_399, 90_000, 300_000,
        ])
    func size(size: Int) throws {
        let jpeg = TestPortrait.jpeg(size: size)
        #expect(jpeg.count == size)
        #expect(jpeg.starts(with: [0xff, 0xd8, 0xff]))
        #expect(jpeg.suffix(2) == [0xff, 0xd9])
        let found = try #require(markers(jpeg))
        #expect(found.contains(0xc0))
        #expect(!found.contains(0xc2))
    }

    @Test("Below its own size the drawing is given as it is")
    func tooSmall() {
        #expect(TestPortrait.jpeg(size: 10).count == TestPortrait.minimumSize)
        #expect(TestPortrait.minimumSize < 2000)
    }
}
