import Foundation
import Testing
import VectorFiles

@Suite("Habits")
struct HabitTests {
    private static let all =
        SourceFile.sources + SourceFile.tests + SourceFile.all(in: "Hardware", "")
        + SourceFile.all(in: "TestVectors", ".md")
    /// This folder spells out what it looks for.
    private static let own = "Tests/Architecture/"

    @Test("No file is above 600 lines", arguments: SourceFile.sources + SourceFile.tests)
    func length(_ file: SourceFile) {
        #expect(file.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 600)
    }

    @Test("Nothing stands at the top but what belongs there")
    func top() throws {
        let due: Set = [
            "Package.swift", "Package.resolved", "Sources", "Tests", "Hardware", "TestVectors",
            "Documentation",
            "README.md", "LICENSE",
        ]
        let found = try FileManager.default.contentsOfDirectory(atPath: VectorFiles.repository.path)
        #expect(found.filter { !$0.hasPrefix(".") && !due.contains($0) } == [])
    }

    static let forbidden: [(name: String, pattern: String)] = [
        ("a forced try", #"\btry!"#), ("an unfinished place", #"\b(TODO|FIXME|XXX|HACK)\b"#),
        ("a path of one machine", #"/(root|home|Users)/\w"#),
    ]

    @Test("No `try!`, nothing left to do, no path of one machine")
    func words() {
        for file in Self.all where !file.path.hasPrefix(Self.own) {
            for (name, pattern) in Self.forbidden {
                #expect(file.text.finding(pattern) == nil, "\(file.path) has \(name)")
            }
        }
    }

    @Test(
        "The twin: these are recognised", arguments: ["try! x()", "// TODO: later", "cd /root/x", "/home/me"])
    func recognised(_ text: String) {
        #expect(Self.forbidden.contains { text.finding($0.pattern) != nil })
    }

    /// The files that may make a snapshot of sources that nobody checked: what was stored before is read, and a bench fills a store.
    private static let makingSnapshots = [
        "Sources/Mdoc/MdocTrust/", "Sources/Service/ReaderStore/ReaderStore+Trust.swift",
        "Sources/Laboratory/TransactionBench/LargeTrust.swift",
    ]

    private static func makesSnapshot(_ file: SourceFile) -> Bool {
        !makingSnapshots.contains { file.path.hasPrefix($0) }
            && file.finding(#"\bTrustSnapshot(\.init)?\("#) != nil
    }

    @Test("Trust changes by a `TrustChange` alone; a file that makes a snapshot of its own is found")
    func trustChange() {
        #expect(SourceFile.sources.filter(Self.makesSnapshot).map(\.path) == [])
        for path in ["Sources/Service/X.swift", "Sources/Commands/countersign/Trust/X.swift"] {
            #expect(Self.makesSnapshot(SourceFile(path: path, text: "let all = TrustSnapshot(sources)")))
        }
    }

    @Test("Q128 No reader decides by an answer to reset or a serial number of the card")
    func answerToReset() {
        let deciding = SourceFile.sources.filter { file in
            !file.path.contains("/VirtualCard")
                && file.finding(#"\b(answerToReset|rgbAtr|cbAtr|SCARD_ATTR_ATR_STRING)\b"#) != nil
        }
        #expect(deciding.map(\.path).isEmpty)
        #expect(
            SourceFile.sources.contains {
                $0.path.contains("/VirtualCard") && $0.finding("answerToReset") != nil
            })
    }

    /// What reads the date of the day; how long something took may be measured.
    private static let calendarClock =
        #"\b(Date\(\)|Date\.now|Date\(timeIntervalSinceNow|gettimeofday|time\(nil|CLOCK_REALTIME|UTCClock)"#

    @Test("Q174 The core and its tests never look at the date: no certificate in them runs out")
    func realDate() {
        let core = ["Formats/", "Cryptography/", "Mdoc/", "Laboratory/MdocWallet"]
        let folders =
            core.flatMap { ["Sources/\($0)", "Tests/\($0)"] } + [
                "Tests/Interop/", "Tests/Support/TestCredentials/",
            ]
        let files = (SourceFile.sources + SourceFile.tests).filter { file in
            folders.contains { file.path.hasPrefix($0) }
        }
        #expect(files.count > 200)
        for file in files { #expect(file.finding(Self.calendarClock) == nil, "\(file.path)") }
        for text in ["let now = Date()", "Date.now", "clock_gettime(CLOCK_REALTIME, &t)"] {
            #expect(text.finding(Self.calendarClock) != nil)
        }
    }

    @Test("Sources do not stop the process on purpose but for what cannot be")
    func fatalError() {
        for file in SourceFile.sources {
            #expect(file.finding(#"\bfatalError\("#) == nil, "\(file.path)")
        }
    }

    @Test("Only the library for apps has public declarations: `package` is enough inside the house")
    func access() {
        for file in SourceFile.sources where !file.path.hasPrefix("Sources/Service/TapToPresent/") {
            #expect(file.finding(#"^\s*public\s"#) == nil, "\(file.path)")
        }
    }

    @Test("Nothing is named for what it is not")
    func names() {
        let pattern =
            #"(/|[a-z])(Utils|Utilities|Helpers?|Manager)(\+\w+)?\.swift$|/(Common|Extensions|Core)(\+\w+)?\.swift$"#
        for file in SourceFile.sources { #expect(file.path.finding(pattern) == nil, "\(file.path)") }
        for path in ["Sources/X/StringUtils.swift", "Sources/X/Core.swift", "Sources/X/Extensions+A.swift"] {
            #expect(path.finding(pattern) != nil)
        }
    }

    @Test("The errors of the core are typed")
    func typedThrows() {
        let untyped = #"\bthrows\s*(->|\{|$)"#
        for file in SourceFile.sources {
            guard
                ["Formats/", "Cryptography/", "Mdoc/", "Laboratory/MdocWallet/"].contains(where: {
                    file.path.hasPrefix("Sources/\($0)")
                })
            else { continue }
            // What the standard library's protocols ask for stays as they have it.
            let code = file.code.replacing("func encode(to encoder: any Encoder) throws {", with: "")
            #expect(code.finding(untyped) == nil, "\(file.path)")
        }
        #expect("func f() throws -> Int {".finding(untyped) != nil)
        #expect("func f() throws(CBORError) -> Int {".finding(untyped) == nil)
    }
}
