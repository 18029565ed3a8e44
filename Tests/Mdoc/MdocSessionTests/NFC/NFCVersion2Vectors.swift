import COSE
import Foundation
import MdocModel
import NDEF
import OpenSSLCrypto
import Testing
import VectorFiles

@testable import MdocSession

/// The exchanges of NFC v2 in `TestVectors`, and both sides of one in memory.
struct NFCVersion2Vectors: Decodable {
    struct Vector: Decodable {
        struct Step: Decodable {
            let dir: String
            let apdu: String

            var isCommand: Bool { dir == "reader->mdoc" }
        }
        struct Case: Decodable {
            let name: String?
            let apdu: String?
            let expect: String?
            let selectAnswer: String?
            let hex: String?
        }
        struct Use: Decodable {
            let mode: String
            let uuid: String
            let psm: UInt16?
        }
        let name: String
        let apdus: [Step]?
        let apdusByRule: [Step]?
        let apdusMultipaz: [Step]?
        let cases: [Case]?
        let handoverRequest: String?
        let handoverSelect: String?
        let deviceEngagement: String?
        let eDeviceKey_d: String?
        let eReaderKey_d: String?
        let eReaderKeyBytes: String?
        let sessionTranscriptBytes: String?
        let hkdfSalt: String?
        let deviceRequest: String?
        let deviceResponse: String?
        let sessionEstablishment: String?
        let sessionData: String?
        let sessionEnd: String?
        let readerUses: [Use]?
    }
    let vectors: [Vector]

    private static let file = Result {
        try VectorFiles.json(Self.self, at: VectorFiles.own.appending(path: "nfc/nfc-v2.json"))
    }

    static func named(_ name: String) throws -> Vector {
        try #require(try file.get().vectors.first { $0.name == name })
    }
}

extension NFCVersion2Vectors.Vector {
    func key(_ scalar: String?) throws -> COSEKeyPair {
        COSEKeyPair(try PrivateKey(curve: .p256, scalar: try #require(scalar).bytes[...]))
    }
}

/// A reader and a phone of NFC v2 in memory; each command takes five milliseconds.
struct NFCVersion2Tap {
    enum Outcome {
        case engaged(NFCVersion2Engaged)
        case absent(NFCEndReason)
        case ended(NFCEndReason)

        var engaged: NFCVersion2Engaged? { if case .engaged(let engaged) = self { engaged } else { nil } }
        var reason: NFCEndReason? {
            switch self {
            case .engaged: nil
            case .absent(let reason), .ended(let reason): reason
            }
        }
    }

    /// The longest APDU is that of ISO/IEC 7816-4, so that the phone's limit is what counts.
    static let settings: NFCTransferSettings = {
        var settings = NFCTransferSettings()
        settings.maximumAPDU = 65_545
        return settings
    }()

    var reader: NFCVersion2EngagementReader
    var now = ContinuousClock.now
    private(set) var commands: [[UInt8]] = []

    init(_ limits: NFCReaderLimits = NFCSamples.extended, serviceUUID: BluetoothUUID? = nil) {
        reader = NFCVersion2EngagementReader(
            limits: limits, offer: NFCVersion2Offer(serviceUUID: serviceUUID), transferSettings: Self.settings
        )
    }

    /// Runs with a phone that answers each command; nil is a phone that does not answer.
    mutating func run(_ phone: (ArraySlice<UInt8>) throws -> [UInt8]?) rethrows -> Outcome {
        var action = reader.start(now: now)
        while true {
            switch action {
            case .transmit(let command):
                commands.append(command)
                now += NFCTap.commandTime
                if let answer = try phone(command[...]) {
                    action = reader.receive(answer[...], now: now)
                } else {
                    now = (reader.deadline ?? now) + .milliseconds(1)
                    action = reader.expire(now: now)
                }
            case .wait(let until):
                now = until + .milliseconds(1)
                action = reader.expire(now: now)
            case .deliver(.engaged(let engaged)): return .engaged(engaged)
            case .deliver(.absent(let reason)): return .absent(reason)
            case .end(let reason): return .ended(reason)
            }
        }
    }

    /// Runs with a phone that gives these answers, one after the other.
    mutating func run(answers: [String]) -> Outcome {
        var answers = answers[...]
        return run { _ in answers.popFirst()?.bytes }
    }
}
