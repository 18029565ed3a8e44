internal import MdocModel
internal import Transport

extension ReaderTransaction {
    /// What a wait for the link of an engaged phone ended with.
    enum Connection {
        /// The transfer has started: later taps are ignored.
        case link(any BluetoothLELink)
        /// A phone was tapped and is engaged, which replaces the engagement before.
        case tap(any ContactlessCard, Engaged)
    }

    /// Waits for the link of an engaged phone, and meanwhile for another tap: people tap again when Bluetooth is slow or
    /// off (Q207). One of the two engagements is in force: the one whose link starts first, until a newer one is
    /// complete.
    func connection(
        to offer: BluetoothOffer, _ engagement: DeviceEngagement, _ bluetooth: BluetoothRetrieval,
        at reader: any ContactlessReader
    ) async throws(TapEnd) -> Connection {
        let result = await firstConnection(
            {
                await ended { () throws(PresentationFailure) in
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

    /// The first of the two to succeed, or the failure of the link. The other is over when this returns, and what came
    /// of it is closed.
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
            return first ?? .failure(.cancelled)
        }
    }

    private func discard(_ late: Result<Connection, PresentationFailure>) async {
        switch try? late.get() {
        case .link(let link)?: await link.close()
        case .tap(let card, _)?: await letGo(of: card)
        case nil: break
        }
    }

    /// The next tap that is complete; nil if the task is cancelled or the reader cannot be used. A tap that breaks off
    /// changes nothing: the phone may have been put down again.
    private func secondTap(at reader: any ContactlessReader, _ bluetooth: BluetoothRetrieval) async
        -> Connection?
    {
        while !Task.isCancelled {
            do throws(ContactlessError) {
                let card = try await reader.nextCard(again: nil)
                if let engaged = await engagedAnew(card, bluetooth) { return .tap(card, engaged) }
                await letGo(of: card)
            } catch .cardMute, .cardLost, .readerUnavailable(.readerBlocked) {
                continue
            } catch {
                return nil
            }
        }
        return nil
    }

    private func engagedAnew(_ card: any ContactlessCard, _ bluetooth: BluetoothRetrieval) async -> Engaged? {
        await bluetooth.renew()
        return try? await engage(driver(for: card), bluetooth)
    }
}
