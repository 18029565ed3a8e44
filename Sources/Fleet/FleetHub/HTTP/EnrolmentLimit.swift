internal import Synchronization

/// How many computers the hub certifies at once; a limited number of further ones waits. Nobody needs a certificate to ask for one:
/// without a limit, strangers with separate requests would take all connections to the database from the kiosks. Kiosks that show their
/// certificate are limited apart from strangers.
final class EnrolmentLimit: Sendable {
    private static let mostWaiting = 256

    private struct Places: Sendable {
        var free = 4
        /// From the first who came to the last.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let places = Mutex(Places())

    /// Waits for a place, and does something at it.
    ///
    /// - Throws: `tooManyEnrolments` if too many wait.
    func entering<Value>(_ body: () async throws(HubProblem) -> Value) async throws(HubProblem) -> Value {
        guard await enter() else { throw .tooManyEnrolments }
        defer { leave() }
        return try await body()
    }

    private func enter() async -> Bool {
        let isFull = places.withLock { $0.free == 0 && $0.waiting.count >= Self.mostWaiting }
        guard !isFull else { return false }
        await withCheckedContinuation { (place: CheckedContinuation<Void, Never>) in
            let isFree = places.withLock { places in
                guard places.free == 0 else {
                    places.free -= 1
                    return true
                }
                places.waiting.append(place)
                return false
            }
            if isFree { place.resume() }
        }
        return true
    }

    private func leave() {
        let next = places.withLock { places -> CheckedContinuation<Void, Never>? in
            guard !places.waiting.isEmpty else {
                places.free += 1
                return nil
            }
            return places.waiting.removeFirst()
        }
        next?.resume()
    }
}
