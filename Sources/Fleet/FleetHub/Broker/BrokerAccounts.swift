internal import Fleet
internal import JSON
internal import MQTTClient

/// Creates kiosks' accounts at the broker, and gives existing accounts a new password.
///
/// Accounts are created in batches, because mosquitto writes all accounts to its disk whenever one is added.
/// `make` returns `true` only after the broker has confirmed the kiosk's account. Each `HubBroker` owns one
/// object of this type, and passes the broker's answers to `receive`.
actor BrokerAccounts {
    /// The maximum time until a waiting request is sent to the broker.
    static let turnTimeout = Duration.seconds(10)
    /// The maximum time for the broker's answer.
    static let answerTimeout = Duration.seconds(5)
    /// The maximum number of accounts in one message.
    private static let mostAtOnce = 16
    /// The maximum number of waiting requests.
    private static let mostWaiting = 8192

    /// A request for an account, with the continuation of the task that waits for the account.
    private struct Wanted {
        let kiosk: FleetName
        let password: String
        let deadline: ContinuousClock.Instant
        let answer: CheckedContinuation<Bool, Never>
    }

    /// A message to the broker that has not been answered yet. The message creates or changes a batch of
    /// accounts. `answer` receives the indices of the accounts in the batch that the broker has confirmed.
    private struct Question {
        let answer: CheckedContinuation<Set<Int>?, Never>
        let timer: Task<Void, Never>
    }

    /// A function that sends commands. Returns `false` without a connection.
    typealias Sending = @Sendable ([JSONValue]) -> Bool

    private let topics: FleetTopics
    private let answerTimeout: Duration
    private var send: Sending?
    private var wanted: [Wanted] = []
    private var isServing = false
    /// A random name of this hub. The broker sends every answer to all hubs, so a hub recognises the answers
    /// to its own commands by this name.
    private let hub = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    /// The number of the latest `Question`, from 1.
    private var number = 0
    /// The message that waits for the broker's answer.
    private var question: Question?

    init(_ topics: FleetTopics, answerTimeout: Duration = answerTimeout) {
        self.topics = topics
        self.answerTimeout = answerTimeout
    }

    /// Sets the function that sends commands over a new connection, or `nil` if there is no connection. A
    /// message that still waits for an answer counts as unanswered, because the connection over which it was
    /// sent has ended.
    func setSender(_ send: Sending?) {
        self.send = send
        end(number, with: nil)
    }

    /// Creates the kiosk's account with this password, or changes the password of an existing account.
    /// Returns whether the broker has confirmed the change.
    func make(_ kiosk: FleetName, password: String) async -> Bool {
        guard send != nil, wanted.count < Self.mostWaiting else { return false }
        return await withCheckedContinuation { answer in
            wanted.append(
                Wanted(kiosk: kiosk, password: password, deadline: .now + Self.turnTimeout, answer: answer))
            // If `serve` is already running, it also handles this request.
            guard !isServing else { return }
            isServing = true
            Task { await serve() }
        }
    }

    /// Creates accounts, one batch after another, until no request waits.
    private func serve() async {
        while !wanted.isEmpty {
            // Requests are in the order of their deadlines, so the requests whose deadline has passed come
            // first.
            let late = wanted.prefix { $0.deadline < .now }
            wanted.removeFirst(late.count)
            for one in late { one.answer.resume(returning: false) }
            let batch = wanted.prefix(Self.mostAtOnce)
            wanted.removeFirst(batch.count)
            guard !batch.isEmpty else { continue }
            // `made` is `nil` if the broker did not answer.
            let made = await ask(batch) { BrokerCommands.createAccount(of: $0.kiosk, $0.password, topics) }
            let rest = batch.enumerated().filter { made?.contains($0.offset) != true }.map(\.element)[...]
            for (place, one) in batch.enumerated() where made?.contains(place) == true {
                one.answer.resume(returning: true)
            }
            // `createClient` fails for an existing account, which gets the new password instead. If the
            // broker did not answer, no second message is sent.
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

    /// Sends the commands of a batch. Returns the indices of the accounts whose last command succeeded, or
    /// `nil` if the broker does not answer.
    private func ask(
        _ batch: ArraySlice<Wanted>, _ commands: (Wanted) -> [JSONValue]
    ) async -> Set<Int>? {
        number += 1
        let own = number
        // Only the last command for each account carries a correlation text, by which the broker's answer is
        // recognised. The answers to the earlier commands are ignored. If such a command fails because it was
        // executed before, the failure is harmless.
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

    /// Ends the wait for the answer to the message with this number, and resumes the waiting task.
    private func end(_ number: Int, with done: Set<Int>?) {
        guard number == self.number, let question else { return }
        self.question = nil
        question.timer.cancel()
        question.answer.resume(returning: done)
    }

    /// Evaluates an answer of the broker. Answers to other hubs or to an earlier message are ignored, and so
    /// is an answer with more than `4 * mostAtOnce` responses. An answer to this hub has at most two
    /// responses for each account.
    func receive(_ payload: [UInt8]) {
        guard let members = try? JSONText(payload[...], limit: BrokerConnection.longestMessage).members(),
            let responses = try? members.required("responses").array(upTo: 4 * Self.mostAtOnce)
        else { return }
        var done: Set<Int> = []
        var isOwn = false
        for response in responses {
            // The correlation text is the hub's name, the question's number and the account's index.
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
