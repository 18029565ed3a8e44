package import MdocModel
internal import Synchronization
package import Transport

/// A wallet on the bench link, with a new connection for each presentation. For trials without a phone.
package final class BenchLinkLaneDevice: LaneDevice {
    private let address: SocketAddress
    private let wasReached = Mutex(true)

    package init(_ address: SocketAddress) {
        self.address = address
    }

    package func run(_ transaction: ReaderTransaction) async -> Presentation {
        do throws(TransportError) {
            let channel = try await FramedTCPChannel.connect(to: address)
            wasReached.withLock { $0 = true }
            return await transaction.run(over: channel)
        } catch {
            wasReached.withLock { $0 = error == .cancelled }
            return Presentation(
                failed: error == .cancelled ? .cancelled : .readerUnavailable(.benchLinkUnreachable))
        }
    }

    /// The link has its own engagement.
    package func run(
        _ transaction: ReaderTransaction, scanned engagement: DeviceEngagement
    ) async -> Presentation {
        Presentation(failed: .noUsableRetrieval)
    }

    /// As the last presentation found it: looking would take the wallet's only place.
    package func readiness() async -> LaneReadiness {
        wasReached.withLock { $0 } ? .ready : .unavailable(.benchLinkUnreachable)
    }
}

extension Presentation {
    /// One that ended before a phone was asked.
    fileprivate init(failed failure: PresentationFailure) {
        self.init(.failure(failure), request: nil, phases: [], rawAnswer: nil, leaving: nil)
    }
}
