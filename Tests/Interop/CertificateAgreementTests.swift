import Foundation
import PKIX
import OtherPrograms
import Testing
import VectorFiles

/// Certificates and CRLs that another implementation wrote, read by this one.
@Suite(
    "Certificates and CRLs, by others",
    .enabled(if: PythonCryptography.isThere, "\(PythonCryptography.missing)"))
struct CertificateAgreementTests {
    private struct Fact: Decodable {
        let kind: String
        let file: String
        let issuer: Int
        let flipped: Bool
        /// Whether the other reads it and the signature is the issuer's.
        let holds: Bool
        let start: Int64
        let end: Int64
        let serial: String?
        let ca: Bool?
        let pathLength: Int?
        let usage: UInt16?
        let purposes: [String]?
        let ski: String?
        let aki: String?
        let points: [String]?
        let number: String?
        let entries: [String: UInt8]?
    }

    @Test("All fields read alike, each signature holds, and nothing holds that does not for the other")
    func agreement() throws {
        let folder = try ScriptFolder([:])
        try withExtendedLifetime(folder) {
            let run = try PythonCryptography.run(certificateScript, folder.path)
            try #require(run.status == 0, "\(run.errors)")
            let root = URL(filePath: folder.path)
            let facts = try JSONDecoder().decode(
                [Fact].self, from: Data(contentsOf: root.appending(path: "facts.json")))
            #expect(facts.count == 240)
            #expect(facts.filter(\.flipped).allSatisfy { !$0.holds || $0.kind == "certificate" })
            for fact in facts {
                let der = try VectorFiles.bytes(of: root.appending(path: fact.file))
                let info = try VectorFiles.bytes(of: root.appending(path: "issuer-\(fact.issuer).der"))
                fact.kind == "certificate"
                    ? try compare(certificate: der, signedBy: info, with: fact)
                    : try compare(list: der, signedBy: info, with: fact)
            }
        }
    }

    private func key(_ info: [UInt8]) throws -> AuthorityKey {
        try SubjectPublicKeyInfo(der: info[...]).authorityKey()
    }

    private func compare(certificate der: [UInt8], signedBy info: [UInt8], with fact: Fact) throws {
        let key = try key(info)
        guard !fact.flipped else {
            let holds = (try? Certificate(der: der[...]).verifySignature(with: key)) != nil
            #expect(!holds || fact.holds, "\(fact.file)")
            return
        }
        let read = try Certificate(der: der[...])
        try read.verifySignature(with: key)
        #expect(fact.holds)
        #expect(read.version == 3)
        #expect(read.serialNumber.number == fact.serial)
        #expect(read.notBefore == fact.start && read.notAfter == fact.end)
        #expect(read.basicConstraints?.isCA == fact.ca)
        #expect(read.basicConstraints?.pathLength == fact.pathLength)
        #expect(read.keyUsage?.rawValue == fact.usage)
        #expect(read.extendedKeyUsage?.map(\.description) == fact.purposes)
        #expect(read.subjectKeyIdentifier?.hex == fact.ski)
        #expect(read.authorityKeyIdentifier?.hex == fact.aki)
        #expect(read.crlDistributionPointURIs == fact.points ?? [])
        #expect(read.deviations == [])
    }

    private func compare(list der: [UInt8], signedBy info: [UInt8], with fact: Fact) throws {
        let key = try key(info)
        guard !fact.flipped else {
            let holds = (try? CertificateRevocationList(der: der[...]).verifySignature(with: key)) != nil
            #expect(!holds || fact.holds, "\(fact.file)")
            return
        }
        let read = try CertificateRevocationList(der: der[...])
        try read.verifySignature(with: key)
        #expect(fact.holds)
        #expect(read.thisUpdate == fact.start && read.nextUpdate == fact.end)
        #expect((read.number ?? []).number == fact.number)
        let entries = try #require(fact.entries)
        #expect(read.count == entries.count)
        for (serial, reason) in entries {
            let padded = serial.count.isMultiple(of: 2) ? serial : "0" + serial
            let bytes = [UInt8](hex: padded)
            let contents = bytes.first ?? 0 > 0x7f ? [0] + bytes : bytes
            #expect(read.entry(serialNumber: contents[...])?.reason.rawValue == reason)
        }
        #expect(read.entry(serialNumber: [2]) == nil)
    }
}

extension ArraySlice where Element == UInt8 {
    /// A big-endian number in hexadecimal as `%x` writes it.
    fileprivate var number: String {
        let digits = hex.drop { $0 == "0" }
        return digits.isEmpty ? "0" : String(digits)
    }
}
