internal import ReaderService

/// Who has the next turn of a lane that asks by itself.
extension PresentationCoordinator {
    /// Whether the lane may ask the next phone: nothing runs there, nobody takes its turn, and the
    /// result before was shown.
    func isFree(lane name: String) -> Bool {
        guard let lane = standing[name], holds[name] == nil, !book.isBusy(lane: name) else { return false }
        // One that was cancelled may still be notifying its phone.
        guard book.latest(at: name).flatMap({ running[$0.id] }) == nil else { return false }
        return !lane.isResting(at: .now)
    }

    /// Takes the lane's next turn from its standing order, unless a phone is being asked. `release` gives it back.
    func hold(lane name: String) async {
        holds[name, default: 0] += 1
        guard let id = standing[name]?.waiting ?? standing[name]?.yielding else { return }
        standing[name]?.phase = .yielding(id)
        if book.cancel(id) { await lanes[name]?.lane.cancel() }
        await running[id]?.value
        perform(book.withdraw(id))
        if standing[name]?.yielding == id { standing[name]?.phase = .idle }
    }

    func release(lane name: String) {
        holds[name] = holds[name].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// A customer is served: the result stays for a while before the lane asks the next.
    func rest(lane name: String) {
        guard let page = lanes[name]?.page else { return }
        standing[name]?.rest(for: .seconds(page.resultSeconds), from: .now)
    }
}
