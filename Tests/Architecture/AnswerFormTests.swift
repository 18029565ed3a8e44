import Foundation
import Testing

@Suite("The forms of an answer from the phone to the page")
struct AnswerFormTests {
    /// A row of the table in `architecture.md`.
    private struct Form {
        let number: Int
        let type: String
        let file: String
    }

    private static let forms: [Form] = {
        let page = SourceFile.text(of: "Documentation/architecture.md")
        let section = page.split(separator: "### The forms of an answer\n").dropFirst().first ?? ""
        let rows = section.split(separator: "\n## ").first ?? ""
        return rows.matches(of: /(?m)^\| (\d+)\. [^|]* \| `(\w+)` \| `([^`]+)` \|$/).map {
            Form(number: Int($0.1) ?? 0, type: String($0.2), file: String($0.3))
        }
    }()

    private static func declares(_ type: String, in source: String) -> Bool {
        let words = source.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        return zip(words, words.dropFirst()).contains { word, name in
            ["struct", "enum", "class"].contains(word) && name == type
        }
    }

    @Test("They are at most eight, and each is declared in the file that architecture.md names")
    func declared() {
        #expect((1...8).contains(Self.forms.count))
        #expect(Self.forms.map(\.number) == Array(1...max(1, Self.forms.count)))
        for form in Self.forms {
            #expect(
                Self.declares(form.type, in: SourceFile.text(of: form.file)),
                "\(form.type) is not declared in \(form.file)")
        }
    }

    @Test("A type that is only named there is not declared")
    func named() {
        #expect(Self.declares("Page", in: "export class Page {"))
        #expect(!Self.declares("Page", in: "export class PageFeed {\n    page: Page"))
        #expect(!Self.declares("Page", in: "extension Page {"))
    }
}
