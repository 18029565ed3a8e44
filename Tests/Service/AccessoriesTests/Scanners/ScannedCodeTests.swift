import Accessories
import Testing

@Suite("What a scanned text is")
struct ScannedCodeTests {
    private static func code(_ text: String, isTyped: Bool = false) -> ScannedCode {
        ScannedCode(SampleCode.bytes(text), isTyped: isTyped)
    }

    @Test("A phone's code is an engagement")
    func engagement() {
        #expect(Self.code(SampleCode.uri).uri == SampleCode.uri)
        #expect(Self.code(SampleCode.uri, isTyped: true).uri == SampleCode.uri)
        #expect(ScannedCode(.text(SampleCode.uri)).uri == SampleCode.uri)
    }

    @Test(
        "Variants that the daemon reads become the plain form",
        arguments: [
            "mdoc:AQIDBA", "mdoc:/AQIDBA", "mdoc:AQIDBA==", "mdoc:AQIDBA=", " mdoc:AQIDBA", "mdoc:AQIDBA \n",
            "\tmdoc:AQIDBA\r\n",
        ])
    func variants(_ text: String) {
        #expect(Self.code(text).uri == "mdoc:AQIDBA")
    }

    @Test(
        "A scheme in capitals before a readable engagement is a phone's",
        arguments: ["MDOC:", "Mdoc:", "mDOC:/"])
    func capitals(_ scheme: String) {
        #expect(Self.code(scheme + SampleCode.data).uri == SampleCode.uri)
    }

    @Test(
        "A reader's engagement is none of a phone",
        arguments: ["mdoc://", "MDOC://", " mdoc://", "mdoc:///", "Mdoc://"])
    func readerEngagement(_ scheme: String) {
        #expect(Self.code(scheme + SampleCode.data).fault == .notADeviceEngagement)
        #expect(Self.code(scheme).fault == .notADeviceEngagement)
    }

    @Test("Folded case is not an engagement")
    func folded() {
        #expect(Self.code(SampleCode.uri.uppercased()).fault == .foldedCase)
        #expect(Self.code(SampleCode.uri.uppercased(), isTyped: true).fault == .foldedCase)
        #expect(Self.code("MDOC:AQIDBA").fault == .foldedCase)
        #expect(Self.code("Mdoc:AQIDBA").fault == .foldedCase)
    }

    @Test("Inverted case is undone for a text that was typed")
    func inverted() {
        #expect(Self.code("MDOC:" + SampleCode.inverted, isTyped: true).uri == SampleCode.uri)
    }

    @Test("Inverted case is not undone for bytes, for another scheme, or if no engagement results")
    func notInverted() {
        #expect(Self.code("MDOC:" + SampleCode.inverted).fault == .foldedCase)
        #expect(Self.code("Mdoc:" + SampleCode.inverted, isTyped: true).fault == .foldedCase)
        #expect(Self.code("MDOC:aqidba", isTyped: true).fault == .foldedCase)
        #expect(Self.code("MDOC:" + SampleCode.inverted + "+", isTyped: true).fault == .foldedCase)
    }

    @Test(
        "After the right scheme, wrong or missing characters make the code incomplete",
        arguments: [
            "", "=", "==", "/", "AQIDB", "A", "AQID+A", "AQID/A", "AQI DBA", "AQIDBA===", "AQIDBB", "AQ=IDBA",
            "AQIDBÄ", "mdoc:AQIDBA", "AQIDBA#", "AQIDBA?x=1", "AQID\u{1a}A", "AQIDßA", " AQIDBA", "AQJ",
        ])
    func incomplete(_ data: String) {
        #expect(Self.code("mdoc:" + data).fault == .incompleteCode)
    }

    @Test(
        "All else is foreign",
        arguments: [
            "", "mdoc", "mdoc;AQIDBA", "mdocs:AQIDBA", "xmdoc:AQIDBA", "http://example.org/", "AQIDBA",
            "WIFI:S:shop;T:WPA;P:secret;;", "4006381333931", "m doc:AQIDBA", "MDOCÖAQIDBA",
            "mdoc\u{1a}AQIDBA",
            "@\n\u{1e}\rANSI 636026080102DL00410288", "]Q1mdoc:AQIDBA",
        ])
    func foreign(_ text: String) {
        #expect(Self.code(text).fault == .foreignCode)
        #expect(Self.code(text, isTyped: true).fault == .foreignCode)
    }

    @Test("8192 characters with the scheme are an engagement, and one more is none")
    func length() {
        // The scheme has 5 characters. 8187 characters are 2046 groups of four, and three characters for two bytes.
        let longest = "mdoc:" + String(repeating: "A", count: 8187)
        #expect(longest.utf8.count == 8192)
        #expect(Self.code(longest).uri == longest)
        #expect(Self.code(longest + "A").fault == .incompleteCode)
        #expect(ScannedCode(.tooLong).fault == .foreignCode)
    }

    @Test("The faults have the words of the HTTP API")
    func words() {
        #expect(
            ScanFault.allCases.map(\.rawValue) == [
                "foreignCode", "notADeviceEngagement", "foldedCase", "incompleteCode",
            ])
    }

    @Test("The text of an engagement is in no description")
    func redacted() {
        let code = Self.code("mdoc:" + String(repeating: "A", count: 240))
        guard case .engagement(let engagement) = code else {
            Issue.record("no engagement")
            return
        }
        #expect("\(engagement)" == "a phone's code, 245 characters")
        var dumped = ""
        dump(code, to: &dumped)
        for text in ["\(code)", String(reflecting: code), String(reflecting: engagement), dumped] {
            #expect(text.contains("245 characters") && !text.contains("AAAA"))
        }
        #expect(Mirror(reflecting: engagement).children.isEmpty)
    }
}
