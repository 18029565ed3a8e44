/// Why a document of the fleet is not obeyed. Nothing has changed then.
package enum FleetDocumentError: Error, Equatable, Sendable {
    /// The bytes are not a document.
    case malformed
    case tooLong
    /// A key signed it that the kiosk's own file does not name.
    case keyUnknown
    /// A key signed it that was withdrawn.
    case keyWithdrawn
    /// The signature does not belong to these bytes and the key that they name.
    case changed
    /// It is of another chain.
    case otherChain
    /// It is for another site, group or kiosk.
    case otherName
    /// A later version was seen before.
    case older(than: Int64)
    /// Another document of the same version was seen before.
    case versionTaken
    /// It was made in the future.
    case notYetValid
    /// It withdraws a key that its own signer may not withdraw.
    case withdrawalNotAllowed
    /// It changes a member that only the kiosk's own file says.
    case memberFixed(String)
    /// The configuration that it leads to has a fault, said here.
    case configurationRefused(String)
    /// Its trust bundle is refused.
    case trustRefused(FleetTrustError)
    /// Its brands are not fit to be used, or cannot be kept, for the reason said here.
    case brandsRefused(String)
    /// It was applied before, and the lanes did not become ready with it.
    case failedBefore

    /// As reports name it.
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

    /// In plain words: what is, and what to do.
    package var explanation: String {
        switch self {
        case .malformed: "the bytes are not a fleet document: make it with countersign-hub sign"
        case .tooLong: "the document has more than \(FleetDocument.maximumSize) bytes: make it shorter"
        case .keyUnknown:
            "none of the keys in fleet.keys of the kiosk, or in keys of the hub, signed it: sign it with one of those"
        case .keyWithdrawn: "it is signed by a key that was withdrawn: sign it with another"
        case .changed: "it was changed after it was signed, or another key signed it: sign it again"
        case .otherChain: "it is of another chain: name this one with --chain"
        case .otherName:
            "it is for another site, group or kiosk: name this one with --level and --name, as its own file does"
        case .older(let version): "version \(version) was seen before: sign it with a higher version"
        case .versionTaken: "another document has this version: sign it with a higher version"
        case .notYetValid:
            "it is dated more than 300 s ahead of this computer's clock: check that of the computer that signed it"
        case .withdrawalNotAllowed:
            "a key withdraws only those after it in fleet.keys of the kiosk: sign it with an earlier key"
        case .memberFixed(let name): "only the kiosk's own file says \(name): leave it out"
        case .configurationRefused(let fault): "the configuration has a fault: \(fault)"
        case .trustRefused(let error): "the trust bundle is refused: \(error.explanation)"
        case .brandsRefused(let reason): "the brands are refused: \(reason)"
        case .failedBefore: "the lanes did not become ready with it: sign another version"
        }
    }
}
