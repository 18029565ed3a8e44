import TestCredentials
import Testing
import VectorFiles

@testable import WalletPresentation

@Suite("Nothing personal in descriptions of presentations")
struct RedactionTests {
    private func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped]
    }

    private func expectNothing(
        _ value: Any, of shop: Shop, location: SourceLocation = #_sourceLocation
    ) {
        let nonce = shop.nonce.bytes.prefix(6)
        let traces = ["Mustermann", nonce.hex, nonce.map(String.init).joined(separator: ", ")]
        for text in texts(value) {
            for trace in traces { #expect(!text.contains(trace), sourceLocation: location) }
        }
    }

    @Test("Q200 Neither what is opened nor a verdict nor a nonce shows a value")
    func presentations() throws {
        var shop = try Shop()
        let envelope = try WalletEnvelope(shop.envelope().encoded[...])
        let opened = try envelope.open(
            with: [shop.key], as: shop.merchant, answering: SpentNonce.acceptingReplays(of: shop.nonce))
        expectNothing(envelope, of: shop)
        expectNothing(opened, of: shop)
        expectNothing(opened.verify(in: shop.context), of: shop)
        expectNothing(shop.nonce, of: shop)
        expectNothing(try shop.encryptionInfo(), of: shop)
        shop.documents[0].deviceAuth = .mac
        let rejected = try WalletEnvelope(shop.envelope().encoded[...]).open(
            with: [shop.key], as: shop.merchant, answering: SpentNonce.acceptingReplays(of: shop.nonce)
        ).verify(in: shop.context)
        expectNothing(rejected, of: shop)
    }

    @Test("Q200 The twin: bytes that are printed do show")
    func twin() {
        #expect(texts([UInt8]([77, 117])).allSatisfy { $0.contains("77") })
    }
}
