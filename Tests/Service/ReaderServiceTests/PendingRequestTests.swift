import CBOR
import COSE
import Dispatch
import MdocModel
import Testing

@testable import ReaderService

@Suite("A request that is being signed")
struct PendingRequestTests {
    private static func request() throws(PresentationFailure) -> SessionRequest {
        let items = ItemsRequest(docType: "a.b", nameSpaces: [])
        let transcript = SessionTranscript(
            deviceEngagement: [0xa0], eReaderKey: .init(embedding: [0xa0]), handover: .qr)
        return try SessionRequest(DeviceRequestDraft([items]), for: [], in: transcript, signedBy: nil)
    }

    @Test("It is there once it is written")
    func written() async throws {
        let pending = PendingRequest(signedBy: "counter") { () throws(PresentationFailure) in
            return try Self.request()
        }
        let request = try await pending.value(by: .now + .seconds(600))
        #expect(try request.bytes == Self.request().bytes)
        #expect(request.readerAuthentication == .none)
    }

    @Test("What cannot be signed is no request")
    func failing() async {
        let pending = PendingRequest(signedBy: "counter") { () throws(PresentationFailure) in
            throw .requestNotSigned(identity: "counter")
        }
        await #expect(throws: PresentationFailure.requestNotSigned(identity: "counter")) {
            try await pending.value(by: .now + .seconds(600))
        }
    }

    @Test("A key that does not answer in time does not sign, and is not waited for")
    func overdue() async throws {
        let key = DispatchSemaphore(value: 0)
        defer { key.signal() }
        let pending = PendingRequest(signedBy: "counter") { () throws(PresentationFailure) in
            key.wait()
            return try Self.request()
        }
        await #expect(throws: PresentationFailure.requestNotSigned(identity: "counter")) {
            try await pending.value(by: .now + .milliseconds(50))
        }
    }

    @Test("Being told to stop ends the wait")
    func cancelled() async throws {
        let key = DispatchSemaphore(value: 0)
        defer { key.signal() }
        let pending = PendingRequest(signedBy: "counter") { () throws(PresentationFailure) in
            key.wait()
            return try Self.request()
        }
        let waiting = Task { try await pending.value(by: .now + .seconds(600)) }
        waiting.cancel()
        let result = await waiting.result
        #expect(throws: PresentationFailure.cancelled) { try result.get() }
    }
}
