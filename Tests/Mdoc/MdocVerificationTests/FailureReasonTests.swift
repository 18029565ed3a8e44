import CBOR
import COSE
import MdocModel
import OpenSSLCrypto
import TestCredentials
import Testing

@testable import MdocVerification

@Suite("Failures with separate ids")
struct FailureReasonTests {
    private func failures(
        of document: TestDocument, rewriting response: ([UInt8]) throws -> [UInt8] = { $0 }
    ) throws -> [CheckReport] {
        let presentation = try Presentation(document)
        return switch try presentation.verdict(on: response(presentation.response())) {
        case .verified: []
        case .rejected(let rejected): rejected.allFailures
        }
    }

    /// A key whose x begins with a zero byte, as one of 256 does.
    private static func keyWithLeadingZero() throws -> TestKey {
        for number in 1...UInt16.max {
            let scalar = [UInt8](repeating: 0, count: 30) + [UInt8(number >> 8), UInt8(number & 0xff)]
            let key = try TestKey(scalar: scalar)
            if key.privateKey.x.first == 0 { return key }
        }
        throw NoSuchKey()
    }

    private struct NoSuchKey: Error {}

    @Test(
        "Q218 A device key whose x lacks its leading zero byte is refused by that id, and the whole one is not"
    )
    func shortCoordinate() throws {
        let key = try Self.keyWithLeadingZero()
        var document = try TestDocument([.familyName], deviceKey: key)
        #expect(try failures(of: document) == [])
        let (x, y) = (key.privateKey.x, key.privateKey.y)
        let whole = COSEKey.encode(curve: .p256, x: x, y: y)
        let short = COSEKey.encode(curve: .p256, x: Array(x.dropFirst()), y: y)
        document.rewriteMSO = { bytes in
            guard let place = bytes.firstRange(of: whole) else { return bytes }
            return Array(bytes[..<place.lowerBound]) + short + Array(bytes[place.upperBound...])
        }
        let found = try failures(of: document)
        #expect(
            found == [.failed(.deviceAuthentication, .cose(.coordinateTooShort(count: 31, size: 32)))])
        #expect(found.map(\.reason?.rawValue) == ["device_key.coordinate_too_short"])
        #expect(found.first?.explanation.contains("31 bytes instead of 32") == true)
    }

    @Test("Q219 A device signature that carries its payload is refused by that id, and a detached one is not")
    func attachedPayload() throws {
        let document = try TestDocument([.familyName])
        #expect(try failures(of: document) == [])
        let detached: [UInt8] = [0xa0, 0xf6, 0x58, 0x40]
        let found = try failures(of: document) { response in
            let place = try #require(response.firstRange(of: detached))
            let attached: [UInt8] = [0xa0, 0x41, 0x00, 0x58, 0x40]
            return Array(response[..<place.lowerBound]) + attached + Array(response[place.upperBound...])
        }
        #expect(found == [.failed(.deviceAuthentication, .devicePayloadAttached)])
        #expect(found.map(\.reason?.rawValue) == ["device_signature.payload_attached"])
    }

    @Test("Other failures have no id but that of their check")
    func others() throws {
        #expect(CheckFailure.cose(.keyNotUsable).reason == nil)
        #expect(CheckReport(id: .validity, outcome: .passed).reason == nil)
        #expect(Set(FailureReason.allCases.map(\.rawValue)).count == 4)
    }
}
