import COSE
import Foundation
import MdocModel
import OpenSSLCrypto
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Nothing personal in descriptions")
struct RedactionTests {
    /// What must not show: the value as text, as hexadecimal digits and as a list of numbers.
    private static let traces = [
        "Mustermann", "4d757374", "77, 117, 115, 116", "2031-07-09", "5a5a5a", "90, 90, 90",
    ]

    private func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(describing: value), String(reflecting: value), dumped]
    }

    private func expectNothing(_ value: Any, location: SourceLocation = #_sourceLocation) {
        for text in texts(value) {
            for trace in Self.traces {
                #expect(
                    !text.localizedLowercase.contains(trace.lowercased()), "\(trace)",
                    sourceLocation: location)
            }
        }
    }

    private func document() throws -> TestDocument {
        try TestDocument([
            .familyName, .init("birth_date", Encoded.day("2031-07-09")), .portrait, .age(21, true),
        ])
    }

    @Test("Q200 The twin: a value that is printed does show")
    func twin() {
        #expect(texts("Mustermann").allSatisfy { $0.contains("Mustermann") })
        #expect(texts(Array("Must".utf8)).allSatisfy { text in text.contains("77") })
    }

    @Test("Q200 Descriptions of a verified response, its documents, elements and reports show no value")
    func verified() throws {
        let response = try Presentation(document()).verified()
        expectNothing(Judgement.verified(response))
        expectNothing(response)
        expectNothing(response.reports)
        expectNothing(response.notReturned)
        for document in response.documents {
            expectNothing(document)
            expectNothing(document.validityInfo)
            expectNothing(document.isAgeAtLeast(18))
            expectNothing(document.isCurrent)
            expectNothing(document.issuer)
            for element in document.elements {
                expectNothing(element)
                expectNothing(element.value)
            }
        }
    }

    @Test("Q200 A rejected response and each failure")
    func rejected() throws {
        var expired = try document()
        expired.validUntil = Encoded.instant("2026-10-30T00:00:00Z")
        expired.deviceElements = [.familyName]
        expired.deviceAuth = .none
        var presentation = try Presentation(expired, asking: ["portrait"])
        presentation.moreMembers = [("status", [0x0a])]
        let rejected = try presentation.rejected()
        expectNothing(Judgement.rejected(rejected))
        expectNothing(rejected)
        for check in rejected.reports.flatMap(\.checks) {
            if case .failed(let failure) = check.outcome { expectNothing(failure) }
        }
    }

    @Test("Q200 A response whose value was changed names the element, not the value")
    func changedValue() throws {
        let presentation = try Presentation(document())
        var bytes = try presentation.response()
        let value = Array("Mustermann".utf8)
        let index = try #require(bytes.indices.first { bytes[$0...].starts(with: value) })
        bytes[index + 9] = UInt8(ascii: "m")
        let rejected = try presentation.rejected(on: bytes)
        #expect(rejected.allFailures == [.failed(.digests, .digestMismatch(.mDL("family_name")))])
        expectNothing(rejected)
    }

    @Test("Q200 What cannot be read tells where, not what")
    func errors() throws {
        var bytes = try Presentation(document()).response()
        bytes[bytes.count / 2] ^= 0xff
        do {
            expectNothing(try UnverifiedResponse(bytes[...]))
        } catch {
            expectNothing(error)
        }
        let good = try UnverifiedResponse(Presentation(document()).response()[...])
        expectNothing(good)
        expectNothing(good.documents)
        expectNothing(good.documents[0].deviceSigned)
        expectNothing(good.documents[0].nameSpaces[0].items)
    }

    @Test("Q200 The context of a verification shows no key")
    func context() throws {
        let presentation = try Presentation(document())
        let scalar = try presentation.session.readerKey.privateKey.withUnprotectedScalar { Array($0) }
        for text in texts(try presentation.context()) {
            #expect(!text.contains(scalar.map { "\($0)" }.joined(separator: ", ")))
        }
    }
}
