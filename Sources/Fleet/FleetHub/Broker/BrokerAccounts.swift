internal import Fleet
internal import JSON

/// Makes the accounts that kiosks wait for: a few at a time, since the broker writes all of them to its disk for each. An account
/// is there once the broker has answered.
actor BrokerAccounts {
    /// How long a kiosk waits until its account's turn comes.
    static let turnTimeout = Duration.seconds(10)
    /// How long the broker may take to answer.
    static let answerTimeout = Duration.seconds(5)
    private static let mostAtOnce = 16
    private static let mostWaiting = 8192

    private struct Wanted {
        let kiosk: FleetName
        let password: String
        let deadline: ContinuousClock.Instant
        let answer: CheckedContinuation<Bool, Never>
    }

    /// What the broker is to answer: commands of one message, each known by its place there.
    private struct Question {
        let answer: CheckedContinuation<Set<Int>?, Never>
        let timer: Task<Void, Never>
    }

    /// Sends commands; false if nobody is connected.
    typealias Sending = @Sendable ([JSONValue]) -> Bool

    private let topics: FleetTopics
    private let answerTimeout: Duration
    private var send: Sending?
    private var wanted: [Wanted] = []
    private var isServing = false
    /// The broker's answers go to all hubs: this is which of them are for this one.
    private let hub = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    private var number = 0
    private var question: Question?

    init(_ topics: FleetTopics, answerTimeout: Duration = answerTimeout) {
        self.topics = topics
        self.answerTimeout = answerTimeout
    }

    /// How commands are sent from now on; nil if there is no connection. What was asked before is not answered any more.
    func use(_ send: Sending?) {
        self.send = send
        end(number, with: nil)
    }

    /// Whether the broker has an account for the kiosk with this password now.
    func make(_ kiosk: FleetName, password: String) async -> Bool {
        guard send != nil, wanted.count < Self.mostWaiting else { return false }
        return await withCheckedContinuation { answer in
            wanted.append(
                Wanted(kiosk: kiosk, password: password, deadline: .now + Self.turnTimeout, answer: answer))
            guard !isServing else { return }
            isServing = true
            Task { await serve() }
        }
    }

    private func serve() async {
        while !wanted.isEmpty {
            let late = wanted.prefix { $0.deadline < .now }
            wanted.removeFirst(late.count)
            for one in late { one.answer.resume(returning: false) }
            let batch = wanted.prefix(Self.mostAtOnce)
            wanted.removeFirst(batch.count)
            guard !batch.isEmpty else { continue }
            let made = await ask(batch) { BrokerCommands.createAccount(of: $0.kiosk, $0.password, topics) }
            let rest = batch.enumerated().filter { made?.contains($0.offset) != true }.map(\.element)[...]
            for (place, one) in batch.enumerated() where made?.contains(place) == true {
                one.answer.resume(returning: true)
            }
            // One that has an account gets another password. A broker that does not answer is not asked again.
            var changed: Set<Int>? = []
            if made != nil, !rest.isEmpty {
                changed = await ask(rest) { BrokerCommands.changeAccount(of: $0.kiosk, $0.password) }
            }
            for (place, one) in rest.enumerated() {
                one.answer.resume(returning: changed?.contains(place) == true)
            }
        }
        isServing = false
    }

    /// For which of these the broker has done the last of the commands; nil if it does not answer.
    private func ask(
        _ batch: ArraySlice<Wanted>, _ commands: (Wanted) -> [JSONValue]
    ) async -> Set<Int>? {
        number += 1
        let own = number
        let all = batch.enumerated().flatMap { place, one in
            let list = commands(one)
            return list.dropLast()
                + list.suffix(1).map { BrokerCommands.answered($0, as: "\(hub).\(own).\(place)") }
        }
        return await withCheckedContinuation { answer in
            question = Question(
                answer: answer,
                timer: Task {
                    try? await Task.sleep(for: answerTimeout)
                    if !Task.isCancelled { end(own, with: nil) }
                })
            if send?(all) != true { end(own, with: nil) }
        }
    }

    private func end(_ number: Int, with done: Set<Int>?) {
        guard number == self.number, let question else { return }
        self.question = nil
        question.timer.cancel()
        question.answer.resume(returning: done)
    }

    /// What the broker says of commands. What answers no question is skipped.
    func hear(_ payload: [UInt8]) {
        guard let members = try? JSONText(payload[...], limit: BrokerConnection.longestMessage).members(),
            let responses = try? members.required("responses").array(upTo: 4 * Self.mostAtOnce)
        else { return }
        var done: Set<Int> = []
        var isOwn = false
        for response in responses {
            guard let members = try? response.members(),
                let parts = try? members["correlationData"]?.string(upTo: 64).split(separator: "."),
                parts.count == 3, parts[0] == hub, Int(parts[1]) == number, let place = Int(parts[2])
            else { continue }
            isOwn = true
            if members["error"] == nil { done.insert(place) }
        }
        if isOwn { end(number, with: done) }
    }
}
