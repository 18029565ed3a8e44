internal import COSE
internal import Foundation
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
@main
struct Countersign {
    static func main() throws {
        let d = CommandLine.arguments[1]
        func f(_ n: String) -> [UInt8] { [UInt8](try! Data(contentsOf: URL(filePath: d + "/" + n))) }
        let anchors = try certificates(fromPEMOrDER: f("iaca.der")[...]).map { try TrustAnchor($0) }
        let b = try TransactionBenchmark(response: f("device_response.cbor"), transcript: SessionTranscript(stored: f("session_transcript.cbor")[...]), requests: try DeviceRequest(f("device_request.cbor")[...]).docRequests.map(\.itemsRequest), readerKey: nil, anchors: anchors, now: DateText(Array("2026-11-01T12:00:00Z".utf8))!.instant)
        let e = JSONEncoder(); e.outputFormatting = [.sortedKeys]
        print(String(decoding: try e.encode(BenchFigures(b, rounds: Int(CommandLine.arguments[2])!, perRound: Int(CommandLine.arguments[3])!)), as: UTF8.self))
    }
}
