package import Hummingbird
package import NIOCore

/// The reason why a request's body was not read to its end.
package enum BodyFault: Error, Equatable, Sendable {
    case tooLong(limit: Int)
    case tooSlow
    /// The connection ended before the body did.
    case cut
}

extension RequestBody {
    /// Reads the whole body on the event loop of its connection.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of bytes.
    ///   - time: the time limit for the whole body.
    package func bytes(
        upTo limit: Int, within time: TimeAmount, on eventLoop: any EventLoop
    ) async throws(BodyFault) -> [UInt8] {
        // Most bodies arrive with the head of their request. The immediate task then finishes without a
        // change of threads.
        let collecting = Task.immediate(executorPreference: EventLoopExecutor(eventLoop)) {
            try await collect(upTo: limit)
        }
        let timer = eventLoop.scheduleTask(in: time) { collecting.cancel() }
        defer { timer.cancel() }
        do {
            return Array(try await collecting.value.readableBytesView)
            // A body that is too long causes one of two errors, which this and the next clause catch.
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
