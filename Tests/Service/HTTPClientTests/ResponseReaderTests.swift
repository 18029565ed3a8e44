import Testing

@testable import HTTPClient

@Suite("The state of one response")
struct ResponseReaderTests {
    private static let start = ContinuousClock.now
    private static let limits = ClientLimits(
        connect: .seconds(1), head: .seconds(5), progress: .seconds(3), whole: .seconds(20), bodySize: 6)

    private func reader(
        _ limits: ClientLimits = limits,
        wantsBody: @escaping @Sendable (ClientResponse) -> Bool = { _ in true }
    ) -> ResponseReader {
        var request = ClientRequest("https://utopia.example/", headers: [], limits: limits)
        request.wantsBody = wantsBody
        return ResponseReader(request, at: Self.start)
    }

    private func at(_ seconds: Int) -> ContinuousClock.Instant { Self.start + .seconds(seconds) }

    private func receive(
        _ lines: [String], _ pieces: [String] = [], by reader: inout ResponseReader
    ) throws(ClientError) {
        for line in lines { try reader.receive(line: "\(line)\r\n".utf8, at: Self.start) }
        for piece in pieces { try reader.receive(piece: piece.utf8, at: Self.start) }
    }

    private func response(_ lines: [String], _ pieces: [String] = []) throws(ClientError) -> ClientResponse {
        var reader = reader()
        try receive(lines, pieces, by: &reader)
        return try reader.finish(wasCut: false)
    }

    @Test("Status, headers and body are as they came")
    func whole() throws {
        let found = try response(
            ["HTTP/1.1 200 OK", "Content-Type:  text/plain ", "X: a:b", "x: c", "Empty:", ""], ["a li", "st"])
        #expect(found.status == 200 && found.body == Array("a list".utf8))
        #expect(found.values(of: "content-type") == ["text/plain"])
        #expect(found.values(of: "X") == ["a:b", "c"])
        #expect(found.values(of: "empty") == [""] && found.values(of: "none").isEmpty)
    }

    @Test("Interim responses and the trailer of a body are read and dropped")
    func interim() throws {
        var reader = reader()
        try receive(
            [
                "HTTP/1.1 100 Continue", "", "HTTP/1.1 103 Early", "Link: x", "", "HTTP/1.1 200 OK", "A: b",
                "",
            ],
            ["a"], by: &reader)
        try receive(["Trailer: c", ""], by: &reader)
        let found = try reader.finish(wasCut: false)
        #expect(found.status == 200 && found.headers.map(\.name) == ["A"] && found.body == [0x61])
    }

    @Test(
        "A head without an end is cut off, also behind an interim response; its twin is whole",
        arguments: [
            [], ["HTTP/1.1 200 OK"], ["HTTP/1.1 200 OK", "A: b"], ["HTTP/1.1 100 Continue", ""],
            ["HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK"],
        ])
    func headWithoutEnd(_ lines: [String]) throws {
        #expect(throws: ClientError.truncated) { _ = try response(lines) }
        guard lines.last != "", !lines.isEmpty else { return }
        #expect(try response(lines + [""]).status == 200)
    }

    @Test(
        "What is no head of HTTP/1 is malformed",
        arguments: [
            ["SSH-2.0-OpenSSH_9"], ["HTTP/2 200"], ["HTTP/1.1"], ["HTTP/1.1 20"], ["HTTP/1.1 2000"],
            ["HTTP/1.1 abc"], [""], ["HTTP/1.1 200 OK", "no colon"], ["HTTP/1.1 200 OK", ": no name"],
            ["HTTP/1.1 200 OK", "A: b", " continued: c"], ["HTTP/1.1 200 OK", "A: b", "\tcontinued: c"],
            ["HTTP/1.1 200 OK", "Content-Length: 1", "Content-Length: 2", ""],
            ["HTTP/1.1 200 OK", "Content-Length: -1", ""], ["HTTP/1.1 200 OK", "Content-Length: 0x1", ""],
            ["HTTP/1.1 200 OK", "Content-Length:", ""],
        ])
    func malformed(_ lines: [String]) {
        #expect(throws: ClientError.malformed) { _ = try response(lines) }
    }

    @Test("A head of just the limit is read, and one byte more is malformed; interim responses count")
    func headSize() throws {
        let begin = ["HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK"]
        let size = (begin + ["", "A: "]).reduce(0) { $0 + $1.utf8.count + 2 }
        let fitting = String(repeating: "a", count: ClientLimits.headSize - size)
        #expect(try response(begin + ["A: \(fitting)", ""]).values(of: "a") == [fitting])
        #expect(throws: ClientError.malformed) { _ = try response(begin + ["A: \(fitting)a", ""]) }
    }

    @Test(
        "A body over the limit is too large: when it is announced, or at the piece that is too much",
        arguments: [
            (["Content-Length: 7"], []), (["Content-Length: 99999999999999999999999"], []),
            ([], ["a list", "."]), (["Transfer-Encoding: chunked", "Content-Length: 6"], ["a list."]),
        ] as [([String], [String])])
    func tooLarge(_ headers: [String], _ pieces: [String]) {
        #expect(throws: ClientError.tooLarge) {
            _ = try response(["HTTP/1.1 200 OK"] + headers + [""], pieces)
        }
    }

    @Test("The twin: a body of just the limit fits, and a length beside chunks does not count")
    func fitting() throws {
        #expect(try response(["HTTP/1.1 200 OK", "Content-Length: 6", ""], ["a list"]).body.count == 6)
        let chunked = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Content-Length: 7", ""]
        #expect(try response(chunked, ["a list"]).body.count == 6)
    }

    @Test("A piece for which there is no room is refused, and is asked for once")
    func room() throws {
        var request = ClientRequest("https://utopia.example/", headers: [], limits: Self.limits)
        request.hasRoom = { $0 < 3 }
        var reader = ResponseReader(request, at: Self.start)
        try receive(["HTTP/1.1 200 OK", ""], ["a", "bc"], by: &reader)
        #expect(throws: ClientError.noRoom) { try reader.receive(piece: "def".utf8, at: Self.start) }
    }

    @Test("A body that is not wanted ends the response with its head, whatever follows")
    func unwanted() throws {
        var reader = reader { $0.status == 200 }
        try receive(["HTTP/1.1 404 None", "Content-Length: 1000", ""], by: &reader)
        #expect(reader.isComplete)
        try receive([], ["much too much"], by: &reader)
        #expect(try reader.finish(wasCut: false).body.isEmpty && reader.finish(wasCut: false).status == 404)
        var twin = self.reader { $0.status == 200 }
        try receive(["HTTP/1.1 200 OK", "Content-Length: 1", ""], by: &twin)
        #expect(!twin.isComplete)
    }

    @Test(
        "A body that ends with its connection is cut off where that was cut; one with a length or chunks has its own end",
        arguments: [
            ([], true), (["Transfer-Encoding: identity"], true),
            (["Content-Length: 1"], false), (["Transfer-Encoding: chunked"], false),
            (["Transfer-Encoding: identity, Chunked"], false),
        ])
    func cut(_ headers: [String], _ endsWithConnection: Bool) throws {
        var reader = reader()
        try receive(["HTTP/1.1 200 OK"] + headers + [""], ["a"], by: &reader)
        #expect(try reader.finish(wasCut: false).body == [0x61])
        if endsWithConnection {
            #expect(throws: ClientError.truncated) { _ = try reader.finish(wasCut: true) }
        } else {
            #expect(try reader.finish(wasCut: true).body == [0x61])
        }
        var bodiless = self.reader()
        try receive(["HTTP/1.1 204 None", ""], by: &bodiless)
        #expect(try bodiless.finish(wasCut: true).status == 204)
        var unwanted = self.reader { _ in false }
        try receive(["HTTP/1.1 200 OK"] + headers + [""], by: &unwanted)
        #expect(try unwanted.finish(wasCut: true).status == 200)
    }

    @Test(
        "A transfer that is compressed is refused at the line that says so, of an interim response too",
        arguments: ["gzip, chunked", "br, br, chunked", "chunked,deflate", " zstd", "x-gzip", "\tGZIP"])
    func compressedTransfer(_ codings: String) throws {
        for head in [
            ["HTTP/1.1 200 OK"], ["HTTP/1.1 103 Early"], ["HTTP/1.1 103 Early", "", "HTTP/1.1 200 OK"],
        ] {
            var reader = reader()
            try receive(head, by: &reader)
            #expect(throws: ClientError.encoded) {
                try reader.receive(line: "Transfer-Encoding:\(codings)\r\n".utf8, at: Self.start)
            }
        }
        #expect(try response(["HTTP/1.1 200 OK", "TRANSFER-ENCODING: Chunked ", ""], ["a"]).body == [0x61])
    }

    @Test(
        "A head ends with an empty line alone: one that begins with a blank is refused",
        arguments: [" \r\n", "\t\r\n", " \n", " a: b\r\n"])
    func blankLine(_ line: String) throws {
        var reader = reader()
        try receive(["HTTP/1.1 200 OK", "Server: x"], by: &reader)
        #expect(throws: ClientError.malformed) { try reader.receive(line: line.utf8, at: Self.start) }
        for end in ["\r\n", "\n"] {
            var twin = self.reader()
            try receive(["HTTP/1.1 200 OK", "Server: x"], by: &twin)
            try twin.receive(line: end.utf8, at: Self.start)
            #expect(twin.phase == .progress)
        }
    }

    @Test("Each phase has its deadline, and no phase outlives those of head and whole")
    func deadlines() throws {
        var reader = reader()
        #expect(reader.deadline == (at(1), .connect))
        reader.connect(at: at(1))
        #expect(reader.deadline == (at(4), .head))
        try reader.receive(line: "HTTP/1.1 200 OK\r\n".utf8, at: at(3))
        // A head that comes line by line has no more time.
        #expect(reader.deadline == (at(4), .head))
        try reader.receive(line: "\r\n".utf8, at: at(4))
        #expect(reader.deadline == (at(7), .progress))
        try reader.receive(piece: [0x61], at: at(6))
        #expect(reader.deadline == (at(9), .progress))
        try reader.receive(piece: [0x61], at: at(18))
        #expect(reader.deadline == (at(20), .whole))
    }

    @Test("Where no time is named for head and progress, the whole has its time")
    func onlyWhole() throws {
        var reader = reader(ClientLimits(connect: .seconds(1), whole: .seconds(20), bodySize: 6))
        #expect(reader.deadline == (at(1), .connect))
        reader.connect(at: at(1))
        #expect(reader.deadline == (at(20), .whole))
        try receive(["HTTP/1.1 200 OK", ""], ["a"], by: &reader)
        #expect(reader.deadline == (at(20), .whole))
        var short = self.reader(
            ClientLimits(connect: .seconds(9), head: .seconds(2), whole: .seconds(1), bodySize: 6))
        #expect(short.deadline == (at(1), .whole))
        short.connect(at: at(0))
        #expect(short.deadline == (at(1), .whole))
    }
}
