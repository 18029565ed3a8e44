import CommandBench
import MdocModel
import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing

/// `verify` on documents whose signer writes its country in another form than the profile asks for.
@Suite("verify, the signer's country")
struct VerifyCountryTests {
    /// The name with the country in another string type, as a certificate of that name has it.
    private static func subject(_ tag: UInt8) throws -> DistinguishedName {
        var der = try TestAuthority([(.countryName, "XX"), (.commonName, "Utopia DS")]).der
        let country: [UInt8] = [0x06, 3, 0x55, 4, 6, DERTag.printableString, 2]
        for place in der.indices.dropLast(country.count) where der[place..<place + 7].elementsEqual(country) {
            der[place + 5] = tag
        }
        return try Certificate(der: der[...]).subject
    }

    @Test(
        "Q237 A country that is not a PrintableString is reported with its type, and refused under --strict",
        arguments: [
            (DERTag.utf8String, "UTF8String"), (DERTag.ia5String, "IA5String"),
            (DERTag.printableString, nil),
        ] as [(UInt8, String?)])
    func stringType(_ tag: UInt8, _ name: String?) throws {
        let folder = try TemporaryFolder()
        let root = try TestAuthority.ofACountry()
        let subject = try Self.subject(tag)
        let issuer = try TestIssuer(authority: root) { template in
            var changed = template
            changed.subject = subject
            return changed
        }
        let session = try TestSession()
        let document = try TestDocument([.init("family_name", Encoded.text("Quillfeather"))])
        let arguments = [
            "verify", "--response",
            try folder.write(issuer.response([document], in: session.transcript), as: "r"),
            "--transcript", try folder.write(Array(session.transcript.encoded), as: "t"), "--trust",
            try folder.write(root.der, as: "root.der"), "--at", TrustScene.time,
        ]
        let lenient = try CommandRun(arguments)
        let strict = try CommandRun(arguments + ["--strict"])
        #expect(lenient.status == 0 && strict.status == (name == nil ? 0 : 2), "\(strict.everything)")
        for run in [lenient, strict] {
            let sentence = "the document signer's country is not two capital letters in a PrintableString"
            #expect(run.output.contains(sentence) == (name != nil), "\(run.output)")
            if let name { #expect(run.output.contains("it is a \(name)  [x509.ds_country_form]")) }
        }
    }
}
