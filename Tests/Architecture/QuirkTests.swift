import Foundation
import Testing
import VectorFiles

/// Which quirks of real wallets, readers and stacks a test has to name.
enum QuirkCoverage {
    /// The one switch: once every part is in place, a quirk that no test names and that is not left out on purpose
    /// fails the run.
    static let isEnforced = true

    /// All there are.
    static let numbers = Set(1...200)

    /// The table of those left out, with the reason of each.
    static let leftOut = "Hardware/quirks-left-out.md"
}

@Suite("Quirks")
struct QuirkTests {
    /// The numbers in the names of tests.
    private static let named: [Int: String] = {
        var named: [Int: String] = [:]
        for file in SourceFile.tests {
            for test in file.text.matches(of: /@Test\(\s*"((?:[^"\\]|\\.)*)"/) {
                for number in test.1.matches(of: /\bQ(\d+)\b/) { named[Int(number.1) ?? 0] = file.path }
            }
        }
        return named
    }()

    /// The numbers of the table, each in the first column of a row with a reason.
    private static let leftOut: Set<Int> = {
        let file = VectorFiles.repository.appending(path: QuirkCoverage.leftOut)
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return Set(text.matches(of: /(?m)^\| Q(\d+) [^|]*\| *[^| ][^|]*\|/).compactMap { Int($0.1) })
    }()

    @Test("Tests name quirks that exist")
    func known() {
        #expect(Self.named.count > 50)
        for (number, file) in Self.named { #expect((1...200).contains(number), "Q\(number) in \(file)") }
    }

    @Test("What is left out, wholly or for want of hardware, belongs to the groups and has its reason")
    func leftOut() throws {
        let file = VectorFiles.repository.appending(path: QuirkCoverage.leftOut)
        let text = try String(contentsOf: file, encoding: .utf8)
        let rows = text.matches(of: /(?m)^\| *Q(\d+)/).compactMap { Int($0.1) }
        #expect(Set(rows).count == rows.count)
        #expect(Set(rows) == Self.leftOut)
        #expect(Self.leftOut.isSubset(of: QuirkCoverage.numbers))
    }

    @Test("Every quirk of these groups is named by a test, or left out with its reason")
    func covered() {
        let missing = QuirkCoverage.numbers.subtracting(Self.named.keys).subtracting(Self.leftOut).sorted()
        let text = missing.map { "Q\($0)" }.joined(separator: " ")
        if QuirkCoverage.isEnforced {
            #expect(missing.isEmpty, "\(text)")
        } else if !missing.isEmpty {
            print("Quirks that no test names yet (\(missing.count)): \(text)")
        }
    }
}
