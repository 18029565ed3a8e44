import Testing

@testable import PKIX

@Suite("Distinguished names from text")
struct DistinguishedNameParsingTests {
    @Test(
        "A name comes back as it was written",
        arguments: [
            "CN=Counter 1,O=Shop,C=US", "CN=Counter 1", "CN=Käse & Wein,ST=NRW,C=DE",
            ##"CN=A\, B\+C\=D,OU=\#1,L=\ x\ ,serialNumber=17"##,
        ])
    func roundTrip(_ text: String) throws {
        let name = try #require(DistinguishedName(text))
        let again = try #require(DistinguishedName(name.description))
        #expect(again.encoded == name.encoded)
        if !text.contains("\\") { #expect(name.description == text) }
    }

    @Test("The last part comes first, blanks around parts are none of theirs, escapes are bytes")
    func meaning() throws {
        let name = try #require(DistinguishedName(#"cn = Counter\201 , C=UT"#))
        #expect(name.relativeNames.first?.first?.type == .countryName)
        #expect(name.commonName == "Counter 1" && name.countryName == "UT")
        #expect(DistinguishedName(#"CN=K\c3\a4se"#)?.commonName == "Käse")
    }

    @Test(
        "What is no name is refused",
        arguments: [
            "", "Counter", "CN=", "CN=a,", "CN=a,,C=US", "=a", "X=a", "2.5.4.3=a", "CN=a+O=b", "CN=\"a\"",
            "C=us", "C=USA", "C=Ü", #"CN=a\"#, #"CN=a\g1"#, #"CN=\ff"#, "CN=a\nb", "CN=#0c0161", "C N=a",
            "serialNumber=a_b",
            "CN=" + String(repeating: "a", count: 65),
        ])
    func refused(_ text: String) {
        #expect(DistinguishedName(text) == nil)
    }
}
