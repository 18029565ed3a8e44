// Benchmarks use the readers too, and are built where there is no such module.
#if canImport(Testing)
    package import Testing

    /// Suites that use the virtual readers take turns: there are two of them, and some tests kill their pcscd.
    package struct BenchTurn: SuiteTrait, TestScoping {
        private static let turns = Turns()

        package func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            await Self.turns.begin()
            let result: Result<Void, any Error>
            do { result = .success(try await function()) } catch { result = .failure(error) }
            await Self.turns.end()
            try result.get()
        }
    }

    extension SuiteTrait where Self == BenchTurn {
        /// No other suite with this trait runs at the same time.
        package static var takingTurnsAtTheBench: BenchTurn { BenchTurn() }
    }

    /// Lets one in after the other.
    private actor Turns {
        private var isTaken = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func begin() async {
            guard isTaken else { return isTaken = true }
            await withCheckedContinuation { waiting.append($0) }
        }

        func end() {
            guard !waiting.isEmpty else { return isTaken = false }
            waiting.removeFirst().resume()
        }
    }
#endif
