internal import MdocModel
internal import Transport

extension ReaderTransaction {
    /// The result of a wait for the link of an engaged phone.
    enum Connection {
        /// The link has started, so later taps are ignored.
        case link(any BluetoothLELink)
        /// Another tap engaged a phone and replaces the previous engagement.
        case tap(any ContactlessCard, Engaged)
    }

    /// Waits for the Bluetooth link of an engaged phone and, at the same time, for another tap, because
    /// people tap again when Bluetooth is slow or off (Q207). The first of the two to succeed counts.
    func connection(
        to offer: BluetoothOffer, _ engagement: DeviceEngagement, _ bluetooth: BluetoothRetrieval,
        at reader: any ContactlessReader
    ) async throws(TapEnd) -> Connection {
        let result = await firstConnection(
            {
                await catching { () throws(PresentationFailure) in
                    .link(try await link(over: bluetooth, to: offer, engaged: engagement))
                }
            },
            { await secondTap(at: reader, bluetooth) })
        do throws(PresentationFailure) {
            return try result.get()
        } catch {
            if Task.isCancelled { throw .failed(.cancelled) }
            throw error == .connectionOverdue ? .unconnected : .failed(error)
        }
    }

    /// Runs both waits and returns the first link, the first complete tap, or the failure of the link. The
    /// other wait is cancelled and has ended on return. If the other wait produced a link or a card before it
    /// ended, the link is closed or the card is released.
    private func firstConnection(
        _ link: @escaping @Sendable () async -> Result<Connection, PresentationFailure>,
        _ tap: @escaping @Sendable () async -> Connection?
    ) async -> Result<Connection, PresentationFailure> {
        await withTaskGroup(of: Result<Connection, PresentationFailure>?.self) { group in
            group.addTask { await link() }
            group.addTask { await tap().map { .success($0) } }
            var first: Result<Connection, PresentationFailure>?
            for await case let result? in group {
                if first == nil {
                    first = result
                    group.cancelAll()
                } else {
                    await discard(result)
                }
            }
            // Not `nil`, because the wait for the link always gives a result.
            return first ?? .failure(.cancelled)
        }
    }

    /// Closes a link, or releases a card, that came after the first result.
    private func discard(_ late: Result<Connection, PresentationFailure>) async {
        switch try? late.get() {
        case .link(let link)?: await link.close()
        case .tap(let card, _)?: await release(card)
        case nil: break
        }
    }

    /// Waits for another complete tap. An incomplete tap is ignored: the first phone may only have touched the
    /// reader once more.
    ///
    /// - Returns: `nil` if the task is cancelled or the reader cannot be used.
    private func secondTap(at reader: any ContactlessReader, _ bluetooth: BluetoothRetrieval) async
        -> Connection?
    {
        while !Task.isCancelled {
            do throws(ContactlessError) {
                // With `nil`, the first phone counts as another tap only after it was lifted.
                let card = try await reader.nextCard(again: nil)
                if let engaged = await engageAgain(card, bluetooth) { return .tap(card, engaged) }
                await release(card)
            } catch .cardMute, .cardLost, .readerUnavailable(.readerBlocked) {
                // Another tap may succeed, and a blocked reader may recover (Q212).
                continue
            } catch {
                return nil
            }
        }
        return nil
    }

    /// Engages the phone of another tap; `nil` if that tap broke off.
    private func engageAgain(_ card: any ContactlessCard, _ bluetooth: BluetoothRetrieval) async -> Engaged? {
        // The first phone must not find the reader under the UUID of this engagement.
        await bluetooth.renew()
        // Without NFC v2, because only a classic handover is followed by a wait for another tap.
        return try? await engage(driver(for: card), bluetooth)
    }
}
