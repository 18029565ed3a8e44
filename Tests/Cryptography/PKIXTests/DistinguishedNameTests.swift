import Testing
import VectorFiles

@testable import OpenSSLCrypto
@testable import PKIX

@Suite("Distinguished names")
struct DistinguishedNameTests {
    /// A name of relative names, each of attributes with any tag.
    private static func name(_ names: [[(ObjectIdentifier, UInt8, String)]]) throws -> DistinguishedName {
        let encoded = DERWriter.encode {
            $0.write(DERTag.sequence) { writer in
                for attributes in names {
                    writer.write(DERTag.set) { set in
                        for (type, tag, value) in attributes {
                            set.write(DERTag.sequence) {
                                $0.write(type)
                                $0.write(tag, contents: Array(value.utf8))
                            }
                        }
                    }
                }
            }
        }
        var reader = DERReader(encoded[...])
        return try DistinguishedName(reader.readElement())
    }

    private static func common(_ value: String, _ tag: UInt8 = DERTag.utf8String) throws -> DistinguishedName
    {
        try name([[(.commonName, tag, value)]])
    }

    @Test("String type, case and blanks make no difference (RFC 5280, 7.1)")
    func equal() throws {
        let plain = try Self.common("Utopia DMV")
        #expect(try plain == Self.common("Utopia DMV", DERTag.printableString))
        #expect(try plain == Self.common("  utopia   dmv "))
        #expect(try plain == Self.common("UTOPIA dmv", DERTag.printableString))
    }

    @Test("Another text, type, order, number of names or string type out of the two does")
    func different() throws {
        let plain = try Self.common("Utopia DMV")
        #expect(try plain != Self.common("UtopiaDMV"))
        #expect(try plain != Self.common("Utopia DMW"))
        #expect(try plain != Self.common("Utopia DMV", DERTag.ia5String))
        #expect(try plain != Self.name([[(.organizationName, DERTag.utf8String, "Utopia DMV")]]))
        #expect(try plain != Self.name([]))
        let attribute = (ObjectIdentifier.commonName, DERTag.utf8String, "Utopia DMV")
        #expect(try plain != Self.name([[attribute], [attribute]]))
        #expect(try plain != Self.name([[attribute, attribute]]))
        let (first, second) = (
            [(ObjectIdentifier.countryName, DERTag.printableString, "UT")],
            [(ObjectIdentifier.commonName, DERTag.utf8String, "A")]
        )
        #expect(try Self.name([first, second]) != Self.name([second, first]))
        #expect(try Self.common("Ä") != Self.common("ä"))
        #expect(try Self.common("Ä") == Self.common("Ä "))
    }

    @Test("A relative name is a set")
    func sets() throws {
        let (a, b) = (
            (ObjectIdentifier.commonName, DERTag.utf8String, "A"),
            (ObjectIdentifier.commonName, DERTag.utf8String, "B")
        )
        #expect(try Self.name([[a, b]]) == Self.name([[b, a]]))
        #expect(try Self.name([[a, b]]) != Self.name([[a, a]]))
        #expect(try Self.name([[a, a]]) != Self.name([[a, b]]))
    }

    @Test("Comparison keys are the same exactly where the names are equal")
    func comparisonKeys() throws {
        let (a, b) = (
            (ObjectIdentifier.commonName, DERTag.utf8String, "A"),
            (ObjectIdentifier.commonName, DERTag.utf8String, "B")
        )
        let names = try [
            Self.common("Utopia DMV"), Self.common("  utopia   dmv ", DERTag.printableString),
            Self.common("UtopiaDMV"), Self.common("Utopia DMV", DERTag.ia5String), Self.name([]),
            Self.common("utopia dmv", DERTag.ia5String), Self.common("A"), Self.common("Ä"), Self.common("ä"),
            Self.name([[a, b]]), Self.name([[b, a]]), Self.name([[a], [b]]), Self.name([[b], [a]]),
            Self.name([[a, a]]), Self.name([[(.organizationName, DERTag.utf8String, "A")]]),
        ]
        for one in names {
            for other in names {
                #expect((one == other) == (one.comparisonKey == other.comparisonKey), "\(one) \(other)")
            }
        }
    }

    @Test("The description is RFC 4514's, on one line")
    func description() throws {
        let name = DistinguishedName([
            (.countryName, "UT"), (.stateOrProvinceName, " A+B,\"C\"\\<>; "),
            (.organizationName, "#1\u{0}\n"),
            (ObjectIdentifier("1.2.3"), "Ä"),
        ])
        #expect(name.description == ##"1.2.3=Ä,O=\#1\00\0a,ST=\ A\+B\,\"C\"\\\<\>\;\ ,C=UT"##)
        #expect(name.stateOrProvinceName == " A+B,\"C\"\\<>; ")
        let pair = try Self.name([
            [(.commonName, DERTag.utf8String, "A"), (.organizationName, DERTag.octetString, "B")]
        ])
        #expect(pair.description == "CN=A+O=#42")
        #expect(DistinguishedName([]).description == "")
        #expect(DistinguishedName([]).isEmpty)
    }

    @Test("Texts that are not what their type says are no texts")
    func invalidTexts() throws {
        #expect(try Self.common("Ä", DERTag.printableString).commonName == nil)
        #expect(try Self.common("\u{0}A", DERTag.bmpString).commonName == "A")
        #expect(try Self.common("A", DERTag.bmpString).commonName == nil)
        #expect(try Self.common("A", DERTag.octetString).commonName == nil)
        var reader = DERReader("300d310b300906035504030c02c328".bytes[...])
        #expect(try DistinguishedName(reader.readElement()).commonName == nil)
    }

    @Test("A name of 64 attributes is read, of 65 it is not")
    func limit() throws {
        let attribute = (ObjectIdentifier.commonName, DERTag.utf8String, "A")
        let most = try Self.name(Array(repeating: [attribute], count: 64))
        #expect(most.relativeNames.count == 64)
        let error = #expect(throws: PKIXError.self) {
            try Self.name([Array(repeating: attribute, count: 65)])
        }
        guard case .limitExceeded = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
