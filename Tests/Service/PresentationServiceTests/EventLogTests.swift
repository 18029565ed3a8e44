import JSON
import Synchronization
import Testing

@testable import PresentationService

@Suite("The log of events")
struct EventLogTests {
    private static let caller = KnownCaller(
        name: "till", scopes: [.app], lanes: nil, credential: .token([1]))

    private static func frames(_ stream: AsyncStream<String>, _ count: Int) async -> [String] {
        var frames: [String] = []
        for await frame in stream {
            frames.append(frame)
            if frames.count == count { break }
        }
        return frames
    }

    @Test("Who was away for longer than is remembered begins with what is now")
    func forgotten() async {
        var log = EventLog(run: "r")
        for number in 1...400 { log.append(.armed, ["n": .string("\(number)")], of: nil) }
        let (_, remembered) = log.listen(
            to: nil, by: Self.caller, hearingAll: true, after: "r-395", now: nil, lost: {})
        #expect(await Self.frames(remembered, 5).first?.hasPrefix("id: r-396\n") == true)
        for unknown in ["r-2", "r-401", "other-399", "r-", "r-x", ""] {
            let (_, begun) = log.listen(
                to: nil, by: Self.caller, hearingAll: true, after: unknown, now: (.laneChanged, "now"),
                lost: {})
            #expect(
                await Self.frames(begun, 1) == ["id: r-400\nevent: laneChanged\ndata: \"now\"\n\n"],
                "\(unknown)")
        }
    }

    @Test("A listener that takes nothing is let go of, and the others go on")
    func behind() async {
        var log = EventLog(run: "r")
        let isLost = Mutex(false)
        let (_, unread) = log.listen(
            to: nil, by: Self.caller, hearingAll: true, after: nil, now: nil,
            lost: { isLost.withLock { $0 = true } })
        for _ in 1...400 { log.append(.armed, "x", of: nil) }
        #expect(isLost.withLock { $0 })
        withExtendedLifetime(unread) {}
        #expect(log.listenerCount == 0)
        let (key, frames) = log.listen(
            to: nil, by: Self.caller, hearingAll: true, after: nil, now: nil, lost: {})
        log.append(.armed, "x", of: nil)
        #expect(await Self.frames(frames, 1).count == 1)
        log.leave(key)
        #expect(log.listenerCount == 0)
    }

    @Test("Only its caller gets the events of a lane's earlier presentation, even after a lost connection")
    func earlier() async {
        var log = EventLog(run: "r")
        let page = KnownCaller(name: "page", scopes: [.screen], lanes: nil, credential: .token([2]))
        let (_, shown) = log.listen(to: nil, by: page, hearingAll: true, after: nil, now: nil, lost: {})
        let (_, own) = log.listen(
            to: nil, by: Self.caller, hearingAll: false, after: nil, now: nil, lost: {})
        log.append(.armed, "earlier", of: nil, owner: "till", isLatest: false)
        log.append(.armed, "latest", of: nil, owner: "till")
        #expect(await Self.frames(shown, 1) == ["id: r-2\nevent: armed\ndata: \"latest\"\n\n"])
        #expect(await Self.frames(own, 2).first?.contains("earlier") == true)
        let (_, resumed) = log.listen(to: nil, by: page, hearingAll: true, after: "r-0", now: nil, lost: {})
        #expect(await Self.frames(resumed, 1).first?.contains("latest") == true)
    }

    @Test("An event has one line of data, whatever stands in it")
    func oneLine() async {
        var log = EventLog(run: "r")
        let (_, frames) = log.listen(
            to: nil, by: Self.caller, hearingAll: true, after: nil, now: nil, lost: {})
        log.append(.armed, ["text": "a\nb\r\n\ndata: c"], of: nil)
        let frame = await Self.frames(frames, 1)[0]
        #expect(frame.split(separator: "\n", omittingEmptySubsequences: false).count == 5)
        #expect(!frame.contains("\r"))
    }

    @Test("Who ordered a presentation gets what came of it; a page does not, even with the same token")
    func ownersData() async {
        var log = EventLog(run: "r")
        let page = KnownCaller(
            name: "till", scopes: [.screen], lanes: nil, credential: .token([1]), isPage: true)
        let listeners = [(Self.caller, false), (page, true)].map { caller, hearsAll in
            log.listen(to: nil, by: caller, hearingAll: hearsAll, after: nil, now: nil, lost: {}).frames
        }
        log.append(.ended, "less", ownersData: "more", of: PresentationID("a"), owner: "till")
        log.append(.ended, "less", ownersData: "more", of: PresentationID("b"), owner: "desk")
        let resumed = log.listen(
            to: nil, by: page, hearingAll: true, after: "r-0", now: nil, lost: {}
        ).frames
        log.close()
        var heard: [[String]] = []
        for stream in listeners + [resumed] {
            heard.append(await Array(stream).map { String($0.split(separator: "\n")[2]) })
        }
        let less = [#"data: "less""#, #"data: "less""#]
        #expect(heard == [[#"data: "more""#], less, less])
    }

    @Test("Who orders hears of its own presentations and of the lane, and a page of the lane hears all")
    func owners() async {
        var log = EventLog(run: "r")
        let (_, own) = log.listen(
            to: nil, by: Self.caller, hearingAll: false, after: nil, now: nil, lost: {})
        let (_, all) = log.listen(
            to: nil, by: Self.caller, hearingAll: true, after: nil, now: nil, lost: {})
        log.append(.armed, "another's", of: PresentationID("a"), owner: "desk")
        log.append(.laneChanged, "changed", of: nil)
        log.append(.armed, "its own", of: PresentationID("b"), owner: "till")
        log.close()
        var heard: [[String]] = [[], []]
        for await frame in own { heard[0].append(frame) }
        for await frame in all { heard[1].append(frame) }
        #expect(heard.map(\.count) == [2, 3])
        #expect(!heard[0].contains { $0.contains("another's") } && heard[1][0].contains("another's"))
    }
}

extension Array where Element == String {
    fileprivate init(_ stream: AsyncStream<String>) async {
        self = await stream.reduce(into: []) { $0.append($1) }
    }
}
