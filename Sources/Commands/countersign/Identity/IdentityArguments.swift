internal import ArgumentParser
internal import OpenSSLCrypto
internal import ReaderIdentityStore

extension StoreArguments {
    var identities: IdentityFolder { IdentityFolder(store: path) }
}

extension IdentityName: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

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

/// Runs what reads or changes identities; a failure ends the command with its words and exit code.
func identityStep<R: ~Copyable>(
    _ name: IdentityName? = nil, _ body: () throws(IdentityStoreError) -> R
) throws(CommandFailure) -> R {
    do throws(IdentityStoreError) {
        return try body()
    } catch {
        let subject = name.map { "\($0.text): " } ?? ""
        throw CommandFailure(status: error.exitStatus, message: subject + error.explanation)
    }
}
