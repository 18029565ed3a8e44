import HTTPSBench
import MdocTrust
import Testing
import TrustFetch

/// Something that a server does wrong, what it is called, and what the server does when it does the same right.
struct FetchFault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let answer: ServedAnswer
    let error: TrustFetchError
    let twin: ServedAnswer

    private static let body = FetchScene.body
    private static let whole = ServedAnswer.serving(body)
    private static let limit = FetchLimits().maximumSize(of: .vical)

    private init(
        _ description: String, _ answer: ServedAnswer, _ error: TrustFetchError,
        twin: ServedAnswer = FetchFault.whole
    ) {
        testDescription = description
        self.answer = answer
        self.error = error
        self.twin = twin
    }

    /// Where a time is to run out, that one is short.
    var limits: FetchLimits {
        if case .timedOut(let phase) = error { FetchScene.limits(short: phase) } else { FetchScene.limits() }
    }

    static let table = [
        FetchFault(
            "a head that does not come", ServedAnswer([.hold]), .timedOut(.headers),
            twin: ServedAnswer([.wait(milliseconds: 200)] + whole.steps)),
        FetchFault(
            "a head that comes byte by byte",
            ServedAnswer([
                .send(Array("HTTP/1.1 200 OK\r\nSlow: ".utf8)), .sendForever([0x61], everyMilliseconds: 50),
            ]), .timedOut(.headers),
            twin: ServedAnswer(
                [.send(Array("HTTP/1.1 200 OK\r\n".utf8)), .wait(milliseconds: 100)]
                    + [.send(Array("Content-Length: 6\r\n\r\na list".utf8))])),
        FetchFault(
            "a body that stops", .head(length: 6, then: [.send([0x61]), .hold]), .timedOut(.progress),
            twin: .head(
                length: 6, then: [.send([0x61]), .wait(milliseconds: 200), .send(Array(" list".utf8))])),
        FetchFault(
            "a body that drips",
            .head(length: 1000, then: [.sendForever([0x61], everyMilliseconds: 100)]), .timedOut(.whole),
            twin: .head(
                length: 6,
                then: body.flatMap { [.send([$0]), .wait(milliseconds: 50)] })),
        FetchFault(
            "a body without end",
            .head(
                length: nil,
                then: [.sendForever(.init(repeating: 0x61, count: 1 << 18), everyMilliseconds: 0)]),
            .tooLarge(limit: limit), twin: .head(length: nil, then: [.send(body), .close])),
        FetchFault(
            "a huge length announced", .head(length: limit + 1, then: [.hold]), .tooLarge(limit: limit)),
        FetchFault("404", .status(404), .status(404)),
        FetchFault("500", .status(500), .status(500)),
        FetchFault("204, which has no list", .status(204), .status(204)),
        FetchFault(
            "206, which is a part",
            .head(206, length: 6, ["Content-Range: bytes 0-5/12"], then: [.send(body)]), .status(206)),
        FetchFault("304 that nobody asked for", .status(304), .status(304)),
        FetchFault(
            "a body shorter than announced", .head(length: 7, then: [.send(body), .close]), .truncated,
            twin: .head(length: 6, then: [.send(body), .close])),
        FetchFault(
            "a last chunk that does not come",
            .head(
                length: nil, ["Transfer-Encoding: chunked"],
                then: [.send(Array("6\r\na list\r\n".utf8)), .close]), .truncated,
            twin: .head(
                length: nil, ["Transfer-Encoding: chunked"],
                then: [.send(Array("6\r\na list\r\n0\r\n\r\n".utf8))])),
        FetchFault(
            "a body without length and an end without TLS's goodbye",
            .head(length: nil, then: [.send(body), .cut]), .truncated,
            twin: .head(length: nil, then: [.send(body), .close])),
        FetchFault("an end before the head", ServedAnswer([.close]), .truncated),
        FetchFault("a network that ends before the head", ServedAnswer([.cut]), .truncated),
        FetchFault(
            "an end in the head", ServedAnswer([.send(Array("HTTP/1.1 200 OK\r\nA: b\r\n".utf8)), .close]),
            .truncated,
            twin: ServedAnswer([.send(Array("HTTP/1.1 200 OK\r\nA: b\r\n\r\na list".utf8)), .close])),
        FetchFault(
            "a head without end",
            ServedAnswer([
                .send(Array("HTTP/1.1 200 OK\r\n".utf8)),
                .sendForever(
                    Array("A: \(String(repeating: "a", count: 4096))\r\n".utf8), everyMilliseconds: 0),
            ]), .malformed),
        FetchFault(
            "a line of the head without end",
            ServedAnswer([
                .send(Array("HTTP/1.1 200 OK\r\nA: ".utf8)),
                .sendForever([UInt8](repeating: 0x61, count: 4096), everyMilliseconds: 0),
            ]), .malformed),
        FetchFault(
            "a chunk without a size",
            .head(
                length: nil, ["Transfer-Encoding: chunked"],
                then: [.send(Array("none\r\na list\r\n0\r\n\r\n".utf8)), .hold]), .malformed,
            twin: .head(
                length: nil, ["Transfer-Encoding: chunked"],
                then: [.send(Array("2\r\na \r\n4;x=y\r\nlist\r\n0\r\nTrailer: c\r\n\r\n".utf8)), .hold])),
        FetchFault(
            "two lengths", .head(length: 6, ["Content-Length: 7"], then: [.send(body), .hold]), .malformed,
            twin: .head(length: 6, ["Content-Length: 6"], then: [.send(body), .hold])),
        FetchFault(
            "a compressed transfer",
            .head(
                length: nil, ["Transfer-Encoding: gzip, chunked"],
                then: [.send(Array("6\r\na list\r\n0\r\n\r\n".utf8)), .hold]), .contentEncoded,
            twin: .head(
                length: nil, ["Transfer-Encoding: chunked"],
                then: [.send(Array("6\r\na list\r\n0\r\n\r\n".utf8))])),
        FetchFault(
            "no HTTP", ServedAnswer([.send(Array("SSH-2.0-OpenSSH_9\r\n".utf8)), .close]), .malformed),
        FetchFault(
            "a compressed body", .head(length: 6, ["Content-Encoding: gzip"], then: [.send(body)]),
            .contentEncoded, twin: .head(length: 6, ["Content-Encoding: identity"], then: [.send(body)])),
        FetchFault("a redirect to nowhere", .status(302), .status(302)),
        FetchFault("a redirect to itself", .redirecting(to: "/list"), .redirectedTooOften(limit: 3)),
        FetchFault("a redirect to a file", .redirecting(to: "file:///etc/passwd"), .redirectedElsewhere),
        FetchFault(
            "a redirect to another host", .redirecting(to: "https://localhost/list"), .redirectedElsewhere),
        FetchFault(
            "a redirect to another port", .redirecting(to: "https://127.0.0.1:1/list"), .redirectedElsewhere),
        FetchFault(
            "a redirect with a password", .redirecting(to: "https://me:secret@127.0.0.1/list"),
            .redirectedElsewhere),
        FetchFault(
            "a redirect to HTTP without TLS", .redirecting(to: "http://127.0.0.1/list"),
            .redirectedToPlaintext, twin: .redirecting(to: "/moved", 308)),
    ]
}
