/// The reason why a kiosk or a hub refuses a fleet document. A refused document changes nothing.
package enum FleetDocumentError: Error, Equatable, Sendable {
    /// The bytes are not a fleet document.
    case malformed
    /// The document is longer than `FleetDocument.maximumSize`.
    case tooLong
    /// The kiosk's own file does not contain the signing key.
    case keyUnknown
    /// The signing key was withdrawn.
    case keyWithdrawn
    /// The signature does not verify with the signing key.
    case changed
    /// The document is for another chain of shops.
    case otherChain
    /// The document is for another site, group or kiosk of the chain of shops.
    case otherName
    /// A document of the same level with a higher version was already in force on this kiosk.
    case older(than: Int64)
    /// Another document of the same level with this version was already in force on this kiosk.
    case versionTaken
    /// The document is dated more than 300 s ahead of the kiosk's clock.
    case notYetValid
    /// The document withdraws a key that its signer may not withdraw.
    case withdrawalNotAllowed
    /// The document changes the named member, which only the kiosk's own file may set.
    case memberFixed(String)
    /// The resulting configuration has the described fault.
    case configurationRefused(String)
    /// The document's trust bundle is refused.
    case trustRefused(FleetTrustError)
    /// The document's brands cannot be used or stored, for the described reason.
    case brandsRefused(String)
    /// The kiosk has tried the document's configuration before, and its lanes did not become ready.
    case failedBefore

    /// The stable name of this refusal in a kiosk's report.
    package var id: String {
        switch self {
        case .malformed: "document.malformed"
        case .tooLong: "document.too_long"
        case .keyUnknown: "document.key_unknown"
        case .keyWithdrawn: "document.key_withdrawn"
        case .changed: "document.changed"
        case .otherChain: "document.other_chain"
        case .otherName: "document.other_name"
        case .older: "document.older"
        case .versionTaken: "document.version_taken"
        case .notYetValid: "document.not_yet_valid"
        case .withdrawalNotAllowed: "document.withdrawal_not_allowed"
        case .memberFixed: "document.member_fixed"
        case .configurationRefused: "document.configuration_refused"
        case .trustRefused: "document.trust_refused"
        case .brandsRefused: "document.brands_refused"
        case .failedBefore: "document.failed_before"
        }
    }

    /// A message that describes the problem and the remedy.
    package var explanation: String {
        switch self {
        case .malformed: "the bytes are not a fleet document: make it with countersign-hub sign"
        case .tooLong: "the document has more than \(FleetDocument.maximumSize) bytes: make it shorter"
        case .keyUnknown:
            "the document is not signed by a key in \"fleet.keys\" of the kiosk's file, or in \"keys\" of the hub's file: sign it with one of these keys"
        case .keyWithdrawn: "the document is signed by a withdrawn key: sign it with another key"
        case .changed: "the document was changed after it was signed, or another key signed it: sign it again"
        case .otherChain: "the document is for another chain: name this chain with --chain"
        case .otherName:
            "the document is for another site, group or kiosk: sign it with --level and with the --name that the kiosk's own file has at that level (fleet.site, fleet.group or fleet.kiosk)"
        case .older(let version):
            "version \(version) is already known: sign the document with a higher version"
        case .versionTaken: "another document has this version: sign this one with a higher version"
        case .notYetValid:
            "the document is dated more than 300 s ahead of this computer's clock: check the clock of the computer that signed it"
        case .withdrawalNotAllowed:
            "a key can withdraw only keys that follow it in fleet.keys of the kiosk: sign the document with an earlier key"
        case .memberFixed(let name): "only the kiosk's own file may set \(name): remove it from the document"
        case .configurationRefused(let fault): "the configuration has a fault: \(fault)"
        case .trustRefused(let error): "the trust bundle is refused: \(error.explanation)"
        case .brandsRefused(let reason): "the brands are refused: \(reason)"
        case .failedBefore:
            "the lanes did not become ready with the document: correct the document and sign it with a higher version"
        }
    }
}
