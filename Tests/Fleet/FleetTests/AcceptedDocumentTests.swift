import Foundation
import JSON
import MdocModel
import OpenSSLCrypto
import Testing

@testable import Fleet

@Suite("What a kiosk obeys")
struct AcceptedDocumentTests {
    let scene: FleetScene

    init() throws { scene = try FleetScene() }

    /// Refused for this reason, and nothing has changed.
    private func expect(
        _ error: FleetDocumentError, _ bytes: [UInt8], in documents: AcceptedDocuments? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var after = try documents ?? scene.documents()
        let before = after
        #expect(throws: error, sourceLocation: sourceLocation) { try after.accept(bytes, at: FleetScene.now) }
        #expect(
            after.documents.mapValues(\.encoded) == before.documents.mapValues(\.encoded),
            sourceLocation: sourceLocation)
        #expect(after.seen == before.seen, sourceLocation: sourceLocation)
        #expect(after.keyring.withdrawn == before.keyring.withdrawn, sourceLocation: sourceLocation)
    }

    /// Refused for whatever reason.
    private static func isRefused(_ bytes: [UInt8], by documents: inout AcceptedDocuments) -> Bool {
        do throws(FleetDocumentError) {
            try documents.accept(bytes, at: FleetScene.now)
            return false
        } catch {
            return true
        }
    }

    @Test("A document that was verified is refused once another one has withdrawn its key")
    func withdrawnMeanwhile() throws {
        var documents = try scene.documents()
        let verified = try VerifiedFleetDocument(try scene.document(), by: documents.keyring)
        var before = documents
        #expect(try before.accept(verified, at: FleetScene.now))
        let daily = try scene.daily.fleetKey.id
        try documents.accept(
            try scene.document(.site, "harbour", withdrawn: [daily], by: scene.safe), at: FleetScene.now)
        #expect(throws: FleetDocumentError.keyWithdrawn) {
            try documents.accept(verified, at: FleetScene.now)
        }
        #expect(documents.documents[.chain] == nil)
    }

    @Test("A document of each of its levels is obeyed, by either key, and once")
    func accepted() throws {
        var documents = try scene.documents()
        for (level, name) in [(FleetLevel.chain, "utopia"), (.site, "harbour"), (.kiosk, "till-1")] {
            let bytes = try scene.document(level, name, by: level == .site ? scene.safe : nil)
            #expect(try documents.accept(bytes, at: FleetScene.now))
            #expect(try !documents.accept(bytes, at: FleetScene.now))
        }
        #expect(documents.documents.count == 3)
    }

    @Test("A document with any changed byte is refused")
    func changed() throws {
        let bytes = try scene.document()
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 1
            var documents = try scene.documents()
            #expect(Self.isRefused(other, by: &documents))
            #expect(documents.documents.isEmpty)
        }
        var other = bytes
        other[other.count - 1] ^= 1
        try expect(.changed, other)
        try expect(.malformed, Array(bytes.dropLast()))
        try expect(.malformed, [])
        try expect(.tooLong, [UInt8](repeating: 0, count: FleetDocument.maximumSize + 1))
    }

    @Test("Another chain's, another site's and another kiosk's document is refused by name")
    func others() throws {
        try expect(.otherChain, try scene.document(chain: "erewhon"))
        try expect(.otherName, try scene.document(.site, "airport"))
        try expect(.otherName, try scene.document(.kiosk, "till-2"))
        // It is in no group.
        try expect(.otherName, try scene.document(.group, "harbour"))
        try expect(.otherName, try scene.document(.chain, "till-1"))
    }

    @Test("A stranger's key signs nothing")
    func stranger() throws {
        try expect(.keyUnknown, try scene.document(by: PrivateKeyBox()))
    }

    @Test("A version that was accepted, another document with its number and an older version are refused")
    func older() throws {
        var documents = try scene.documents()
        try documents.accept(try scene.document(version: 5), at: FleetScene.now)
        try expect(.older(than: 5), try scene.document(version: 4), in: documents)
        try expect(
            .versionTaken, try scene.document(version: 5, configuration: #"{"log": "debug"}"#), in: documents)
        try documents.accept(try scene.document(version: 6), at: FleetScene.now)
        // Another level has versions of its own.
        try documents.accept(try scene.document(.site, "harbour", version: 1), at: FleetScene.now)
    }

    @Test("A stolen key can use up its own version numbers, but not those of an earlier key")
    func usedUp() throws {
        var documents = try scene.documents()
        try documents.accept(try scene.document(version: FleetDocument.highestVersion), at: FleetScene.now)
        let daily = try scene.daily.fleetKey.id
        let rescue = try scene.document(version: 5, withdrawn: [daily], by: scene.safe)
        try documents.accept(rescue, at: FleetScene.now)
        #expect(documents.documents[.chain]?.encoded == rescue)
        try expect(.older(than: 5), try scene.document(version: 4, by: scene.safe), in: documents)
    }

    @Test(
        "A later key's versions are above those of an earlier key, whose document does not come back after it"
    )
    func laterKey() throws {
        var documents = try scene.documents()
        let first = try scene.document(version: 5, by: scene.safe)
        try documents.accept(first, at: FleetScene.now)
        try expect(.older(than: 5), try scene.document(version: 4), in: documents)
        try expect(.versionTaken, try scene.document(version: 5), in: documents)
        try documents.accept(try scene.document(version: 6), at: FleetScene.now)
        try expect(.versionTaken, first, in: documents)
    }

    @Test("A version that JSON cannot say exactly is no version")
    func tooHigh() throws {
        try expect(.malformed, try scene.document(version: FleetDocument.highestVersion + 1))
        try expect(.malformed, try scene.document(version: Int64.max))
        try expect(.malformed, try scene.document(version: 0))
    }

    @Test("A document of the future waits; one within the clocks' skew does not")
    func future() throws {
        let skewed = FleetScene.now.advanced(bySeconds: 300)
        try expect(.notYetValid, try scene.document(created: skewed.advanced(bySeconds: 1)))
        var documents = try scene.documents()
        try documents.accept(try scene.document(created: skewed), at: FleetScene.now)
    }

    @Test("After a key is withdrawn, new documents that it signs are refused; its earlier documents stay")
    func withdrawn() throws {
        var documents = try scene.documents()
        try documents.accept(try scene.document(.site, "harbour"), at: FleetScene.now)
        let daily = try scene.daily.fleetKey.id
        try documents.accept(
            try scene.document(version: 1, withdrawn: [daily], by: scene.safe), at: FleetScene.now)
        try expect(.keyWithdrawn, try scene.document(version: 2), in: documents)
        #expect(documents.documents[.site] != nil)
        try documents.accept(try scene.document(version: 2, by: scene.safe), at: FleetScene.now)
        // Leaving it out does not bring it back.
        try expect(.keyWithdrawn, try scene.document(version: 3), in: documents)
    }

    @Test("A key can withdraw neither itself nor an earlier key")
    func withdrawalNotAllowed() throws {
        let (safe, daily) = (try scene.safe.fleetKey.id, try scene.daily.fleetKey.id)
        try expect(.withdrawalNotAllowed, try scene.document(withdrawn: [safe]))
        try expect(.withdrawalNotAllowed, try scene.document(withdrawn: [daily]))
        try expect(.withdrawalNotAllowed, try scene.document(withdrawn: [safe], by: scene.safe))
    }

    @Test("Levels change the configuration one after the other, as a JSON Merge Patch does")
    func composed() throws {
        var documents = try scene.documents()
        let base = #"{"log": "info", "limits": {"listeners": 10}, "presets": [1], "endSeconds": 5}"#
        #expect(try documents.configuration(over: Array(base.utf8)) == .file(Array(base.utf8)))
        try documents.accept(
            try scene.document(
                .kiosk, "till-1", configuration: #"{"limits": {"listeners": 30}, "endSeconds": null}"#),
            at: FleetScene.now)
        try documents.accept(
            try scene.document(
                configuration: #"{"log": "debug", "limits": {"listeners": 20, "connections": 7}}"#),
            at: FleetScene.now)
        let changed: JSONValue = [
            "log": "debug", "limits": ["listeners": .integer(30), "connections": .integer(7)],
            "presets": .array([.integer(1)]),
        ]
        #expect(try documents.configuration(over: Array(base.utf8)) == .changed(JSONItem(changed)))
        // The white space of the file is not part of what it says.
        let spaced = Array(base.replacing(":", with: " : ").utf8)
        #expect(try documents.configuration(over: spaced) == .changed(JSONItem(changed)))
    }

    @Test(
        "Where the kiosk keeps things, and whom it obeys, only its own file says",
        arguments: ["store", "keys", "fleet", "$schema"])
    func fixed(_ name: String) throws {
        try expect(.memberFixed(name), try scene.document(configuration: "{\"\(name)\": null}"))
    }

    @Test("A configuration that is no object, or has a number that is not whole, is refused")
    func malformedConfiguration() throws {
        for text in ["[]", "{", "1", #"{"endSeconds": 1.5}"#, #"{"a": [{"b": 1e3}]}"#, #"{"a": 1, "a": 2}"#] {
            var documents = try scene.documents()
            let bytes = try scene.document(configuration: text)
            #expect(Self.isRefused(bytes, by: &documents), "\(text)")
            #expect(documents.documents.isEmpty)
        }
    }
}

@Suite("What a kiosk keeps of its fleet")
struct FleetFolderTests {
    let scene: FleetScene
    let store = FleetStore()

    init() throws { scene = try FleetScene() }

    @Test("After a restart it obeys the same, refuses the same, and is stopped where it was")
    func restarted() throws {
        let folder = try FleetFolder(store: store.path)
        var documents = try folder.load(scene.membership, scene.keys).accepted
        try documents.accept(
            try scene.document(version: 3, configuration: #"{"log": "debug"}"#, by: scene.safe),
            at: FleetScene.now)
        let daily = try scene.daily.fleetKey.id
        try documents.accept(
            try scene.document(.site, "harbour", version: 2, withdrawn: [daily], by: scene.safe),
            at: FleetScene.now)
        try folder.save(documents, isStopped: true)
        let state = try FleetFolder(store: store.path).load(scene.membership, scene.keys)
        var after = state.accepted
        #expect(state.isStopped)
        #expect(after.documents.mapValues(\.encoded) == documents.documents.mapValues(\.encoded))
        #expect(throws: FleetDocumentError.keyWithdrawn) {
            try after.accept(try scene.document(version: 4), at: FleetScene.now)
        }
        #expect(throws: FleetDocumentError.older(than: 3)) {
            try after.accept(try scene.document(version: 2, by: scene.safe), at: FleetScene.now)
        }
    }

    @Test("A document that was lost between its number and its file comes again")
    func lost() throws {
        let folder = try FleetFolder(store: store.path)
        var documents = try folder.load(scene.membership, scene.keys).accepted
        let (first, second) = (try scene.document(version: 1), try scene.document(version: 2))
        try documents.accept(first, at: FleetScene.now)
        try documents.accept(second, at: FleetScene.now)
        try folder.save(documents, isStopped: false)
        // The power was cut before the file was replaced.
        try Data(first).write(to: URL(filePath: "\(folder.path)/chain.cose"))
        var after = try folder.load(scene.membership, scene.keys).accepted
        #expect(after.documents[.chain]?.encoded == first)
        #expect(throws: FleetDocumentError.versionTaken) {
            try after.accept(
                try scene.document(version: 2, configuration: #"{"log": "debug"}"#), at: FleetScene.now)
        }
        #expect(try after.accept(second, at: FleetScene.now))
        #expect(after.documents[.chain]?.encoded == second)
    }

    @Test("A highest version is kept and read again, and does not keep a stopped kiosk from starting stopped")
    func highestVersion() throws {
        let folder = try FleetFolder(store: store.path)
        var documents = try folder.load(scene.membership, scene.keys).accepted
        try documents.accept(try scene.document(version: FleetDocument.highestVersion), at: FleetScene.now)
        try folder.save(documents, isStopped: true)
        let state = try folder.load(scene.membership, scene.keys)
        #expect(state.isStopped)
        #expect(state.accepted.seen == documents.seen)
    }

    @Test("A document whose trial ended twice without a result is refused; after one it is tried again")
    func trials() throws {
        let folder = try FleetFolder(store: store.path)
        let bytes = try scene.document(configuration: #"{"log": "debug"}"#)
        for _ in 0..<2 {
            var good = try folder.load(scene.membership, scene.keys).accepted
            var candidate = good
            try candidate.accept(bytes, at: FleetScene.now)
            good.beginTrial(of: ScriptedHub.digest(bytes))
            try folder.save(good, isStopped: false)
            // The daemon ends here: what it starts with is what was there before.
            #expect(try folder.load(scene.membership, scene.keys).accepted.documents.isEmpty)
        }
        var after = try folder.load(scene.membership, scene.keys).accepted
        #expect(throws: FleetDocumentError.failedBefore) { try after.accept(bytes, at: FleetScene.now) }
        after.endTrial()
        #expect(try after.accept(bytes, at: FleetScene.now))
    }

    @Test(
        "A stored document of a key or a site that the file no longer names is left out, and the daemon starts"
    )
    func leftOut() throws {
        let folder = try FleetFolder(store: store.path)
        var documents = try folder.load(scene.membership, scene.keys).accepted
        try documents.accept(try scene.document(by: scene.safe), at: FleetScene.now)
        try documents.accept(try scene.document(.site, "harbour"), at: FleetScene.now)
        try folder.save(documents, isStopped: false)
        let other = FleetMembership(
            chain: scene.membership.chain, site: try .named("airport"), group: nil,
            kiosk: scene.membership.kiosk)
        let moved = try folder.load(other, scene.keys).accepted
        #expect(moved.leftOut == [.site: .otherName] && moved.documents.keys.contains(.chain))
        let daily = try folder.load(scene.membership, [scene.daily.fleetKey]).accepted
        #expect(daily.leftOut == [.chain: .keyUnknown] && daily.documents.keys.contains(.site))
    }

    @Test("Its key is made once, and only its owner may read it")
    func key() throws {
        let folder = try FleetFolder(store: store.path)
        let first = try folder.key().publicKey().encodedPoint
        #expect(try folder.key().publicKey().encodedPoint == first)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.keyPath)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("A document that somebody changed on the disk is not obeyed: the daemon says so and does not start")
    func changed() throws {
        let folder = try FleetFolder(store: store.path)
        var documents = try folder.load(scene.membership, scene.keys).accepted
        try documents.accept(try scene.document(), at: FleetScene.now)
        try folder.save(documents, isStopped: false)
        let path = "\(folder.path)/chain.cose"
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        bytes[bytes.count - 1] ^= 1
        try Data(bytes).write(to: URL(filePath: path))
        #expect(throws: FleetFolderError.document(.chain, .changed)) {
            try folder.load(scene.membership, scene.keys)
        }
        try Data("{".utf8).write(to: URL(filePath: "\(folder.path)/state.json"))
        #expect(throws: FleetFolderError.stateMalformed) { try folder.load(scene.membership, scene.keys) }
    }

    @Test("A digest of a document that is damaged in state.json is named, so that no refusal is forgotten")
    func damagedDigest() throws {
        let folder = try FleetFolder(store: store.path)
        try folder.save(try folder.load(scene.membership, scene.keys).accepted, isStopped: false)
        let digest = String(repeating: "ab", count: 32)
        func load(latest: String, failed: String, trial: String) throws {
            let state = """
                {"seen": {"chain": {"latest": "\(latest)", "versions": {}}}, "withdrawn": [], "failed": ["\(failed)"],
                 "trials": {"\(trial)": 1}, "stopped": false}
                """
            try Data(state.utf8).write(to: URL(filePath: "\(folder.path)/state.json"))
            _ = try folder.load(scene.membership, scene.keys)
        }
        try load(latest: digest, failed: digest, trial: digest)
        for damaged in ["", "x" + digest.dropFirst(), String(digest.dropLast(2))] {
            #expect(throws: FleetFolderError.stateMalformed) {
                try load(latest: damaged, failed: digest, trial: digest)
            }
            #expect(throws: FleetFolderError.stateMalformed) {
                try load(latest: digest, failed: damaged, trial: digest)
            }
            #expect(throws: FleetFolderError.stateMalformed) {
                try load(latest: digest, failed: digest, trial: damaged)
            }
        }
    }
}

@Suite("What comes from a broker")
struct FleetTopicTests {
    @Test("A malformed change notice or kiosk presence is ignored")
    func malformed() throws {
        let notice = ChangeNotice(change: 7, spreadSeconds: 20)
        #expect(ChangeNotice(notice.payload) == notice)
        let presence = KioskPresence(isOnline: true, software: "1.0")
        #expect(KioskPresence(presence.payload) == presence)
        #expect(KioskPresence(KioskPresence.offline.payload) == .offline)
        for text in [
            "", "{", "[]", "null", #"{"change": 1}"#, #"{"change": -1, "spreadSeconds": 1}"#,
            #"{"change": 1, "spreadSeconds": 61}"#, #"{"change": 1, "spreadSeconds": 1, "more": 1}"#,
            #"{"online": true, "software": "\u0000"}"#, #"{"online": true, "software": "ä"}"#,
            #"{"online": 1}"#, #"{"online": true, "software": 1}"#, #"{"online": true, "name": "Jane"}"#,
            String(repeating: " ", count: 2000), "\u{0}",
        ] {
            #expect(ChangeNotice(Array(text.utf8)) == nil, "\(text)")
            #expect(KioskPresence(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("A topic names its kiosk, and no other topic does")
    func topics() throws {
        let topics = FleetTopics(try .named("utopia"))
        let kiosk = try FleetName.named("till-1")
        #expect(topics.kiosk(ofPresence: topics.presence(of: kiosk)) == kiosk)
        for topic in [
            "countersign/1/utopia/kiosk/till-1/notice", "countersign/1/other/kiosk/till-1/presence",
            "countersign/1/utopia/kiosk/a/b/presence", "countersign/1/utopia/kiosk//presence",
            "countersign/1/utopia/kiosk/presence", "",
        ] { #expect(topics.kiosk(ofPresence: topic) == nil, "\(topic)") }
    }

    @Test("A name that would change a topic, a path or a certificate is no name")
    func names() {
        for text in ["", "-a", "A", "a/b", "a+", "#", "a.b", "a b", "ä", String(repeating: "a", count: 49)] {
            #expect(FleetName(text) == nil, "\(text)")
        }
        for text in ["a", "0", "till-7", String(repeating: "a", count: 48)] {
            #expect(FleetName(text) != nil, "\(text)")
        }
    }
}
