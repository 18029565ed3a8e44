package import Transport

/// What an installation may ask of its readers; nothing by itself.
package enum ReaderWish: String, CaseIterable, Sendable {
    /// Apple's polling frame, over and over (Q213).
    case pollingFrame
    /// No tone of the reader's own (Q8).
    case quiet
}

/// A field whose readers carry out commands themselves while a phone is waited for, where model and driver can.
package actor CommandedReader: ContactlessReader {
    private let reader: any ContactlessReader
    private let service: PCSCService
    private let selector: ReaderSelector
    private let wishes: Set<ReaderWish>
    private var quieted: Set<String> = []
    /// How many wait for a phone, and whether commands are being sent for them.
    private var waits = 0
    private var isCommanding = false

    /// Phones were seen to decide 70 to 100 ms after a frame; Apple's own readers send three in a second (Q7).
    private static let interval = Duration.milliseconds(200)

    package init(
        _ reader: any ContactlessReader, service: PCSCService, selector: ReaderSelector,
        wishes: Set<ReaderWish>
    ) {
        self.reader = reader
        self.service = service
        self.selector = selector
        self.wishes = wishes
    }

    package func beginPresentation() async {
        await reader.beginPresentation()
    }

    package func nextCard(again pause: Duration?) async throws(ContactlessError) -> any ContactlessCard {
        waits += 1
        defer { waits -= 1 }
        // Ends by itself: a command that was cancelled in the middle would take the phone's connection with it.
        if !wishes.isEmpty, !isCommanding { Task { await command() } }
        return try await reader.nextCard(again: pause)
    }

    private func command() async {
        guard !isCommanding else { return }
        isCommanding = true
        defer { isCommanding = false }
        while waits > 0 {
            let next = ContinuousClock.now + Self.interval
            await commandOnce()
            try? await Task.sleep(until: next)
        }
    }

    private func commandOnce() async {
        guard let readers = try? await service.readers() else { return }
        quieted.formIntersection(readers.map(\.name))
        for reader in selector.candidates(among: readers) where reader.allowsEscape && waits > 0 {
            guard let commands = reader.usb.flatMap(ReaderCommands.of) else { continue }
            if wishes.contains(.quiet) { await quiet(reader.name, commands.quieting) }
            if wishes.contains(.pollingFrame) {
                _ = try? await service.command(commands.pollingFrame, to: reader.name)
            }
        }
    }

    /// Once for each time that the reader is plugged in.
    private func quiet(_ name: String, _ quieting: ReaderCommands.Quieting?) async {
        guard let quieting, !quieted.contains(name) else { return }
        switch quieting {
        case .command(let command):
            guard (try? await service.command([command], to: name)) != nil else { return }
        case .storedSetting(let read, let write, let bits):
            guard let answer = try? await service.command([read], to: name) else { return }
            // E1 00 00 00 01 and the byte.
            if let setting = answer.first?.last, answer.first?.count == 6, setting & bits != 0 {
                _ = try? await service.command([write + [setting & ~bits]], to: name)
            }
        }
        quieted.insert(name)
    }
}
