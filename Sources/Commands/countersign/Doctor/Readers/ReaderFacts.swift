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
        /// The index of the reader that is tried first; nil if none may be used.
        case answers([Reader], chosen: Int?)
        case fails(PCSCTransportError)
        case hangs
    }

    /// Whether pcscd asks polkit, and whether a rule names its action.
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
    /// Nil if the daemon's file is absent or cannot be read.
    var lanes: Lanes?
}
