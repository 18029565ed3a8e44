internal import PCSCTransport
internal import Transport

/// The readers of this computer, and what may prevent their use.
struct ReaderFacts: Sendable {
    struct Reader: Sendable {
        var name: String
        var slot: SlotKind
        var usb: USBIdentity?
        var quirks: Set<ReaderQuirk> = []
        var allowsExtended = true
        var allowsEscape = true
    }

    enum Service: Sendable {
        /// The place among them of the one that is tried first; nil where none is ours to use.
        case answers([Reader], chosen: Int?)
        case fails(PCSCTransportError)
        case hangs
    }

    /// Whether pcscd asks polkit, and what rules say that name its action.
    enum PolkitRule: Sendable {
        case notAsked, there, absent
        /// Folders of rules that this user may not read.
        case hidden
    }

    var service: Service
    var isInstalled = true
    /// Whether the readers were narrowed down by `--reader`.
    var isSelected = false
    var hindrances: [ReaderHindrance] = []
    /// Those of the kernel's NFC modules that are loaded.
    var kernelModules: [String] = []
    var polkit = PolkitRule.notAsked
    /// Whether there is a user for the daemon.
    var hasServiceUser = false
    /// Nil where the daemon's file says nothing of them.
    var lanes: Lanes?
}
