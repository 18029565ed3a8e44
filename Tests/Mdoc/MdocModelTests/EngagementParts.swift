import CBOR
import MdocModel
import VectorFiles

/// A DeviceEngagement to take apart: each member is encoded CBOR.
struct EngagementParts {
    static let keyBytes = [UInt8](
        hex: """
            d818584ba4010220012158205a88d182bce5f42efa59943f33359d2e8a968ff289d93e5fa444b624343167fe\
            225820b16e8cf858ddc7690407ba61d4c338237a8cfcf3de6aa672fc60a557aa32fc67
            """)

    var version: [UInt8]? = CBOREncoder.encode { $0.text("1.0") }
    var security: [UInt8]? = [0x82, 0x01] + keyBytes
    var more: [(Int64, String)] = []

    func encoded() -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: (version == nil ? 0 : 1) + (security == nil ? 0 : 1) + more.count)
            if let version {
                encoder.integer(0)
                encoder.encoded(version)
            }
            if let security {
                encoder.integer(1)
                encoder.encoded(security)
            }
            for (key, hex) in more {
                encoder.integer(key)
                encoder.encoded([UInt8](hex: hex))
            }
        }
    }

    func parse() throws -> DeviceEngagement {
        try DeviceEngagement(encoded()[...])
    }

    static func with(_ more: (Int64, String)...) throws -> DeviceEngagement {
        try EngagementParts(more: more).parse()
    }
}
