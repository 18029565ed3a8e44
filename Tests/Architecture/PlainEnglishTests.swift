import Testing
import VectorFiles

@Suite("Plain English")
struct PlainEnglishTests {
    @Test("No source has a word of the list, in code, texts or comments", arguments: SourceFile.sources)
    func sources(_ file: SourceFile) {
        #expect(PlainEnglish.findings(in: file.text) == [])
    }

    @Test(
        "No page, script or document of the API has one either",
        arguments: [".js", ".html", ".json"])
    func pages(_ ending: String) {
        let files = SourceFile.all(in: "Sources", ending)
        #expect(!files.isEmpty)
        for file in files { #expect(PlainEnglish.findings(in: file.text) == [], "\(file.path)") }
    }

    @Test("The twin: each word of the list is found")
    func twin() {
        let text = """
            a date is due; there are none, or it is none; whence it came; Misshapen; a Door; farewells; patience; it vouches
            puts up with it, lets go of it, comes about, of its own, goes on, stands twice, is told, is gone, made anew,
            hinders it, passed over, spoken of, in vain
            """
        #expect(PlainEnglish.findings(in: text).count == PlainEnglish.words.count)
    }
}
