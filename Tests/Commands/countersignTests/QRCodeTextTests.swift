import Testing

@testable import countersign

@Suite("QR codes in a terminal")
struct QRCodeTextTests {
    private static let begin = "\u{1b}[38;5;16;48;5;231m"
    private static let end = "\u{1b}[0m"

    /// The modules of a drawn code, with its border; true for a dark one.
    private static func modules(_ text: String) throws -> [[Bool]] {
        try text.split(separator: "\n").flatMap { line in
            #expect(line.hasPrefix(begin) && line.hasSuffix(end))
            let blocks = line.dropFirst(begin.count).dropLast(end.count)
            let pairs = try blocks.map { block in
                try #require(
                    ["█": (true, true), "▀": (true, false), "▄": (false, true), " ": (false, false)][block])
            }
            return [pairs.map(\.0), pairs.map(\.1)]
        }
    }

    @Test("An address becomes a code with its three corners and a light border of four modules")
    func corners() throws {
        let address =
            "https://shop.example/clerk?lane=counter-1#code=99c3e1d1e5b59b929f1ce483fd879fe1"
        let modules = try Self.modules(try #require(QRCodeText(address)).text)
        // 80 bytes need version 5, which has 37 modules (ISO/IEC 18004, table 7).
        let width = 37 + 2 * QRCodeText.quietZone
        #expect(modules.allSatisfy { $0.count == width } && modules.count == width + 1)
        for (row, line) in modules.enumerated() {
            for (column, isDark) in line.enumerated() where isDark {
                #expect((4..<41).contains(row) && (4..<41).contains(column))
            }
        }
        // A finder pattern: a dark frame, a light frame, a dark square (ISO/IEC 18004, 5.3.2.1).
        for (top, left) in [(4, 4), (4, 34), (34, 4)] {
            for row in 0..<7 {
                for column in 0..<7 {
                    let ring = max(abs(row - 3), abs(column - 3))
                    #expect(modules[top + row][left + column] == (ring != 2))
                }
            }
        }
    }

    @Test("Two rows of modules become one line of half blocks, and an odd last row stays light below")
    func blocks() throws {
        let code = QRCodeText([true, false, true, false, true, true, true, true, false], width: 3)
        let drawn = try Self.modules(code.text)
        #expect(drawn.count == 12)
        #expect(drawn[4][4..<7] == [true, false, true] && drawn[5][4..<7] == [false, true, true])
        #expect(drawn[6][4..<7] == [true, true, false] && drawn[7].allSatisfy { !$0 })
    }

    @Test("What no code holds is drawn as none")
    func tooLong() {
        #expect(QRCodeText(String(repeating: "a", count: 2953)) != nil)
        #expect(QRCodeText(String(repeating: "a", count: 2954)) == nil)
        #expect(QRCodeText("a\0b") == nil)
    }

    @Test(
        "An address of this computer is known as one",
        arguments: [
            ("http://127.0.0.1:8411/", true), ("https://[::1]:8411/", true), ("https://shop.example/", false),
            ("https://127.0.0.1.example/", false),
        ])
    func thisComputer(url: String, isOwn: Bool) {
        #expect(PageEntry.isOfThisComputer(url) == isOwn)
    }
}
