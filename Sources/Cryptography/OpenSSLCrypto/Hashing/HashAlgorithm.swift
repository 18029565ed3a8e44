internal import COpenSSL

/// The hash functions of ISO/IEC 18013-5 (FIPS 180-4).
package enum HashAlgorithm: Sendable, Hashable, CaseIterable {
    case sha256, sha384, sha512

    package var digestSize: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    var implementation: OpaquePointer? {
        switch self {
        case .sha256: unsafe OpenSSLAlgorithms.sha256
        case .sha384: unsafe OpenSSLAlgorithms.sha384
        case .sha512: unsafe OpenSSLAlgorithms.sha512
        }
    }
}
