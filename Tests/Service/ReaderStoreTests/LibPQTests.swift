import Testing

@testable import ReaderStore

@Suite("libpq, loaded where it is asked for")
struct LibPQTests {
    @Test("The installed library has every function that is used")
    func installed() {
        #expect(LibPQ.installed != nil)
    }

    @Test(
        "What is not there, and what is another library, is not taken for it",
        arguments: ["libpq.so.none", "libz.so.1"])
    func other(file: String) {
        #expect(throws: LibPQ.Missing.self) { try LibPQ(file) }
    }
}
