internal import PresentationService
internal import HTTPServing
internal import Hummingbird
internal import NIOCore

extension PresentationCoordinator {
    /// Answers with an event stream (HTML, 9.2) of a lane, or of one presentation at the lane. A page of the
    /// lane receives all events of the lane. Any other caller receives only the events of presentations that
    /// it ordered.
    nonisolated func events(
        _ call: APICall, lane: String, presentation: PresentationID? = nil
    ) async throws -> Response {
        let lastID = call.request.headers.first("last-event-id")
        let channel = call.context.channel
        // A listener that reads too slowly loses its connection, and can resume with the id of its last
        // event.
        let frames = try await listen(
            toLane: lane, presentation: presentation, by: call.known, after: lastID,
            lost: { channel.close(promise: nil) })
        return call.eventStream(of: frames)
    }
}

extension APICall {
    /// Answers with an event stream, which ends with `frames` or when the client disconnects.
    func eventStream(of frames: AsyncStream<String>) -> Response {
        let body = request.body
        let sending = ResponseBody { writer in
            // Without this function the loop would notice only at its next frame that the client has
            // disconnected.
            try await body.consumeWithCancellationOnInboundClose { _ in
                for await frame in frames { try await writer.write(ByteBuffer(string: frame)) }
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: sending)
    }
}
