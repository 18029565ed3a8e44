import CBOR
import COSE
import Foundation
import MdocModel
import MdocVerification
import MdocWallet
import PresentationStage

/// What one session has that must not be found: element values, keys, identifiers.
struct SessionSecrets {
    private(set) var texts: Set<String> = []
    private(set) var bytes: [[UInt8]] = []

    /// - Parameter engagement: of the phone's tap.
    init(_ scene: Scene, _ engagement: WalletEngagement?) throws {
        for element in scene.presented.document.items {
            switch element.value {
            case .text(let text), .tagged(_, .text(let text)): texts.insert(text)
            case .bytes(let value): bytes.append(value)
            default: break
            }
        }
        texts.formUnion(scene.presented.document.items.map(\.identifier))
        // A check has the name of this element.
        texts.remove(CheckID.issuingCountry.rawValue)
        if let engagement {
            bytes.append(engagement.deviceEngagement)
            bytes.append(Array(engagement.eDeviceKey.publicKeyBytes.bytes))
            if case .nfc(let select, let request) = engagement.handover {
                bytes += [select, request ?? []]
            }
            if case .nfcVersion2(let select, _) = engagement.handover { bytes.append(select) }
        }
        bytes.append(Array(scene.presented.document.deviceKey.publicKeyBytes.bytes))
    }

    /// What of them is in a file, as it is or in a form of text.
    func found(in file: [UInt8]) -> [String] {
        let text = String(decoding: file, as: UTF8.self).lowercased()
        // Three letters are part of many words: "isExtended" has an element's name in it.
        let names = texts.filter { $0.utf8.count > 3 && text.contains($0.lowercased()) }
        let file = Array(text.utf8)
        let windows = Set((0...max(file.count - Self.shortest, 0)).map { file[$0...].prefix(Self.shortest) })
        let pieces = bytes.flatMap { Self.pieces(of: $0) }.filter { piece in
            windows.contains(Array(piece.utf8)[...].prefix(Self.shortest)) && text.contains(piece)
        }
        return Array(names) + pieces
    }

    /// The length of the shortest piece, in characters.
    private static let shortest = 12

    /// Every nine bytes, as hexadecimal digits, in base 64 and as numbers.
    private static func pieces(of bytes: [UInt8]) -> [String] {
        stride(from: 0, through: bytes.count - 9, by: 3).flatMap { start in
            let piece = bytes[start...].prefix(9)
            return [
                piece.hexadecimal, Data(piece).base64EncodedString().lowercased(),
                piece.map { "\($0)" }.joined(separator: ","),
            ]
        }
    }

    mutating func add(_ exchanged: [[UInt8]]) {
        bytes += exchanged.filter { $0.count > 24 }
    }
}
