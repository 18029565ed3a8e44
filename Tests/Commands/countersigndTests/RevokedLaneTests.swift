import Foundation
import MdocWallet
import OpenSSLCrypto
import OtherPrograms
import PCSCBench
import PKIX
import PresentationStage
import TestCredentials
import Testing

@Suite(
    "A revoked licence at a reader, from the issuer's list to the outcome", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct RevokedLaneTests {
    private static let entropy = TestEntropy.seed("an issuer that revokes its signer")

    /// The list of the customers' issuer, with this serial number.
    private func list(of customers: Customers, _ serialNumber: [UInt8]) throws -> [UInt8] {
        let root = try Certificate(der: customers.root[...])
        let key = TestKey(try Self.entropy.key(on: .p256, for: "root"))
        var list = TestRevocationList(try TestAuthority(key: key), [.init(serialNumber)])
        list.issuer = root.subject
        list.thisUpdate = Int64(Date().timeIntervalSince1970) - 3_600
        list.nextUpdate = list.thisUpdate + 30 * TestAuthority.day
        return try list.encoded()
    }

    @Test(
        "It is denied where its signer is in the list, and allowed where another is",
        arguments: [true, false])
    func revoked(_ isRevoked: Bool) async throws {
        let customers = try Customers(entropy: Self.entropy)
        let device = #""reader": "\#(VirtualBench.first)", "transport": "nfc""#
        let daemon = try await ReaderDaemon(lanes: [], readers: [device], roots: [customers.root])
        let signer = try Certificate(der: customers.presented.issuer.signer[...])
        let number = isRevoked ? Array(signer.serialNumber) : [0x41, 1, 2, 3]
        let file = daemon.folder.appending(path: "issuer.crl").path
        try Data(list(of: customers, number)).write(to: URL(filePath: file))
        let importing = try BuiltProgram(
            "countersign", ["trust", "import", file, "--store", daemon.folder.path + "/store"])
        try #require(try await importing.ended() == 0, "\(importing.output) \(importing.errors)")
        let reader = try VirtualReader()
        defer { reader.lift() }
        let id = try await daemon.order(#", "retention": "receipt""#)
        let states = try await daemon.end(of: id) { state in
            if state == "armed" { try await reader.hold(customers.phone()) }
        }
        #expect(states.last == (isRevoked ? "rejected" : "verified"))
        let over = try await daemon.asApp.call("GET", "/v1/presentations/\(id)").json()
        #expect(over["outcome"] as? String == (isRevoked ? "deny" : "allow"))
        #expect(over["reasons"] as? [String] == (isRevoked ? ["revocation"] : []))
        let answers = (over["result"] as? [String: Any])?["answers"] as? [[String: String]]
        #expect(answers?.map { $0["answer"] } == [isRevoked ? "unknown" : "yes"])
        let receipt = try await daemon.asApp.call("GET", "/v1/receipts/1").json()
        let statement = try #require(receipt["statement"] as? [String: Any])
        #expect(statement["outcome"] as? String == (isRevoked ? "deny" : "allow"))
    }
}
