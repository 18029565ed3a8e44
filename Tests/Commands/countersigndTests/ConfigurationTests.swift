import Foundation
import Glibc
import OpenSSLCrypto
import OtherPrograms
import Testing

@Suite("The configuration of countersignd")
struct ConfigurationTests {
    private static func check(_ text: String, environment: [String: String] = [:]) async throws -> (
        Int32, String
    ) {
        let file = FileManager.default.temporaryDirectory.appending(path: "countersignd-\(UUID()).json")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let run = try BuiltProgram(
            "countersignd", ["--config", file.path, "--check"], environment: environment)
        return (try await run.ended(), run.errors.replacingOccurrences(of: file.path, with: "FILE"))
    }

    @Test("Every fault is named with its line, and one does not hide another")
    func faults() async throws {
        let (status, text) = try await Self.check(
            """
            {
              "store": "relative",
              "http": {"port": 0},
              "tokens": [
                {"name": "a", "sha256": "12", "scopes": ["app"]},
                {"name": "b", "sha256": "\(String(repeating: "0", count: 64))", "scopes": ["root"]}
              ],
              "policies": {"age": "lax"},
              "limits": {"listeners": 0},
              "webhooks": {"origins": ["http://far.example"], "secretFile": "/x"},
              "lanes": [
                {"name": "a b"},
                {"name": "one", "benchLink": "tcp://127.0.0.1:1"},
                {"name": "one", "benchLink": "tcp://127.0.0.1:2"},
                {"name": "two", "benchLink": "tcp://192.0.2.1:2"}
              ]
            }
            """)
        #expect(status == 64)
        for line in [2, 3, 5, 6, 8, 9, 10, 12, 14, 15] {
            #expect(text.contains("FILE:\(line):"), "\(line): \(text)")
        }
        #expect(!text.contains("FILE:13:"))
    }

    @Test(
        "Two tokens with the same digest are a fault, and so is the digest of empty text; two digests are no fault"
    )
    func tokenDigests() async throws {
        func check(_ digests: [String]) async throws -> (Int32, String) {
            let tokens = digests.enumerated().map {
                #"{"name": "t\#($0)", "sha256": "\#($1)", "scopes": ["app"]}"#
            }
            return try await Self.check(
                """
                {"store": "/nonexistent/store",
                 "lanes": [{"name": "one", "benchLink": "tcp://127.0.0.1:1"}],
                 "tokens": [
                \(tokens.joined(separator: ",\n"))]}
                """)
        }
        let (one, two) = (String(repeating: "1a", count: 32), String(repeating: "2b", count: 32))
        let distinct = try await check([one, two])
        #expect(!distinct.1.contains("/tokens"), "\(distinct)")
        // In capital letters it is the same digest.
        for second in [one, one.uppercased()] {
            let (status, text) = try await check([one, second])
            #expect(status == 64 && text.contains("FILE:5:") && text.contains("another token"), "\(text)")
        }
        for empty in ["", "\n", " "] {
            let digest = Digest(.sha256, of: Array(empty.utf8)[...]).bytes
            let (status, text) = try await check([one, digest.map { String(format: "%02x", $0) }.joined()])
            #expect(status == 64 && text.contains("of an empty text"), "\(text)")
        }
    }

    @Test("A faulty socket is the only fault: nothing is said of callers that it would name")
    func faultySocket() async throws {
        let (status, text) = try await Self.check(
            """
            {"lanes": [{"name": "one"}],
             "socket": {"mode": "0778", "users": [{"uid": 7, "scopes": ["readerTokens"]}]},
             "readerTokens": {
              "keys": [{"brand": "acme", "kid": "k1", "keyFile": "/srv/k.pem"}],
              "grants": [{"brand": "acme", "caller": "uid:7", "instances": ["00"]}]}}
            """)
        #expect(status == 64)
        #expect(text.contains("/socket/mode: must be a file mode"), "\(text)")
        #expect(!text.contains("caller: must be"), "\(text)")
    }

    @Test("Every fault within one value is named too, each with line, column and JSON Pointer")
    func faultsWithin() async throws {
        let (status, text) = try await Self.check(
            """
            {
              "http": {"port": 0, "prot": 1},
              "tokens": [{"name": "uid:ä", "sha256": "12", "scopes": ["app", "root"], "lanes": "a"}],
              "lanes": [{"name": "a b", "waitSeconds": 0, "page": {"antenna": {"x": 101, "y": 0}}}],
              "lame": []
            }
            """)
        #expect(status == 64)
        #expect(text.hasPrefix("error: "))
        let lines = text.replacing("error: ", with: "").split(separator: "\n").map {
            $0.prefix { $0 != " " } + $0.split(separator: " ")[1]
        }
        #expect(
            lines == [
                "FILE:2:20:/http/port:", "FILE:2:23:/http/prot:", "FILE:3:23:/tokens/0/name:",
                "FILE:3:42:/tokens/0/sha256:", "FILE:3:66:/tokens/0/scopes/1:", "FILE:3:84:/tokens/0/lanes:",
                "FILE:4:22:/lanes/0/name:", "FILE:4:44:/lanes/0/waitSeconds:",
                "FILE:4:67:/lanes/0/page/antenna/place:", "FILE:4:73:/lanes/0/page/antenna/x:",
                "FILE:5:3:/lame:",
            ], "\(text)")
    }

    @Test("A member that is misspelt, twice or missing is a fault, and so is a file that is no configuration")
    func members() async throws {
        for (text, words) in [
            (#"{"lanes": [], "testRoots": []}"#, "/testRoots: must contain at least one root"),
            (#"{"lanes": [], "acceptTestDocuments": 1}"#, "must be true or false"),
            (
                #"{"lanes": [{"name": "one", "requestVersion": "1.1"}]}"#,
                #"/lanes/0/requestVersion: must be one of "auto", "1.0""#
            ),
            (
                #"{"lanes": [{"name": "one", "fieldTrace": {}}]}"#,
                #"/lanes/0/fieldTrace/file: the member "file" is missing"#
            ),
            (
                #"{"lanes": [{"name": "one", "fieldTrace": {"file": "trace"}}]}"#,
                "/lanes/0/fieldTrace/file: must be a path that begins with /"
            ),
            (
                #"{"lanes": [{"name": "one", "fieldTrace": {"file": "/a", "bytes": 1}}]}"#,
                "/lanes/0/fieldTrace/bytes: must be a whole number from 65536 to 268435456"
            ),
            (
                #"{"lanes": [{"name": "one", "benchLink": "tcp://127.0.0.1:7", "fieldTrace": {"file": "/a"}}]}"#,
                "benchLink and fieldTrace cannot be given together"
            ),
            (
                #"{"lanes": [{"name": "one", "readerCommands": ["beep"]}]}"#,
                #"/lanes/0/readerCommands/0: must be one of "pollingFrame", "quiet""#
            ),
            (
                #"{"lanes": [{"name": "one", "benchLink": "tcp://127.0.0.1:1", "readerCommands": []}]}"#,
                "benchLink and readerCommands cannot be given together"
            ),
            (#"{"lanes": [], "lane": 1}"#, "\"lane\" is not known"),
            (#"{"lanes": [], "lanes": []}"#, "duplicate member"),
            ("{}", "\"lanes\" is missing"), ("{\"lanes\": []}", "/lanes: must contain at least one lane"),
            ("{\n\nlanes", "FILE:3:1: this is not JSON"),
            (
                #"{"store": "/a/b", "keys": "/a/b/c", "lanes": [{"name": "one"}]}"#,
                "FILE:1:27: /keys: must be a folder outside of store"
            ),
            (
                #"{"documentSigners": {"org.iso.18013.5.1.mDL": []}, "lanes": [{"name": "one"}]}"#,
                "/documentSigners/org.iso.18013.5.1.mDL: the name must be a document type"
            ),
            (
                #"{"socket": {"path": "/\#(String(repeating: "x", count: 107))"}, "lanes": [{"name": "one"}]}"#,
                "/socket/path: must be a text of 1 to 107 bytes"
            ),
            (
                #"{"socket": {"mode": "0778"}, "lanes": [{"name": "one"}]}"#,
                "/socket/mode: must be a file mode from \"0\" to \"0777\""
            ),
            (
                #"{"socket": {"users": [{"uid": 7, "scopes": []}]}, "lanes": [{"name": "one"}]}"#,
                "/socket/users/0/scopes: must contain at least one scope"
            ),
            (
                #"{"webhooks": {"origins": ["https://shop.example/x"], "secretFile": "/s"}, "lanes": [{"name": "one"}]}"#,
                "/webhooks/origins/0: must be an origin without a path"
            ),
            (
                #"{"fleet": {"chain": "utopia", "kiosk": "till-1", "hubs": ["http://hub.example"], "authority": "/a", "keys": ["/k"]}, "lanes": [{"name": "one"}]}"#,
                "/fleet/hubs/0: must be https:// and a host, without a path"
            ),
            (
                #"{"presets": [{"name": "", "intent": "age over 18", "wish": 1}], "lanes": [{"name": "one"}]}"#,
                #"/presets/0/wish: the member "wish" is not known"#
            ),
            ("", "this is not JSON"),
        ] {
            let (status, errors) = try await Self.check(text)
            #expect(status == 64 && errors.contains(words), "\(text): \(errors)")
        }
    }

    @Test(
        "A shop's look is refused with its reason: colours that cannot be read, a logo that is no PNG, texts that mean an outcome"
    )
    func brands() async throws {
        let logo = FileManager.default.temporaryDirectory.appending(path: "logo-\(UUID()).png").path
        defer { try? FileManager.default.removeItem(atPath: logo) }
        _ = FileManager.default.createFile(atPath: logo, contents: Data("no picture".utf8))
        let dark = ##"{"ground": "#7a1f3d", "words": "#FFFFFF"}"##
        for (brand, page, status, words) in [
            (#"{"name": "Corner Wines", "colours": \#(dark), "welcome": "Good evening"}"#, "{}", 0, nil),
            (
                ##"{"name": "a", "colours": {"ground": "#777777", "words": "#ffffff"}}"##, "{}", 64,
                "/lanes/0/brand/colours: the contrast of ground and words is 4.47:1, below 4.50:1"
            ),
            (
                ##"{"name": "a", "colours": {"ground": "#77777", "words": "#ffffff"}}"##, "{}", 64,
                "/lanes/0/brand/colours/ground: must be a colour such as"
            ),
            (#"{"welcome": "a"}"#, "{}", 64, #"the member "name" is missing"#),
            (#"{"name": "a", "logo": "a.png"}"#, "{}", 64, "must be a path that begins with /"),
            (#"{"name": "a", "logo": "\#(logo)"}"#, "{}", nil, "lanes[0].brand.logo: \(logo): the logo: "),
            (
                #"{"name": "a", "logo": "\#(logo).gone"}"#, "{}", nil,
                "the file does not exist, or cannot be read"
            ),
            (
                #"{"name": "a"}"#,
                #"{"reader": "builtIn", "accepts": ["Any wallet"], "asks": ["age_over_18"], "speaks": true, "texts": {"ar": {"customer.idle.head": "b"}}}"#,
                0, nil
            ),
            (#"{"name": "a"}"#, #"{"texts": {"en": {"customer.yes.head": "b"}}}"#, 64, "cannot be replaced"),
            (
                #"{"name": "a"}"#, #"{"texts": {"xx": {}}}"#, 64,
                "the name must be a language of the pages: ar, de"
            ),
            (
                #"{"name": "a"}"#, #"{"reader": "round"}"#, 64,
                #"must be one of "square", "upright", "builtIn""#
            ),
        ] as [(String, String, Int32?, String?)] {
            let (ended, errors) = try await Self.check(
                #"{"lanes": [{"name": "a", "brand": \#(brand), "page": \#(page)}]}"#)
            #expect(status.map { ended == $0 } ?? (ended != 0), "\(brand) \(page): \(errors)")
            if let words { #expect(errors.contains(words), "\(errors)") }
        }
    }

    @Test("Who makes reader tokens names one key a brand, and lets only those have them who may ask")
    func readerTokens() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID()).pem").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let pem = try PrivateKey.generate(.p256).unprotectedPEM().withUnprotectedBytes { Data($0) }
        _ = FileManager.default.createFile(
            atPath: file, contents: pem, attributes: [.posixPermissions: 0o600])
        let key = #"{"brand": "utopia", "kid": "k1", "keyFile": "\#(file)"}"#
        let reader = String(repeating: "0", count: 32)
        let grant = #"{"caller": "till", "brand": "utopia", "instances": ["\#(reader)"]}"#
        for (keys, grants, name, scope, words) in [
            (key, grant, "till", "readerTokens", nil), ("", "", "till", "app", nil),
            (key, grant.replacing("till", with: "uid:7"), "till", "app", nil),
            (key + ", " + key, grant, "till", "readerTokens", "this brand is in the list already"),
            (key.replacing("k1", with: "k 1"), grant, "till", "readerTokens", "kid: "),
            (key.replacing(file, with: "k.pem"), grant, "till", "readerTokens", "keyFile: "),
            (key, grant, "till", "app", "caller: "), (key, grant, "desk", "readerTokens", "caller: "),
            (key, grant.replacing("till", with: "uid:8"), "till", "app", "caller: "),
            (key, grant.replacing("00", with: "0G"), "till", "readerTokens", "instances/0: "),
            (key, grant.replacing("utopia", with: ""), "till", "readerTokens", "brand: "),
            (key, grant, "uid:7", "readerTokens", "name: "),
        ] as [(String, String, String, String, String?)] {
            let (status, errors) = try await Self.check(
                """
                {
                  "socket": {"users": [{"uid": 7, "scopes": ["readerTokens"]}, {"uid": 8, "scopes": ["app"]}]},
                  "readerTokens": {"keys": [\(keys)], "grants": [\(grants)]},
                  "tokens": [{"name": "\(name)", "sha256": "\(reader)\(reader)", "scopes": ["\(scope)"]}],
                  "lanes": [{"name": "a"}]
                }
                """)
            #expect(status == (words == nil ? 0 : 64), "\(keys) \(grants): \(errors)")
            if let words { #expect(errors.contains(words), "\(errors)") }
        }
    }

    @Test("Lanes do not share a reader or an adapter")
    func sharing() async throws {
        for lanes in [
            #"{"name": "a", "reader": "ACR"}, {"name": "b", "reader": "ACR"}"#,
            #"{"name": "a"}, {"name": "b", "reader": "x"}"#,
            #"{"name": "a", "reader": "1"}, {"name": "b", "reader": "2"}"#,
            #"{"name": "a", "reader": "1", "adapter": "hci0"}, {"name": "b", "reader": "2", "adapter": "hci0"}"#,
        ] {
            let (status, errors) = try await Self.check(#"{"lanes": [\#(lanes)]}"#)
            #expect(status == 64 && errors.contains("may use the same"), "\(errors)")
        }
        let apart =
            #"{"name": "a", "reader": "1", "adapter": "hci0"}, {"name": "b", "reader": "2", "transport": "nfc"}"#
        #expect(try await Self.check(#"{"lanes": [\#(apart)]}"#).0 == 0)
    }

    @Test("The environment goes before the file, and is checked like it")
    func environment() async throws {
        let text = #"{"lanes": [{"name": "a"}]}"#
        let good = [
            "STORE": "/s", "KEYS": "/k", "SOCKET": "/" + String(repeating: "x", count: 106), "LOG": "debug",
            "HTTP_PORT": "8080",
        ]
        let bad = [
            "STORE": "s", "KEYS": "k", "PAGE": "p", "SOCKET": "/" + String(repeating: "x", count: 107),
            "LOG": "loud", "HTTP_PORT": "0",
        ]
        func check(_ variables: [String: String]) async throws -> (Int32, String) {
            let named = variables.map { ("COUNTERSIGND_\($0)", $1) }
            return try await Self.check(text, environment: Dictionary(uniqueKeysWithValues: named))
        }
        #expect(try await check(good).0 == 0)
        let (status, errors) = try await check(bad)
        #expect(status == 64)
        for name in bad.keys { #expect(errors.contains("COUNTERSIGND_\(name) "), "\(name): \(errors)") }
        #expect(try await check(["SOCKET": "s"]).0 == 64)
    }

    @Test("A reload changes tokens and drops no presentation; a file with a fault changes nothing")
    func reload() async throws {
        let reader = try await ReaderDaemon(lanes: [["--consent-time", "3000"]])
        let id = try await reader.order()
        let file = reader.folder.appending(path: "countersignd.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data("{".utf8).write(to: file)
        reader.daemon.signal(SIGHUP)
        try await reader.daemon.said("the file has faults")
        #expect(try await reader.asApp.call("GET", "/v1/lanes").status == 200)
        let digest = try #require(text.firstMatch(of: /"sha256": "([0-9a-f]+)", "scopes": \["app"\]/)?.1)
        try Data(text.replacingOccurrences(of: digest, with: String(repeating: "0", count: 64)).utf8).write(
            to: file)
        reader.daemon.signal(SIGHUP)
        try await reader.daemon.said("read its configuration file again")
        #expect(try await reader.asApp.call("GET", "/v1/lanes").problem == "unauthorized")
        #expect(try await reader.end(of: id, as: reader.asClerk).last == "verified")
    }

    @Test("A reload adds lanes and takes others away, but none that is in use")
    func lanes() async throws {
        let reader = try await ReaderDaemon(lanes: [["--consent-time", "30000"], nil])
        let id = try await reader.order(#", "lane": "lane-1""#)
        let file = reader.folder.appending(path: "countersignd.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let used = try #require(text.firstMatch(of: /"name": "lane-1", "benchLink": "(.*?)"/)?.1)
        let lanes =
            #""lanes": [{"name": "lane-3", "benchLink": "tcp://127.0.0.1:9"}, {"name": "lane-4", "benchLink": "\#(used)"}]"#
        try Data(text.replacing(/"lanes": \[.*\]/, with: lanes).utf8).write(to: file)
        reader.daemon.signal(SIGHUP)
        try await reader.daemon.said("read its configuration file again")
        let left = try await reader.asApp.call("GET", "/v1/lanes").json()["lanes"] as? [[String: Any]]
        #expect(left?.compactMap { $0["lane"] as? String } == ["lane-1", "lane-3"])
        for lane in ["lane-1", "lane-4"] { #expect(reader.daemon.errors.contains("lane=\(lane)")) }
        let cancelled = try await reader.asApp.call("DELETE", "/v1/presentations/\(id)")
        #expect(try cancelled.json()["state"] as? String == "cancelled")
    }

    @Test("systemd is notified when the daemon is ready, reloads and ends")
    func systemd() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "n-\(UUID().uuidString.prefix(8))")
            .path
        let notices = try NoticeSocket(path)
        let reader = try await ReaderDaemon(lanes: [nil], environment: ["NOTIFY_SOCKET": path])
        #expect(try notices.next().hasPrefix("READY=1"))
        reader.daemon.signal(SIGHUP)
        #expect(try notices.next().contains("RELOADING=1\nMONOTONIC_USEC="))
        #expect(try notices.next().hasPrefix("READY=1"))
        reader.daemon.signal(SIGTERM)
        #expect(try notices.next().hasPrefix("STOPPING=1"))
        #expect(try await reader.daemon.ended() == 0)
    }

    @Test("The daemon's memory is not dumped, and its log contains no personal data")
    func memory() async throws {
        let reader = try await ReaderDaemon(members: ["log": #""debug""#])
        let id = try await reader.order(
            #", "reference": "till-4711""#, intent: "identity: name, portrait")
        _ = try await reader.end(of: id)
        let name = try await reader.result(of: id, as: reader.asClerk)["name"] as? [String: Any]
        let words = [name?["given"], name?["family"]].compactMap { $0 as? String }
        #expect(words.count == 2)
        for word in words + ["till-4711", ReaderDaemon.app, ReaderDaemon.clerk] {
            #expect(!reader.daemon.errors.contains(word), "\(word)")
        }
        // Who may not be dumped has its memory map given to root alone.
        let limits = try String(contentsOfFile: "/proc/\(reader.daemon.process)/limits", encoding: .utf8)
        #expect(limits.contains(/Max core file size +0 +0/))
    }
}

/// The end of systemd.
private final class NoticeSocket {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        try #require(PlainHTTP.Address.unix(path: path).bind(descriptor))
    }

    deinit {
        close(descriptor)
        _ = unsafe unlink(path)
    }

    func next() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        try #require(count > 0, "no notice came")
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
