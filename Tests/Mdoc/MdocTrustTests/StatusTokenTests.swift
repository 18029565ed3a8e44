import CBOR
import COSE
import Foundation
import MdocModel
import MdocTrust
import OpenSSLCrypto
import TestCredentials
import Testing
import VectorFiles

@Suite("Status lists")
struct StatusListTests {
    private func list(bits: UInt64, _ compressed: [UInt8], limit: Int = StatusList.maximumSize) throws
        -> StatusList
    {
        let item = Encoded.map([("bits", Encoded.unsigned(bits)), ("lst", Encoded.bytes(compressed))])
        return try StatusList(CBORItem.parse(item[...]), limit: limit)
    }

    private func value(_ number: UInt8) -> StatusList.Value {
        switch number {
        case 0: .valid
        case 1: .invalid
        case 2: .suspended
        default: .other(number)
        }
    }

    /// draft-ietf-oauth-status-list, 4.1 and 4.2, and lists of the same bytes read by other widths.
    @Test(
        "Statuses of 1, 2, 4 and 8 bits are read from the least significant bits on, and none beyond the list",
        arguments: [
            (1, [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1]), (2, [1, 2, 3, 2, 3, 0, 2, 2]),
            (4, [9, 11, 3, 10]), (8, [185, 163]),
        ] as [(UInt64, [UInt8])])
    func published(_ bits: UInt64, _ statuses: [UInt8]) throws {
        let list = try list(bits: bits, TestStatusToken.published)
        #expect(list.count == statuses.count)
        for (index, status) in statuses.enumerated() { #expect(list[UInt64(index)] == value(status)) }
        for index in [UInt64(statuses.count), 1 << 40, .max] { #expect(list[index] == nil) }
    }

    @Test(
        "Q181 A status of 3 bits, or of any other number, is refused",
        arguments: [0, 3, 5, 16, .max] as [UInt64])
    func bits(_ bits: UInt64) throws {
        #expect(throws: StatusTokenError.bitsWrong(bits)) { try list(bits: bits, TestStatusToken.published) }
    }

    @Test("A list that is cut off, changed, followed by a byte, or not compressed is refused by name")
    func malformed() throws {
        let whole = TestStatusToken.published
        for count in whole.indices {
            #expect(throws: StatusTokenError.listNotCompressed) { try list(bits: 1, Array(whole[..<count])) }
        }
        var changed = whole
        changed[changed.count - 1] ^= 1
        for other in [changed, whole + [0], [0xb9, 0xa3]] {
            #expect(throws: StatusTokenError.listNotCompressed) { try list(bits: 1, other) }
        }
    }

    @Test("Q200 A list opens to its limit, and one byte more is refused")
    func limit() throws {
        // 64 KiB of zeros as zlib writes them.
        let zeros = [UInt8](
            hex:
                "78daedc101010000008090feafee080a0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000006a000f0001"
        )
        let size = 1 << 16
        #expect(try list(bits: 8, zeros, limit: size).count == size)
        #expect(throws: StatusTokenError.listTooLong) { try list(bits: 8, zeros, limit: size - 1) }
    }
}

@Suite("Status tokens")
struct StatusTokenTests {
    private func parse(_ token: TestStatusToken) throws -> StatusToken {
        try StatusToken(token.encoded()[...])
    }

    @Test(
        "A token gives its kind, subject and dates",
        arguments: [StatusToken.Kind.statusList, .identifierList])
    func claims(_ kind: StatusToken.Kind) throws {
        let token = try parse(TestStatusToken(kind, authority: TestAuthority()))
        #expect(token.kind == kind)
        #expect(token.subject == TestStatusToken.uri)
        #expect(token.issued.secondsSince1970 == TestAuthority.now - 3600)
        #expect(token.expires?.secondsSince1970 == TestAuthority.now + TestAuthority.day)
        #expect(token.timeToLive == 43_200)
        switch kind {
        case .statusList:
            #expect(try token.statusList().count == 16)
            #expect(throws: StatusTokenError.typeWrong) { try token.identifiers() }
        case .identifierList:
            #expect(try token.identifiers().identifiers.isEmpty)
            #expect(throws: StatusTokenError.typeWrong) { try token.statusList() }
        }
    }

    @Test("Q181 A token without a type, or of another, is refused: a JWT's as well")
    func types() throws {
        for type in [nil, "application/statuslist+jwt", "application/cwt", ""] {
            var token = try TestStatusToken(authority: TestAuthority())
            token.type = type
            #expect(throws: StatusTokenError.typeWrong) { try parse(token) }
        }
        #expect(throws: StatusTokenError.text(.jwt)) {
            try StatusToken(Array("eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.AA".utf8)[...])
        }
    }

    @Test(
        "Q229 The type may be the number of its CoAP content format, or its name in other letters; no other number is"
    )
    func contentFormat() throws {
        var token = try TestStatusToken(authority: TestAuthority())
        token.encodedType = Encoded.unsigned(279)
        #expect(try parse(token).kind == .statusList)
        token.encodedType = Encoded.text("Application/StatusList+CWT")
        #expect(try parse(token).kind == .statusList)
        for other in [
            Encoded.unsigned(278), Encoded.unsigned(280), Encoded.text("279"), Encoded.bytes([1, 23]),
        ] {
            token.encodedType = other
            #expect(throws: StatusTokenError.typeWrong) { try parse(token) }
        }
    }

    private func withDates(_ date: [UInt8]) throws -> TestStatusToken {
        var token = try TestStatusToken(authority: TestAuthority())
        (token.issued, token.expires, token.timeToLive) = (nil, nil, nil)
        token.moreClaims = [(6, date), (4, date), (65_534, date)]
        return token
    }

    private func float(_ number: Double) -> [UInt8] {
        [0xfb] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }
    }

    @Test("Q229 Dates and the time to live may be floats of any width, and are rounded down to seconds")
    func floats() throws {
        for (bytes, seconds) in [
            (float(1_793_534_400.75), 1_793_534_400), (float(1_793_534_400), 1_793_534_400),
            ([0xfa, 0x4e, 0xd5, 0xce, 0x28], Int64(Float(bitPattern: 0x4ed5_ce28))), ([0xf9, 0x3c, 0x00], 1),
            (Encoded.tagged(1, float(5.5)), 5),
        ] as [([UInt8], Int64)] {
            var token = try withDates(bytes)
            if bytes[0] == 0xc1 { token.moreClaims.removeLast() }
            let parsed = try parse(token)
            #expect(parsed.issued.secondsSince1970 == seconds)
            #expect(parsed.expires?.secondsSince1970 == seconds)
        }
    }

    @Test(
        "Q229 A float that is no date is refused: negative, not finite, or beyond all years",
        arguments: [-1, -0.5, .nan, .infinity, -.infinity, 1e300, 253_402_300_800, 1e19] as [Double])
    func noDate(_ number: Double) throws {
        let error = #expect(throws: StatusTokenError.self) { try parse(withDates(float(number))) }
        guard case .malformed(.outOfRange) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "Q229 A text in place of CBOR is named as what it is",
        arguments: [
            ("eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.AA", TextForm.jwt),
            ("\u{feff}eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.AA\r\n", .jwt),
            (#"{"status_list": {}}"#, .json), (" [1]", .json), (#""eyJ.e.A""#, .json),
            ("<!DOCTYPE html><html></html>", .markup), ("\n<html>not found</html>", .markup),
            ("d2845820a10126a0" + "d2845820a10126a0", .hexadecimal),
            ("D284 5820 A101 26A0 5820", .hexadecimal),
            ("0oRYIKEBJqBYINKEWCChASag\n0oRYIKEBJqBYIA==", .base64), ("0oRYIKEBJqBYINKEWCChASag_-8", .base64),
            ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", .pem),
        ] as [(String, TextForm)])
    func textForms(_ text: String, _ form: TextForm) throws {
        #expect(throws: StatusTokenError.text(form)) { try StatusToken([UInt8](text.utf8)[...]) }
    }

    @Test("Bytes that are no text of a known form are named as malformed CBOR")
    func noText() throws {
        for bytes in [[], [0x3c, 0x00], Array("hello".utf8), [0x7b, 0xff], [0xd2, 0x84]] as [[UInt8]] {
            let error = #expect(throws: StatusTokenError.self) { try StatusToken(bytes[...]) }
            if case .text = error { Issue.record("\(bytes)") }
        }
    }

    @Test("Each claim that has to be there is asked for by its number")
    func missing() throws {
        let whole = try TestStatusToken(authority: TestAuthority())
        _ = try parse(whole)
        var token = whole
        token.subject = nil
        #expect(throws: StatusTokenError.claimMissing(2)) { try parse(token) }
        token = whole
        token.issued = nil
        #expect(throws: StatusTokenError.claimMissing(6)) { try parse(token) }
        token = whole
        token.expires = nil
        #expect(try parse(token).gaps == [.claimMissing(4)])
        token = whole
        token.timeToLive = nil
        #expect(try parse(token).timeToLive == nil)
        token = whole
        token.type = StatusToken.Kind.identifierList.rawValue
        #expect(throws: StatusTokenError.claimMissing(65_530)) { try parse(token) }
        token = try TestStatusToken(.identifierList, authority: TestAuthority())
        token.type = StatusToken.Kind.statusList.rawValue
        #expect(throws: StatusTokenError.claimMissing(65_533)) { try parse(token) }
    }

    @Test("A token cut off anywhere is refused")
    func truncated() throws {
        let bytes = try TestStatusToken(authority: TestAuthority()).encoded()
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: StatusTokenError.malformed(.truncated(at: count))) {
                try StatusToken(bytes[..<count])
            }
        }
    }
}
