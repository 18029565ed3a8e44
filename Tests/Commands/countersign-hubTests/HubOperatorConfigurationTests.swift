import Foundation
import JSON
import OpenSSLCrypto
import Testing

@testable import countersign_hub

@Suite("The section operators of a hub's file")
struct HubOperatorConfigurationTests {
    private func operators(_ digests: [String]) throws -> [[UInt8]] {
        let list = digests.enumerated().map { #"{ "name": "o\#($0)", "sha256": "\#($1)" }"# }
        let section = list.joined(separator: ", ")
        let text = try HubStage().json.replacing("\n}", with: ",\n  \"operators\": [\(section)]\n}")
        return try HubConfiguration(Array(text.utf8)).operators
    }

    @Test("Two operators have two tokens: one digest twice, and that of no text, are faults of the file")
    func digests() throws {
        let (one, two) = (String(repeating: "1a", count: 32), String(repeating: "2b", count: 32))
        #expect(try operators([one, two]).count == 2)
        #expect(throws: JSONFault.self) { try operators([one, one]) }
        #expect(throws: JSONFault.self) { try operators([one, one.uppercased()]) }
        for empty in ["", "\n", " "] {
            let digest = Digest(.sha256, of: Array(empty.utf8)[...]).bytes
            let text = digest.map { String(format: "%02x", $0) }.joined()
            #expect(throws: JSONFault.self) { try operators([text]) }
        }
    }
}
