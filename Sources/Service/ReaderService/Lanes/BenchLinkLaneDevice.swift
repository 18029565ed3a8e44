package import MdocModel
internal import Synchronization
package import Transport

/// A software wallet on the bench link (a TCP connection), for presentations without a phone. Each
/// presentation makes a new connection.
package final class BenchLinkLaneDevice: LaneDevice {
    private let address: SocketAddress
    /// Whether the last attempt to connect found the wallet. Also true before the first attempt, and after a
    /// cancelled attempt, because no failure is known then.
    private let wasReached = Mutex(true)

    package init(_ address: SocketAddress) {
        self.address = address
    }

    package var link: LaneLink { .benchLink }

    package func run(_ transaction: ReaderTransaction) async -> Presentation {
        do throws(TransportError) {
            let channel = try await FramedTCPChannel.connect(to: address)
            wasReached.withLock { $0 = true }
            return await transaction.run(over: channel)
        } catch {
            // A cancelled attempt does not show that the wallet is missing.
            wasReached.withLock { $0 = error == .cancelled }
            return Presentation(
                failed: error == .cancelled ? .cancelled : .readerUnavailable(.benchLinkUnreachable))
        }
    }

    /// Refuses the scanned engagement, because the wallet sends its engagement over the bench link.
    package func run(
        _ transaction: ReaderTransaction, scanned engagement: DeviceEngagement
    ) async -> Presentation {
        Presentation(failed: .noUsableRetrieval)
    }

    /// The readiness that the last presentation found. No connection is tried, because an attempt would
    /// occupy the only connection that the wallet accepts.
    package func readiness() async -> LaneReadiness {
        wasReached.withLock { $0 } ? .ready : .unavailable(.benchLinkUnreachable)
    }
}

extension Presentation {
    /// Creates a presentation that failed before any request was sent.
    fileprivate init(failed failure: PresentationFailure) {
        self.init(.failure(failure), request: nil, phases: [], rawAnswer: nil, leaving: nil)
    }
}
