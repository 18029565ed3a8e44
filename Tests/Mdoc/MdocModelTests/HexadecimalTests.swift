import MdocModel
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test
    func `Bytes have two lower-case digits each, and only such pairs are read`() {
        #expect([0x00, 0x0a, 0x9f, 0xff].hexadecimal == "000a9fff")
        #expect("000a9FfF".utf8.bytesOfHexadecimal == [0x00, 0x0a, 0x9f, 0xff])
        for text in ["0", "0g", "+1", "é"] {
            #expect(text.utf8.bytesOfHexadecimal == nil, "\(text)")
        }
    }
}
