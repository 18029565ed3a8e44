internal import ArgumentParser
internal import OpenSSLCrypto

/// `--curve`: where the reader's key lies.
enum CurveArgument: String, ExpressibleByArgument, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"
    case brainpoolP256r1, brainpoolP320r1, brainpoolP384r1, brainpoolP512r1

    var curve: Curve {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .brainpoolP256r1: .brainpoolP256r1
        case .brainpoolP320r1: .brainpoolP320r1
        case .brainpoolP384r1: .brainpoolP384r1
        case .brainpoolP512r1: .brainpoolP512r1
        }
    }
}
