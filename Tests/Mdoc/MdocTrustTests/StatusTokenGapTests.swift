import CBOR
import MdocModel
import MdocTrust
import PKIX
import TestCredentials
import Testing

/// A claim that is missing, cannot be read, or is not allowed, in a token that is otherwise as it has to be.
struct ClaimFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout TestStatusToken) -> Void

    private init(_ text: String, _ change: @escaping @Sendable (inout TestStatusToken) -> Void) {
        testDescription = text
        self.change = change
    }

    private static func expiry(_ text: String, _ value: [UInt8]) -> ClaimFault {
        ClaimFault("exp \(text)") { token in
            token.expires = nil
            token.moreClaims.append((4, value))
        }
    }

    private static func timeToLive(_ text: String, _ value: [UInt8]) -> ClaimFault {
        ClaimFault("ttl \(text)") { token in
            token.timeToLive = nil
            token.moreClaims.append((65_534, value))
        }
    }

    /// The first of the faults.
    static let noExpiry = ClaimFault("no exp") { $0.expires = nil }

    static let all: [ClaimFault] = [
        noExpiry, expiry("null", [0xf6]), expiry("undefined", [0xf7]), expiry("true", [0xf5]),
        expiry("text", Encoded.text("2026-12-01T00:00:00Z")), expiry("a byte string", Encoded.bytes([1])),
        expiry("before all years", [0x3b] + [UInt8](repeating: 0xff, count: 8)),
        expiry("beyond all years", [0x1b] + [UInt8](repeating: 0xff, count: 8)),
        expiry("not a number", [0xf9, 0x7e, 0x00]), expiry("a list", [0x80]),
        timeToLive("null", [0xf6]), timeToLive("0", [0]), timeToLive("negative", [0x20]),
        timeToLive("text", Encoded.text("43200")), timeToLive("a map", [0xa0]),
        timeToLive("beyond 64 bits", [0x1b] + [UInt8](repeating: 0xff, count: 8)),
        ClaimFault("no exp, and ttl null") { token in
            (token.expires, token.timeToLive) = (nil, nil)
            token.moreClaims.append((65_534, [0xf6]))
        },
    ]

    /// Faults of an identifier list alone.
    static let ofIdentifierLists: [ClaimFault] = [
        ClaimFault("a status list that is null") { $0.moreClaims.append((65_533, [0xf6])) },
        ClaimFault("a status list beside the identifiers") { token in
            let list = [("bits", Encoded.unsigned(1)), ("lst", Encoded.bytes(TestStatusToken.published))]
            token.moreClaims.append((65_533, Encoded.map(list)))
        },
    ]
}

@Suite("Status and identifier lists with claims that cannot be read")
struct StatusTokenGapTests {
    private let now = Timestamp(secondsSince1970: TestAuthority.now)

    /// The store's root, and a CRL that lists nobody.
    private func start(_ lists: SignerWithLists) throws -> TrustSnapshot {
        let list = try TestRevocationList(lists.authority).encoded()
        return TrustSnapshot([
            .test(.anchor, "root", lists.authority.der), .test(.revocationList, "crl", list),
        ])
    }

    private func source(_ token: TestStatusToken) throws -> TrustSource {
        let kind: TrustSource.Kind = token.kind == .statusList ? .statusList : .identifierList
        return .test(kind, TestStatusToken.uri, try token.encoded())
    }

    /// The state of the document at a place of the status list, or of that number in the identifier list.
    private func state(
        _ number: UInt64, _ token: TestStatusToken, _ snapshot: TrustSnapshot, _ lists: SignerWithLists,
        later: Int64 = 0
    ) throws -> RevocationFinding {
        var lists = lists
        lists.sources = snapshot.sources.filter { $0.kind != .anchor }
        lists.now += later
        switch token.kind {
        case .statusList: try lists.point(token.reference(index: number))
        case .identifierList: try lists.point(token.reference(identifier: [UInt8(number)]))
        }
        return try lists.finding()
    }

    /// A list of each kind in which 0 is revoked and 1 is not.
    private func tokens(_ lists: SignerWithLists) throws -> [TestStatusToken] {
        var names = try TestStatusToken(.identifierList, authority: lists.authority)
        names.identifiers = [[0]]
        return [try TestStatusToken(authority: lists.authority), names]
    }

    private func check(_ fault: ClaimFault, _ whole: TestStatusToken, _ lists: SignerWithLists) throws {
        var token = whole
        fault.change(&token)
        let before = try start(lists)
        let list = try source(token)
        #expect(try before.admission(of: list, at: now) == .new)
        let remarks = before.remarks(on: list, at: now)
        #expect(!remarks.isEmpty && remarks.allSatisfy { $0.id == "trust.status_incomplete" }, "\(remarks)")
        let after = before.replacing(list)
        #expect(!after.lint(at: now).contains { $0.condition.isFault })
        #expect(try state(0, token, after, lists) == .revoked(.documentRevoked, ageSeconds: 3600))
        #expect(try state(1, token, after, lists).state == .undetermined)
        // Nobody but a signer of the root says so.
        let forged = TrustSource.test(list.kind, list.name, try token.encoded(signedBy: TestKey()))
        #expect(try state(0, token, before.replacing(forged), lists).state == .undetermined)
    }

    @Test(
        "Q248 A list with a claim that is missing or cannot be read revokes, and shows no document to be good",
        arguments: ClaimFault.all)
    func revokes(_ fault: ClaimFault) throws {
        let lists = try SignerWithLists()
        for token in try tokens(lists) { try check(fault, token, lists) }
    }

    @Test(
        "Q248 So does an identifier list with a status list among its claims",
        arguments: ClaimFault.ofIdentifierLists)
    func misplaced(_ fault: ClaimFault) throws {
        let lists = try SignerWithLists()
        try check(fault, try tokens(lists)[1], lists)
    }

    @Test("Q248 The same lists without a fault are complete, and so are those without a time to live")
    func flawless() throws {
        let lists = try SignerWithLists()
        for var token in try tokens(lists) {
            for life: Int64? in [43_200, nil] {
                token.timeToLive = life
                let before = try start(lists)
                let list = try source(token)
                #expect(before.remarks(on: list, at: now) == [])
                let after = before.replacing(list)
                #expect(try state(0, token, after, lists).state == .revoked)
                #expect(try state(1, token, after, lists).state == .good)
            }
        }
    }

    @Test(
        "Q248 An incomplete list beside a complete list adds revocations until a later complete list replaces both"
    )
    func besideComplete() throws {
        let lists = try SignerWithLists()
        for whole in try tokens(lists) {
            var older = whole
            older.issued = TestAuthority.now - 7200
            // Nobody is revoked by it.
            older.identifiers = []
            older.compressed = Stored.zlib([0, 0])
            var newer = whole
            ClaimFault.noExpiry.change(&newer)
            let before = try start(lists).replacing(source(older))
            #expect(try state(0, whole, before, lists).state == .good)
            let both = before.replacing(try source(newer))
            #expect(try before.admission(of: source(newer), at: now) == .new)
            #expect(both.sources.count == 4)
            #expect(try state(0, whole, both, lists).state == .revoked)
            #expect(try state(1, whole, both, lists).state == .good)
            var last = older
            last.issued = TestAuthority.now - 60
            let after = both.replacing(try source(last))
            #expect(after.sources.count == 3)
            #expect(try state(0, whole, after, lists).state == .good)
        }
    }

    @Test("Q248 A suspension in a list without an end counts, as a hold in a CRL without nextUpdate does")
    func suspended() throws {
        let lists = try SignerWithLists()
        var token = try tokens(lists)[0]
        token.bits = 2
        ClaimFault.noExpiry.change(&token)
        let snapshot = try start(lists).replacing(source(token))
        #expect(try state(1, token, snapshot, lists) == .revoked(.documentSuspended, ageSeconds: 3600))
        #expect(try state(5, token, snapshot, lists).state == .undetermined)
        #expect(try state(0, token, snapshot, lists, later: 3600).state == .revoked)
    }

    @Test("Q248 Of more than sixteen status lists with gaps the oldest goes whose statuses another has")
    func bound() throws {
        let lists = try SignerWithLists()
        func incomplete(_ statuses: [UInt8], bits: UInt64 = 1, minute: Int64) throws -> TrustSource {
            var token = try TestStatusToken(authority: lists.authority)
            token.bits = bits
            token.compressed = Stored.zlib(statuses)
            token.issued = TestAuthority.now - 7200 + 60 * minute
            token.expires = nil
            return try source(token)
        }
        var snapshot = try start(lists)
        for number in 0..<16 {
            // Each revokes the document of its number.
            let statuses: [UInt8] = number < 8 ? [1 << number] : [0, 1 << (number - 8)]
            snapshot = snapshot.replacing(try incomplete(statuses, minute: Int64(number)))
        }
        #expect(snapshot.sources.count == 18)
        for (statuses, bits) in [([0, 0, 1], 1), ([0x02], 2), ([0x01], 8)] as [([UInt8], UInt64)] {
            #expect(throws: AdmissionRefusal.tooManyIncomplete(16)) {
                try snapshot.admission(of: incomplete(statuses, bits: bits, minute: 20), at: now)
            }
        }
        let more = try incomplete([0x30, 0, 1], minute: 20)
        #expect(try snapshot.admission(of: more, at: now) == .new)
        let after = snapshot.replacing(more)
        #expect(after.sources.count == 18)
        let token = try tokens(lists)[0]
        for number in [0, 4, 5, 15, 16] as [UInt64] {
            #expect(try state(number, token, after, lists).state == .revoked, "\(number)")
        }
        #expect(try state(6, token, snapshot, lists).state == .revoked)
        #expect(try state(17, token, after, lists).state == .undetermined)
    }
}

private enum Stored {
    /// The bytes as a zlib stream of one block that is not compressed (RFC 1950, RFC 1951 3.2.4).
    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt16(bytes.count)
        let (sum, sums) = bytes.reduce((UInt32(1), UInt32(0))) { state, byte in
            let sum = (state.0 + UInt32(byte)) % 65_521
            return (sum, (state.1 + sum) % 65_521)
        }
        let lengths = [count, ~count].flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        let check = [sums >> 8, sums, sum >> 8, sum].map { UInt8($0 & 0xff) }
        return [0x78, 0x01, 0x01] + lengths + bytes + check
    }
}
