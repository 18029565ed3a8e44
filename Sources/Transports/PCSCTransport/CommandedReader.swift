package import Transport

/// An action that an installation can request of its readers. By default no action is requested.
package enum ReaderWish: String, CaseIterable, Sendable {
    /// Sends Apple's polling frame repeatedly, which wakes a wallet that is not open (Q213).
    case pollingFrame
    /// Turns the reader's own tone off (Q8).
    case quiet
}

/// A contactless reader that also sends commands to the reader device itself while the caller waits for a
/// phone.
///
/// Commands are sent only to models in `ReaderCommands` whose drivers pass such commands on. The phones come
/// from the wrapped reader.
package actor CommandedReader: ContactlessReader {
    private let reader: any ContactlessReader
    private let service: PCSCService
    private let selector: ReaderSelector
    private let wishes: Set<ReaderWish>
    /// The names of the readers whose tone was turned off.
    private var quieted: Set<String> = []
    /// The number of callers that wait for a phone.
    private var waits = 0
    private var isCommanding = false

    /// The time from one polling frame to the next. Phones were seen to react 70 to 100 ms after a frame, and
    /// Apple's own readers send three frames in a second (Q7).
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
        // This task is not cancelled with the caller, because a cancelled command would end the phone's
        // connection. The task ends once nobody waits for a phone.
        if !wishes.isEmpty, !isCommanding { Task { await command() } }
        return try await reader.nextCard(again: pause)
    }

    /// Sends the commands every 200 ms while a caller waits for a phone. Only one task runs this function at
    /// a time.
    private func command() async {
        // Two callers may each have made a task before the first task ran.
        guard !isCommanding else { return }
        isCommanding = true
        defer { isCommanding = false }
        while waits > 0 {
            let next = ContinuousClock.now + Self.interval
            await commandOnce()
            try? await Task.sleep(until: next)
        }
    }

    /// Sends the commands once to each reader that accepts them. An error is ignored, because `command()`
    /// calls this function again after 200 ms. A reader may refuse commands while a phone lies on it, for
    /// example.
    private func commandOnce() async {
        guard let readers = try? await service.readers() else { return }
        // Unplugged readers are forgotten, because the tone of a reader that is plugged in again may be on.
        quieted.formIntersection(readers.map(\.name))
        // No command is sent once nobody waits for a phone.
        for reader in selector.candidates(among: readers) where reader.allowsEscape && waits > 0 {
            guard let commands = reader.usb.flatMap(ReaderCommands.of) else { continue }
            if wishes.contains(.quiet) { await quiet(reader.name, commands.quieting) }
            if wishes.contains(.pollingFrame) {
                _ = try? await service.command(commands.pollingFrame, to: reader.name)
            }
        }
    }

    /// Turns the reader's tone off, once after each time that the reader was plugged in.
    private func quiet(_ name: String, _ quieting: ReaderCommands.Quieting?) async {
        guard let quieting, !quieted.contains(name) else { return }
        // If the reader cannot be silenced or read now, for example because a phone lies on it, the next call
        // tries again. A refused write of the stored setting is not repeated.
        switch quieting {
        case .command(let command):
            guard (try? await service.command([command], to: name)) != nil else { return }
        case .storedSetting(let read, let write, let bits):
            guard let answer = try? await service.command([read], to: name) else { return }
            // The answer is E1 00 00 00 01 and the byte of settings.
            if let setting = answer.first?.last, answer.first?.count == 6, setting & bits != 0 {
                _ = try? await service.command([write + [setting & ~bits]], to: name)
            }
        }
        quieted.insert(name)
    }
}
