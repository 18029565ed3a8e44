internal import CQREncode

/// A QR code (ISO/IEC 18004) as text for a terminal.
///
/// Each character shows two modules, one above the other, as half blocks. The colours are set explicitly, black
/// on white, so that a scanner reads the code on a light and on a dark terminal.
struct QRCodeText {
    /// The width of the light border around the code, in modules (ISO/IEC 18004, 5.3.8).
    static let quietZone = 4

    /// The lines of the code, with the control sequences for the colours.
    let text: String

    /// Encodes a text with the lowest error correction. A higher level would make the code larger, and is not
    /// needed because a screen is not dirty or damaged. Returns `nil` if the text does not fit into a QR code
    /// or contains NUL.
    init?(_ content: String) {
        guard !content.utf8.contains(0),
            let code = unsafe QRcode_encodeString(content, 0, QR_ECLEVEL_L, QR_MODE_8, 1)
        else { return nil }
        defer { unsafe QRcode_free(code) }
        let width = unsafe Int(code.pointee.width)
        // The lowest bit of each byte is 1 for a dark module.
        let modules = (0..<width * width).map { unsafe code.pointee.data[$0] & 1 == 1 }
        self.init(modules, width: width)
    }

    /// Draws the modules of a square code, row by row.
    init(_ modules: [Bool], width: Int) {
        func isDark(_ row: Int, _ column: Int) -> Bool {
            (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column]
        }
        let positions = -Self.quietZone..<width + Self.quietZone
        text = stride(from: positions.lowerBound, to: positions.upperBound, by: 2).map { row in
            let blocks = positions.map { Self.block(isDark(row, $0), isDark(row + 1, $0)) }
            return Self.blackOnWhite + String(blocks) + Self.usual
        }.joined(separator: "\n")
    }

    /// Returns the character for two modules.
    private static func block(_ upper: Bool, _ lower: Bool) -> Character {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }

    /// Black (16) on white (231), two of the 256 colours. A theme of the terminal does not change these two
    /// (ECMA-48 8.3.117, with the colours of xterm).
    private static let blackOnWhite = "\u{1b}[38;5;16;48;5;231m"
    private static let usual = "\u{1b}[0m"
}
