import CommandBench
import Foundation
import MdocWallet
import Testing

@Suite("Nothing personal in what is refused")
struct RequestSilenceTests {
    private static let asked =
        [
            "family_name", "given_name", "birth_date", "document_number", "issue_date", "sex", "height",
        ].flatMap { ["--element", "org.iso.18013.5.1/\($0)"] } + ["--portrait"]

    /// Values of the test licence that stand nowhere else, and its picture, in the forms they might leak in.
    private static let values: [String] = {
        let portrait = Data(TestPortrait.jpeg(size: TestPortrait.minimumSize).prefix(48))
        let hexadecimal = portrait.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return [
            "Testrup", "Ødegård", "Lumi", "Séraphine", "7700423519", "1984-", "1985-", "1986-", "1987-",
            String(hexadecimal.prefix(24)), String(hexadecimal.prefix(24)).uppercased(),
            String(portrait.base64EncodedString().prefix(16)),
            Data("Testrup".utf8).map { String($0, radix: 16) }.joined(),
            Data("7700423519".utf8).map { String($0, radix: 16) }.joined(),
        ]
    }()

    @Test(
        "Q200 If a presentation is refused, no output contains a value of the licence",
        arguments: [
            "device.signature_flipped", "device.no_device_auth", "mso.value_changed", "mso.portrait_changed",
            "mso.expired", "mso.wrong_digest_id", "x509.rogue_iaca", "issuer_auth.signature_flipped",
            "response.no_status", "response.element_twice", "response.document_twice", "cbor.truncated",
            "cbor.dup_namespace", "cbor.dup_key_item", "element.date_form", "session.tag_flipped",
            "session.trailing_bytes",
        ], [[], ["--json"]])
    func silence(_ fault: String, _ form: [String]) async throws {
        let link = try await WalletAtLink(["--fault", fault])
        let run = try await link.request(Self.asked + ["--strict"] + form)
        #expect(run.status == 2 || run.status == 65, "\(run.errors)")
        let wallet = try await CommandRun(link.wallet)
        for value in Self.values {
            #expect(!run.everything.contains(value), "\(value)")
            #expect(!wallet.everything.contains(value), "\(value)")
        }
    }

    @Test("The values looked for are those of the licence: a verified response shows them")
    func twin() async throws {
        let run = try await WalletAtLink().request(Self.asked + ["--json"])
        #expect(run.status == 0)
        for value in ["Testrup", "Ødegård", "Lumi", "Séraphine", "7700423519"] {
            #expect(run.output.contains(value))
            #expect(!run.errors.contains(value))
        }
        let link = try await WalletAtLink(["--portrait-size", "\(TestPortrait.minimumSize)"])
        defer { withExtendedLifetime(link) {} }
        let path = link.path("trace")
        #expect(try await link.request(Self.asked + ["--trace", path]).status == 0)
        // Encrypted, a value is not in the trace either.
        let trace = try String(contentsOfFile: path, encoding: .utf8)
        for value in Self.values { #expect(!trace.contains(value), "\(value)") }
    }
}
