import Testing

@testable import HTTPServing

@Suite("The date of answers")
struct HTTPDateTests {
    @Test(
        "It is written as the standard's examples are",
        arguments: [(784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT")])
    func form(_ seconds: Int, _ text: String) {
        #expect(HTTPDate.text(of: seconds) == text)
    }
}
