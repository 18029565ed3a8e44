import CBOR
import COSE
import Foundation
import OpenSSLCrypto
import Testing
import VectorFiles

/// Published COSE samples.
struct COSESamples: Decodable, Sendable {
    struct Vector: Decodable {
        let name: String
        let hex: String
        let d: String?
        let x: String?
        let y: String?
        let key: String?
        let sigStructure: String?
        let macStructure: String?

        enum CodingKeys: String, CodingKey {
            case name, hex, d, x, y, key
            case sigStructure = "sig_structure"
            case macStructure = "mac_structure"
        }
    }

    let vectors: [Vector]

    private static let loaded = Result {
        try VectorFiles.json(COSESamples.self, at: VectorFiles.own.appending(path: "cose/cose-samples.json"))
    }

    static func vector(_ name: String) throws -> Vector {
        try #require(loaded.get().vectors.first { $0.name.contains(name) }, "\(name)")
    }
}

/// A COSE object of four parts, each encoded, as a structure to take apart.
struct COSEParts {
    var protected: [UInt8] = [UInt8](hex: "a10126")
    var unprotected: [UInt8] = [0xa0]
    /// Nil for a detached payload.
    var payload: [UInt8]? = Array("payload".utf8)
    var last: [UInt8] = []
    var tag: UInt64?

    func encoded() -> [UInt8] {
        CBOREncoder.encode { encoder in
            if let tag { encoder.tag(tag) }
            encoder.array(count: 4)
            encoder.byteString(protected)
            encoder.encoded(unprotected)
            if let payload { encoder.byteString(payload) } else { encoder.null() }
            encoder.byteString(last)
        }
    }

    func sign1() throws -> COSESign1 {
        try COSESign1(CBORItem.parse(encoded()[...]))
    }

    func mac0() throws -> COSEMac0 {
        try COSEMac0(CBORItem.parse(encoded()[...]))
    }

    /// Signs what RFC 9052 4.4 says, written here by hand; `externalData` is the encoded third field.
    mutating func sign(
        with key: borrowing PrivateKey, _ algorithm: SignatureAlgorithm, externalData: [UInt8] = [0x40]
    ) throws {
        let structure = CBOREncoder.encode { encoder in
            encoder.array(count: 4)
            encoder.text("Signature1")
            encoder.byteString(protected)
            encoder.encoded(externalData)
            encoder.byteString(payload ?? [])
        }
        last = try key.sign([structure[...]], algorithm: algorithm, form: .fixedWidth)
    }
}
