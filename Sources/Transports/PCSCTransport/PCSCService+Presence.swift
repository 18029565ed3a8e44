internal import Glibc

extension PCSCService {
    /// Where pcscd listens, unless its environment names another place.
    private static let usualSocket = "/run/pcscd/pcscd.comm"

    /// Whether this computer has a pcscd, running or waiting for its first client.
    package static var isInstalled: Bool {
        let named = unsafe getenv("PCSCLITE_CSOCK_NAME").map { unsafe String(cString: $0) }
        return unsafe access(named ?? usualSocket, F_OK) == 0
    }
}
