import Testing

@testable import PCSCTransport

@Suite("States become events")
struct ReaderWatchTests {
    private static let empty = UInt(0x10)
    private static let present = UInt(0x20)
    private static let mute = UInt(0x220)
    private static let inUse = UInt(0x120)

    @Test("Q136 Readers arrive and are removed by name, and one that stays is not reported again")
    func list() {
        var watch = ReaderWatch()
        #expect(watch.list(["A", "B"]) == [.readerArrived("A"), .readerArrived("B")])
        #expect(watch.list(["A", "B"]).isEmpty)
        #expect(watch.list(["B", "C"]) == [.readerRemoved("A"), .readerArrived("C")])
        #expect(watch.known.map(\.name) == ["B", "C"])
    }

    @Test("A new reader is asked for with UNAWARE, later with its last state and counter")
    func known() {
        var watch = ReaderWatch()
        _ = watch.list(["A"])
        #expect(watch.known[0].state == 0)
        _ = watch.observe("A", state: changed(Self.empty, 4))
        #expect(watch.known[0].state == Self.empty | 4 << 16)
    }

    @Test("A card comes and goes with the counter")
    func comingAndGoing() {
        var watch = watching()
        #expect(
            watch.observe("A", state: changed(Self.present, 1)) == [.cardInserted(reader: "A", counter: 1)])
        #expect(watch.observe("A", state: changed(Self.empty, 2)) == [.cardRemoved(reader: "A", counter: 2)])
    }

    @Test("A state that did not change says nothing, nor does another program's use")
    func silence() {
        var watch = watching()
        #expect(watch.observe("A", state: Self.present | 1 << 16).isEmpty)
        _ = watch.observe("A", state: changed(Self.present, 1))
        #expect(watch.observe("A", state: changed(Self.inUse, 1)).isEmpty)
        #expect(watch.observe("Z", state: changed(Self.present, 1)).isEmpty)
    }

    @Test("A card swapped between two looks is removed and inserted, also when the counter wraps")
    func swapped() {
        var watch = watching()
        _ = watch.observe("A", state: changed(Self.present, 0xFFFF))
        #expect(
            watch.observe("A", state: changed(Self.present, 1))
                == [.cardRemoved(reader: "A", counter: 1), .cardInserted(reader: "A", counter: 1)])
    }

    @Test("Q131 Something that does not power up is mute, and a card when it does")
    func mute() {
        var watch = watching()
        #expect(watch.observe("A", state: changed(Self.mute, 1)) == [.cardMute(reader: "A", counter: 1)])
        #expect(
            watch.observe("A", state: changed(Self.present, 1))
                == [.cardRemoved(reader: "A", counter: 1), .cardInserted(reader: "A", counter: 1)])
    }

    @Test("A card that was on a removed reader is reported again when both return")
    func replugged() {
        var watch = watching()
        _ = watch.observe("A", state: changed(Self.present, 1))
        _ = watch.list([])
        _ = watch.list(["A"])
        #expect(
            watch.observe("A", state: changed(Self.present, 0)) == [.cardInserted(reader: "A", counter: 0)])
    }

    @Test("Q136 A phone on a reader that pcscd only lists so far is reported later; an empty reader is not")
    func listedBeforeLookedAt() {
        var watch = ReaderWatch()
        _ = watch.list(["A"])
        #expect(watch.observe("A", state: changed(0, 6)).isEmpty)
        #expect(watch.known[0].state == Self.empty | 6 << 16)
        var other = watch
        #expect(
            watch.observe("A", state: changed(Self.present, 6)) == [.cardInserted(reader: "A", counter: 6)])
        #expect(watch.known[0].state == Self.present | 6 << 16)
        #expect(other.observe("A", state: Self.empty | 6 << 16).isEmpty)
        #expect(other.known[0].state == Self.empty | 6 << 16)
    }

    private func watching() -> ReaderWatch {
        var watch = ReaderWatch()
        _ = watch.list(["A"])
        _ = watch.observe("A", state: changed(Self.empty, 0))
        return watch
    }

    private func changed(_ state: UInt, _ counter: UInt) -> UInt {
        state | 0x02 | counter << 16
    }
}
