package import Hummingbird
package import NIOCore

/// A condition under which a body is not read to its end.
package enum BodyFault: Error, Equatable, Sendable {
    case tooLong(limit: Int)
    case tooSlow
    case cut
}

extension RequestBody {
    /// Collects the body on the event loop of its connection.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of the body.
    ///   - time: how long the body may take.
    package func bytes(
        upTo limit: Int, within time: TimeAmount, on eventLoop: any EventLoop
    ) async throws(BodyFault) -> [UInt8] {
        // Most bodies came with their request: then nothing is waited for.
        let collecting = Task.immediate(executorPreference: EventLoopExecutor(eventLoop)) {
            try await collect(upTo: limit)
        }
        let timer = eventLoop.scheduleTask(in: time) { collecting.cancel() }
        defer { timer.cancel() }
        do {
            return Array(try await collecting.value.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw .tooLong(limit: limit)
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw .tooLong(limit: limit)
        } catch is CancellationError {
            throw .tooSlow
        } catch {
            throw .cut
        }
    }
}
