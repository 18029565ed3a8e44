import Foundation
import Glibc
import OtherPrograms
import Testing

@testable import ReaderStore

@Suite("Reader tokens and brands over HTTP")
struct ReaderTokenTests {
    @Test("A brand's identity signs for nobody who has no token of that brand")
    func identityOfBrand() async throws {
        let chain = try await TokenChain()
        _ = try await chain.run("brand", "add", "wine", "--name", "Wine", "--identity", "wine")
        func order(_ members: String) async throws -> PlainHTTP.Reply {
            try await chain.reader.asApp.call(
                "POST", "/v1/presentations",
                #"{"kind": "display", "intent": "age over 21", "identity": "wine"\#(members)}"#)
        }
        let without = try await order("")
        #expect(without.status == 403 && without.problem == "identityRefused")
        let beside = try await order(#", "readerToken": "\#(try await chain.token())""#)
        #expect(beside.status == 400 && beside.problem == "identityRefused")
    }

    @Test("A till has a token made, and a reader asks data with it in the brand's name and logo")
    func wholeWay() async throws {
        let chain = try await TokenChain(lanes: [[]])
        let check = try await SchemaCheck(chain.reader)
        let made = try await chain.ask()
        #expect(made.status == 201, "\(made.text)")
        #expect(check.faults(of: made, to: "POST", "/v1/reader-tokens").isEmpty)
        let token = try #require(made.json()["token"] as? String)
        let ordered = try await chain.order(token)
        #expect(ordered.status == 201, "\(ordered.text)")
        let brand = try #require(ordered.json()["brand"] as? [String: String])
        #expect(brand == ["name": "Utopia Rentals", "logo": "/v1/brands/utopia/logo"])
        let id = try #require(ordered.json()["id"] as? String)
        #expect(try await chain.reader.end(of: id).last == "verified")
        let logo = try await chain.reader.asClerk.call("GET", try #require(brand["logo"]))
        #expect(logo.status == 200 && Data(logo.body).base64EncodedString() == TokenChain.logo)
        let audit = chain.reader.daemon.errors.split(separator: "\n").filter {
            $0.contains("countersignd.audit")
        }
        #expect(audit.count == 1)
        for word in [
            "caller=till", "brand=utopia", "instance=\(chain.instance)", "outcome=granted", "kid=k1",
        ] {
            #expect(audit.first?.contains(word) == true, "\(word): \(audit)")
        }
        #expect(!chain.reader.daemon.errors.contains(token.suffix(20)))
    }

    @Test("Who holds the store keeps an order with a token waiting, and nobody else")
    func heldStore() async throws {
        let chain = try await TokenChain(lanes: [[]])
        let token = try await chain.token()
        let store = try ReaderStore(at: chain.reader.folder.path + "/store", for: .changing)
        let (isHeld, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let holding = Thread {
            do {
                try store.change { _ in
                    isHeld.signal()
                    isOver.wait()
                }
            } catch {
                Issue.record(error)
                isHeld.signal()
            }
        }
        holding.start()
        try await offThisThread { isHeld.wait() }
        async let ordered = chain.order(token)
        do {
            defer { isOver.signal() }
            // Nothing shows that the order waits by now.
            try await Task.sleep(for: .milliseconds(200))
            // One of these would wait with it, and it would then have waited too long.
            for _ in 0..<max(16, 2 * ProcessInfo.processInfo.activeProcessorCount) {
                #expect(try await chain.reader.asNobody.call("GET", "/healthz").status == 200)
            }
        }
        let reply = try await ordered
        #expect(reply.status == 201, "\(reply.text)")
    }

    @Test(
        "Nobody has a token who may not, for no brand and no reader but those granted, and each refusal is reported"
    )
    func refused() async throws {
        let chain = try await TokenChain()
        let check = try await SchemaCheck(chain.reader)
        let right = #"{"brand": "utopia", "instance": "\#(chain.instance)"}"#
        for (client, body, status, problem) in [
            (chain.reader.asNobody, right, 401, "unauthorized"),
            (chain.reader.asApp, right, 403, "forbidden"),
            (chain.reader.asClerk, right, 403, "forbidden"),
            (chain.reader.asAdmin, right, 403, "forbidden"),
            (chain.reader.atSocket, right, 403, "forbidden"),
            (
                chain.asTill, #"{"brand": "arcadia", "instance": "\#(chain.instance)"}"#, 403,
                "readerTokenNotGranted"
            ),
            (
                chain.asTill, #"{"brand": "utopia", "instance": "ffffffffffffffffffffffffffffffff"}"#, 403,
                "readerTokenNotGranted"
            ),
            (
                chain.asTill, #"{"brand": "bare", "instance": "\#(chain.instance)"}"#, 503, "brandUnavailable"
            ),
            (chain.asTill, #"{"brand": "utopia"}"#, 400, "bodyRefused"),
            (chain.asTill, #"{"brand": "uto pia", "instance": "\#(chain.instance)"}"#, 400, "bodyRefused"),
            (chain.asTill, #"{"brand": "utopia", "instance": "x"}"#, 400, "bodyRefused"),
        ] {
            let reply = try await client.call("POST", "/v1/reader-tokens", body)
            #expect(reply.status == status && reply.problem == problem, "\(body): \(reply.text)")
            #expect(check.faults(of: reply, to: "POST", "/v1/reader-tokens").isEmpty)
            #expect(!reply.text.contains("eyJ"))
        }
        // The scope is for this alone.
        for path in ["/v1/brands/utopia/logo", "/v1/lanes", "/v1/trust", "/metrics"] {
            #expect(try await chain.asTill.call("GET", path).problem == "forbidden", "\(path)")
        }
        #expect(
            try await chain.asTill.call("POST", "/v1/presentations", #"{"kind": "display", "intent": "x"}"#)
                .problem == "forbidden")
    }

    @Test("A reader has twelve tokens an hour, learns when to ask again, and no other waits with it")
    func rate() async throws {
        let chain = try await TokenChain()
        for _ in 0..<12 { #expect(try await chain.ask().status == 201) }
        let late = try await chain.ask()
        #expect(late.status == 429 && late.problem == "tooManyReaderTokens")
        let seconds = try #require(late.headers["retry-after"].flatMap { Int($0) })
        #expect((3000...3600).contains(seconds))
        #expect(try await chain.ask("utopia", TokenChain.other).status == 201)
        // A file that is read anew forgets nothing of it.
        try await chain.reload(keys: [("utopia", "k1")])
        #expect(try await chain.ask().problem == "tooManyReaderTokens")
        #expect(chain.reader.daemon.errors.contains("outcome=tooManyReaderTokens"))
    }

    @Test(
        "A key that is revoked makes no token from then on, and a file whose key cannot be read changes nothing"
    )
    func keys() async throws {
        let chain = try await TokenChain()
        try await chain.reload(keys: [("absent", "k9")])
        #expect(chain.reader.daemon.errors.contains("reader tokens are made as before"))
        #expect(try await chain.ask().status == 201)
        _ = try await chain.run("brand", "key", "revoke", "k1")
        let reply = try await chain.ask()
        #expect(
            reply.problem == "brandUnavailable" && reply.text.contains("token.key_revoked"), "\(reply.text)")
    }

    @Test(
        "A key in the TPM signs tokens that the brand believes, and one of another TPM changes nothing",
        .enabled(if: SoftwareTPM.isThere, "\(SoftwareTPM.missing)"))
    func inTPM() async throws {
        let (tpm, other) = (try SoftwareTPM(), try SoftwareTPM())
        let chain = try await TokenChain(inTPM: ["TPM2OPENSSL_TCTI": tpm.address])
        let file = chain.reader.folder.appending(path: "token.jwt")
        try await Data(chain.token().utf8).write(to: file)
        #expect(try await chain.run("token", "verify", file.path).contains("for Utopia Rentals (utopia)"))
        try FileManager.default.removeItem(atPath: chain.keyPath)
        try await chain.makeKey("k2", inTPM: ["TPM2OPENSSL_TCTI": other.address])
        try await chain.reload(keys: [("utopia", "k2")])
        let errors = chain.reader.daemon.errors
        #expect(errors.contains("reader tokens are made as before") && errors.contains("another TPM"))
        #expect(try await chain.ask().status == 201)
        withExtendedLifetime((tpm, other)) {}
    }

    @Test(
        "A token of another reader, one that lapsed, one that was changed and one of a revoked key prepare nothing"
    )
    func replayed() async throws {
        let chain = try await TokenChain(lanes: [[]])
        let token = try await chain.token()
        // A reader may use its own again, for two days.
        let first = try await chain.order(token)
        #expect(first.status == 201, "\(first.text)")
        _ = try await chain.reader.end(of: try #require(first.json()["id"] as? String))
        #expect(try await chain.order(token).status == 201)
        let lapsed = try await TokenChain.run([
            "token", "sign", "--brand", "utopia", "--kid", "k1", "--key",
            chain.reader.folder.path + "/utopia.pem", "--instance", chain.instance, "--at",
            "2026-01-02T00:00:00Z",
        ])
        let parts = token.split(separator: ".")
        for (replay, reason) in [
            (try await chain.token(TokenChain.other), "token.instance"),
            (lapsed.trimmingCharacters(in: .newlines), "token.expired"),
            ("\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))", "token."),
            ("\(parts[0]).\(parts[1])", "token.malformed"),
        ] {
            let reply = try await chain.order(replay)
            #expect(reply.status == 403 && reply.problem == "readerTokenRefused", "\(reason): \(reply.text)")
            #expect(reply.text.contains(reason), "\(reply.text)")
            #expect(!reply.text.contains(String(replay.suffix(20))))
        }
        _ = try await chain.run("brand", "key", "revoke", "k1")
        #expect(try await chain.order(token).text.contains("token.key_revoked"))
    }

    @Test(
        "A logo comes as PNG that nothing takes for a page, to the display alone, and what is none is reported"
    )
    func logo() async throws {
        let chain = try await TokenChain()
        let check = try await SchemaCheck(chain.reader)
        let path = "/v1/brands/utopia/logo"
        let logo = try await chain.reader.asClerk.call("GET", path)
        #expect(logo.status == 200 && check.faults(of: logo, to: "GET", "/v1/brands/{id}/logo").isEmpty)
        #expect(logo.headers["content-type"] == "image/png")
        #expect(logo.headers["x-content-type-options"] == "nosniff")
        #expect(logo.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
        for (client, path, problem) in [
            (chain.reader.asApp, path, "forbidden"), (chain.reader.asNobody, path, "unauthorized"),
            (chain.reader.asClerk, "/v1/brands/bare/logo", "brandUnknown"),
            (chain.reader.asClerk, "/v1/brands/arcadia/logo", "brandUnknown"),
            (chain.reader.asClerk, "/v1/brands/%2e%2e%2fbrands.json/logo", "brandUnknown"),
        ] {
            #expect(try await client.call("GET", path).problem == problem, "\(path)")
        }
        // What took the logo's place in the folder is no picture.
        let file = chain.reader.folder.appending(path: "store/brands/utopia.png")
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data("<svg onload='alert(1)'/>".utf8))
        try handle.close()
        let script = try await chain.reader.asClerk.call("GET", path)
        #expect(script.status == 500 && script.problem == "failed" && !script.text.contains("svg"))
    }
}
