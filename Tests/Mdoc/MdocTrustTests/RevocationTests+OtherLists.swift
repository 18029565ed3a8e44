import CBOR
import Foundation
import MdocModel
import MdocTrust
import PKIX
import TestCredentials
import Testing

extension DocumentRevocationTests {
    @Test("A reference that names another signer hides no revocation by a list of the document's own root")
    func otherSignerNamed() throws {
        let other = try TestStatusToken(authority: TestAuthority([(.commonName, "Last year's IACA")]))
        for (index, state) in [(0, RevocationFinding.State.revoked), (1, .undetermined)]
            as [(UInt64, RevocationFinding.State)]
        {
            var lists = try lists()
            let token = try token(lists)
            try lists.add(token)
            try lists.point(token.reference(index: index, certificate: other.certificate))
            #expect(try lists.finding().state == state)
        }
    }

    @Test("A newer list without the document's place takes nothing away from an older one that revokes it")
    func newerListWithoutThePlace() throws {
        for (index, state) in [(15, RevocationFinding.State.revoked), (14, .undetermined)]
            as [(UInt64, RevocationFinding.State)]
        {
            var lists = try lists()
            let older = try token(lists)
            try lists.add(older)
            // The root was re-keyed under its name.
            let second = try TestAuthority()
            lists.sources.append(.test(.anchor, "re-keyed", second.der))
            var newer = try TestStatusToken(authority: second)
            newer.compressed = [0x78, 0x9c, 0x63, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01]
            newer.issued = TestAuthority.now - 60
            try lists.add(newer)
            try lists.point(older.reference(index: index))
            #expect(try lists.finding().state == state)
        }
    }

    @Test(
        "Q242 A reference that is null is there and cannot be read: revoked beside it counts, good is not known"
    )
    func nullReference() throws {
        for (index, isRevoked) in [(0, true), (1, false)] as [(UInt64, Bool)] {
            for null: UInt8 in [0xf6, 0xf7] {
                var lists = try lists()
                var names = try TestStatusToken(.identifierList, authority: lists.authority)
                names.identifiers = [[0]]
                try lists.add(token(lists))
                try lists.add(names)
                let uri = ("uri", Encoded.text(TestStatusToken.uri))
                let place = Encoded.map([("idx", Encoded.unsigned(index)), uri])
                let name = Encoded.map([("id", Encoded.bytes([UInt8(index)])), uri])
                for members in [
                    [("status_list", place), ("identifier_list", [null])],
                    [("status_list", [null]), ("identifier_list", name)],
                ] {
                    try lists.point(Encoded.map(members))
                    #expect(
                        try lists.finding()
                            == (isRevoked
                                ? .revoked(.documentRevoked, ageSeconds: 3600)
                                : undetermined(.referenceUnreadable, .document)))
                }
                // The same without the null.
                for members in [[("status_list", place)], [("identifier_list", name)]] {
                    try lists.point(Encoded.map(members))
                    #expect(try lists.finding().state == (isRevoked ? .revoked : .good))
                }
                try lists.point(Encoded.map([("status_list", [null]), ("identifier_list", [null])]))
                #expect(try lists.finding() == undetermined(.referenceUnreadable, .document))
            }
        }
    }
}
