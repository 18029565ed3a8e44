import Foundation
import PKIX
import TestCredentials
import Testing

/// A part of a CRL that is written wrong, and the words for it.
struct UnreadablePart: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let part: CRLPart
    /// The bytes that are replaced, and those in their place, which are as many.
    let replacement: (old: [UInt8], new: [UInt8])

    init(_ text: String, _ part: CRLPart, _ old: [UInt8], _ new: [UInt8]) {
        testDescription = text
        self.part = part
        replacement = (old, new)
    }
}

@Suite("CRLs with parts that cannot be read")
struct RevocationListGapTests {
    private static let uri = "https://utopia.example/crl"

    /// A list with two entries, a distribution point and every extension that is read.
    private func list() throws -> TestRevocationList {
        var list = TestRevocationList(try TestAuthority(), [.init([1], reason: 1), .init([3], reason: 6)])
        list.nextUpdate = 1_796_126_400
        list.extensions.append(.issuingDistributionPoint(uri: Self.uri, flags: [1]))
        return list
    }

    /// DER of the parts of `list()`.
    private enum Part {
        static let number: [UInt8] = [6, 3, 0x55, 0x1d, 0x14, 4, 3, 2, 1, 7]
        static let keyIdentifier: [UInt8] = [6, 3, 0x55, 0x1d, 0x23, 4, 0x18, 0x30, 0x16, 0x80, 0x14]
        static let nextUpdate = Array("261201120000Z".utf8)
        static let pointHead: [UInt8] = [6, 3, 0x55, 0x1d, 0x1c, 1, 1, 0xff, 4]
        static let pointFlag: [UInt8] = [0x81, 1, 0xff]
    }

    private static func changed(_ part: [UInt8], _ change: (inout [UInt8]) -> Void) -> ([UInt8], [UInt8]) {
        var new = part
        change(&new)
        return (part, new)
    }

    private static func unreadable(
        _ text: String, _ part: CRLPart, _ bytes: [UInt8], _ change: (inout [UInt8]) -> Void
    ) -> UnreadablePart {
        let (old, new) = changed(bytes, change)
        return UnreadablePart(text, part, old, new)
    }

    static let parts: [UnreadablePart] = [
        unreadable("a negative number", .number, Part.number) { $0[9] = 0x87 },
        unreadable("a number of another type", .number, Part.number) { $0[7] = 4 },
        unreadable("a number longer than its place", .number, Part.number) { $0[8] = 2 },
        unreadable("an identifier of another type", .authorityKeyIdentifier, Part.keyIdentifier) {
            $0[7] = 0x31
        },
        unreadable("an identifier with a wrong length", .authorityKeyIdentifier, Part.keyIdentifier) {
            $0[10] = 0x13
        },
        unreadable("a date without its Z", .nextUpdate, Part.nextUpdate) { $0[12] = UInt8(ascii: "0") },
        unreadable("a date that no calendar has", .nextUpdate, Part.nextUpdate) { $0[2] = UInt8(ascii: "9") },
        unreadable("TRUE as 01", .issuingDistributionPoint, Part.pointFlag) { $0[2] = 1 },
        unreadable("TRUE as 80", .issuingDistributionPoint, Part.pointFlag) { $0[2] = 0x80 },
        unreadable("a field without a meaning", .issuingDistributionPoint, Part.pointFlag) { $0[0] = 0x86 },
        unreadable("a critical flag of 01", .issuingDistributionPoint, Part.pointHead) { $0[7] = 1 },
        unreadable(
            "an identifier that ends in an arc", .otherExtension(nil), Part.number
        ) { $0[4] = 0x94 },
    ]

    @Test(
        "Q241 A part that cannot be read is named, and the entries are read all the same", arguments: parts)
    func named(_ fault: UnreadablePart) throws {
        var der = try list().encoded()
        #expect(try CertificateRevocationList(der: der[...]).gaps == [])
        let place = try #require(der.lastRange(of: fault.replacement.old))
        der.replaceSubrange(place, with: fault.replacement.new)
        let read = try CertificateRevocationList(der: der[...])
        guard case .crlPartUnreadable(fault.part, let reason)? = read.incompleteness else {
            Issue.record("\(read.gaps)")
            return
        }
        #expect(read.gaps.count == 1)
        #expect(read.incompleteness?.offset == reason.offset && reason.offset ?? -9 >= place.lowerBound - 2)
        let words = try #require(read.incompleteness).explanation
        #expect(words.contains("CRL") && words.contains("cannot be read: "), "\(words)")
        #expect(read.entry(serialNumber: [1])?.reason == .keyCompromise)
        #expect(read.entry(serialNumber: [3])?.reason == .certificateHold)
        #expect(read.entry(serialNumber: [4]) == nil)
    }

    @Test("Q241 Every part that cannot be read is named, not the first alone")
    func several() throws {
        var list = try list()
        (list.version, list.nextUpdate) = (nil, nil)
        list.extensions[1] = CertificateExtension(oid: .crlNumber, isCritical: false, value: [2, 1, 0xff])
        let gaps = try CertificateRevocationList(der: list.encoded()[...]).gaps
        #expect(gaps.prefix(2) == [.crlVersionWrong, .crlNextUpdateMissing])
        guard gaps.count == 3, case .crlPartUnreadable(.number, .valueMalformed) = gaps[2] else {
            Issue.record("\(gaps)")
            return
        }
    }

    @Test("Q241 An extension that is there twice, and more extensions than the limit, are gaps")
    func extensions() throws {
        var list = try list()
        list.extensions.append(list.extensions[1])
        guard
            case .duplicateExtension? = try CertificateRevocationList(der: list.encoded()[...]).incompleteness
        else {
            Issue.record("no gap")
            return
        }
        list.extensions = (0..<65).map { number in
            CertificateExtension(ObjectIdentifier(encoded: [0x2a, 3, UInt8(number)]) ?? .crlNumber) {
                $0.writeBoolean(true)
            }
        }
        guard
            case .crlPartUnreadable(.extensions, .limitExceeded)? =
                try CertificateRevocationList(der: list.encoded()[...]).incompleteness
        else {
            Issue.record("no limit")
            return
        }
    }

    @Test("Q241 Flags that say that the entries are of others count in whatever way they are written")
    func others() throws {
        for (flag, error) in [(0x84, PKIXError.indirectCRL), (0x85, .crlOfOtherScope)] as [(UInt8, PKIXError)]
        {
            for byte: UInt8 in [0xff, 0x01, 0x80] {
                for isCritical in [true, false] {
                    var list = try list()
                    list.extensions[2] = CertificateExtension(
                        oid: .issuingDistributionPoint, isCritical: isCritical,
                        value: [0x30, 5, 0xa0, 0, flag, 1, byte])
                    #expect(throws: error) { try CertificateRevocationList(der: list.encoded()[...]) }
                    list.extensions[2] = CertificateExtension(
                        oid: .issuingDistributionPoint, isCritical: isCritical,
                        value: [0x30, 5, 0xa0, 0, flag, 1, 0])
                    #expect(try CertificateRevocationList(der: list.encoded()[...]).count == 2)
                }
            }
        }
    }

    @Test("Q241 Entries behind one whose end cannot be found are not known, and those before it revoke")
    func brokenEntry() throws {
        let list = TestRevocationList(
            try TestAuthority(), [.init([1], reason: 1), .init([5, 5, 5]), .init([6])])
        var der = try list.encoded()
        let serial = try #require(der.firstRange(of: [2, 3, 5, 5, 5]))
        // The length of the entry.
        der[serial.lowerBound - 1] = 0x7f
        let read = try CertificateRevocationList(der: der[...])
        #expect(read.incompleteness != nil)
        #expect(read.entry(serialNumber: [1])?.reason == .keyCompromise)
        #expect(read.entry(serialNumber: [6]) == nil)
        #expect(read.count == 1)
    }
}
