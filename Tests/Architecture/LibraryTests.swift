import Foundation
import Testing
import VectorFiles

@Suite("The library for apps")
struct LibraryTests {
    private static let folder = "Sources/Service/TapToPresent/"
    /// Types that could carry an element's value; those of a display itself take texts and give none.
    private static let carriers =
        #"\b(Data|Int|Bool|String|Substring|Character|UInt8|CBORItem|Any|Double|Date|DateComponents|Measurement|PostalAddress|PersonNameComponents)\b"#

    /// The lines that declare something for apps.
    private static func publicLines(of text: String) -> [String] {
        guard text.finding(#"^\s*public\s"#) != nil else { return [] }
        return text.split(separator: "\n").map { $0.trimmingPrefix(while: \.isWhitespace) }
            .filter { $0.hasPrefix("public ") || $0.hasPrefix("case ") }.map(String.init)
    }

    private static func carrying(_ text: String) -> [String] {
        // What an app asks goes in.
        publicLines(of: text).filter { $0.finding(carriers) != nil && $0 != "case ageAtLeast(Int)" }
    }

    @Test("No public symbol of a display request, its answer or its presenter can carry an element's value")
    func display() {
        let files = SourceFile.sources.filter {
            $0.path.hasPrefix("\(Self.folder)Display/") && !$0.path.hasSuffix("/MobileDocumentDisplay.swift")
        }
        #expect(files.contains { !Self.publicLines(of: $0.code).isEmpty })
        for file in files { #expect(Self.carrying(file.code).isEmpty, "\(file.path)") }
        let display = SourceFile.sources.first { $0.path.hasSuffix("/MobileDocumentDisplay.swift") }
        // A path goes in; nothing comes out.
        #expect(
            Self.carrying(display?.code ?? "").map { $0.prefix { $0 != "{" } } == [
                "public static func viewer(atSocket path: String) -> MobileDocumentDisplay "
            ])
    }

    @Test(
        "The twin: a symbol that could is found",
        arguments: [
            "    public let familyName: String?", "public var portrait: Data",
            "public func name() -> String {",
            "public enum Shown {\n    case name(String)", "public let age: Int",
            "public var isOldEnough: Bool",
        ])
    func recognised(_ line: String) {
        #expect(!Self.carrying(line).isEmpty)
    }

    @Test("What is shown stays inside: no display's type, and nothing made for one, is public")
    func shown() {
        for name in ["ShownResult", "ResultShowing", "DisplayChannel", "ReadDocument", "ElementReader"] {
            let files = SourceFile.sources.filter {
                $0.code.finding(#"^\s*public\s[^\n]*\b"# + name + #"\b"#) != nil
            }
            #expect(files.isEmpty, "\(name)")
        }
    }

    @Test("The library imports what it shows to apps from nowhere but Foundation")
    func imports() {
        for file in SourceFile.sources where file.path.hasPrefix(Self.folder) {
            let shown = file.code.split(separator: "\n").filter {
                $0.hasPrefix("public import ") || $0.hasPrefix("package import ")
            }
            #expect(shown.allSatisfy { $0 == "public import Foundation" }, "\(file.path)")
        }
    }

    @Test(
        "Each Swift example of a page is one that the tests compile and execute",
        arguments: [
            ("Documentation/getting-started-developer.md", "Examples.swift"),
            ("\(folder)Documentation.docc/TapToPresent.md", "Examples.swift"),
            ("Documentation/porting-from-ios.md", "PortedFromIOS.swift"),
        ])
    func examples(_ page: String, _ file: String) throws {
        let root = VectorFiles.repository
        let code = try String(
            contentsOf: root.appending(path: "Tests/Service/TapToPresentTests/\(file)"),
            encoding: .utf8)
        let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
        let examples = text.matches(of: /```swift\n([^`]*)```/).map { String($0.1) }
        #expect(examples.count >= 3)
        for example in examples { #expect(code.contains(example), "\(example)") }
        #expect(!code.contains("let session = try await MobileDocumentReader().prepare()"))
    }

    @Test("Each function of the sample is one that the tests compile and execute, and its package is short")
    func sample() throws {
        let root = VectorFiles.repository
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        let compiled = try text("Tests/Service/TapToPresentTests/Examples.swift")
        let sample = try text("Hardware/Examples/library/main.swift")
        let functions = sample.matches(of: /func (?s:.*?)\n}\n/).map { String($0.output) }
        #expect(functions.count == 5)
        for function in functions { #expect(compiled.contains(function), "\(function)") }
        // The twin: another function would be found.
        #expect(!compiled.contains(functions[0].replacing(".terminal", with: ".page")))
        let package = try text("Hardware/Examples/library/Package.swift")
        #expect(package.split(separator: "\n", omittingEmptySubsequences: false).count <= 13)
        #expect(package.contains(#".product(name: "TapToPresent", package: "countersign")"#))
    }
}
