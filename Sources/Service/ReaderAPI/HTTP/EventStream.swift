internal import PresentationService
internal import HTTPServing
internal import Hummingbird
internal import NIOCore

extension PresentationCoordinator {
    /// Answers with the events of a lane, or of one presentation of it, as they come (HTML, 9.2): to a page of the lane
    /// all, to another caller those of what it ordered.
    nonisolated func events(
        _ call: APICall, lane: String, presentation: PresentationID? = nil
    ) async throws -> Response {
        let lastID = call.request.headers.first("last-event-id")
        let channel = call.context.channel
        // A listener that does not take what is sent loses the connection, and can resume after its last event.
        let frames = try await listen(
            toLane: lane, presentation: presentation, by: call.known, after: lastID,
            lost: { channel.close(promise: nil) })
        let body = call.request.body
        let sending = ResponseBody { writer in
            try await body.consumeWithCancellationOnInboundClose { _ in
                for await frame in frames { try await writer.write(ByteBuffer(string: frame)) }
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: sending)
    }
}
