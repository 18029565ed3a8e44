package import ArgumentParser
package import MdocModel
package import WalletPresentation

/// The options that describe a presentation through an app (Verify with Wallet). `countersign verify` reads
/// such a presentation and the software wallet creates one.
package struct AppArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The envelope that the app received: the bytes of PassKit's encryptedData.", valueName: "file"))
    package var envelope: String?

    @Option(
        name: .customLong("merchant-id"),
        help: ArgumentHelp("The merchant identifier in the app's request.", valueName: "identifier"))
    package var merchantIdentifier: String?

    @Option(
        name: .customLong("team-id"),
        help: ArgumentHelp("The team identifier of the app.", valueName: "identifier"))
    package var teamIdentifier: String?

    // One base64url nonce in 64 begins with a hyphen. Without `.unconditional` the parser would take it for
    // an option.
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The nonce of the app's request, base64url without padding.", valueName: "text"))
    package var nonce: NonceArgument?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The document that the app asked for: \(IdentityDocument.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "document"))
    package var document = IdentityDocument.driversLicense

    @Option(
        name: .customLong("element"),
        help: ArgumentHelp(
            "An element that the app asked for, by PassKit's name: givenName, or age(atLeast:21). Repeatable.",
            valueName: "element"))
    package var elements: [IdentityElement] = []

    package init() {}

    package func validate() throws {
        guard envelope != nil else {
            guard merchantIdentifier == nil, teamIdentifier == nil, nonce == nil, elements.isEmpty else {
                throw ValidationError("--merchant-id, --team-id, --nonce and --element need --envelope.")
            }
            return
        }
        guard merchantIdentifier != nil, teamIdentifier != nil, nonce != nil else {
            throw ValidationError("--envelope needs --merchant-id, --team-id and --nonce.")
        }
    }

    /// Returns the merchant that sent the request and the nonce of the request. Returns `nil` if
    /// `--merchant-id`, `--team-id` or `--nonce` was not given.
    package func request() throws(CommandFailure) -> (merchant: MerchantIdentity, nonce: PresentationNonce)? {
        guard let merchantIdentifier, let teamIdentifier, let nonce else { return nil }
        do throws(WalletPresentationError) {
            let merchant = try MerchantIdentity(
                merchantIdentifier: merchantIdentifier, teamIdentifier: teamIdentifier)
            return (merchant, nonce.nonce)
        } catch {
            throw .usage(error.explanation)
        }
    }

    /// Returns the app's request as an `ItemsRequest` (ISO/IEC 18013-5), or `nil` without `--element`.
    package func itemsRequest() throws(CommandFailure) -> ItemsRequest? {
        guard !elements.isEmpty else { return nil }
        do throws(IdentityDescriptorError) {
            // An `IdentityDescriptor` needs the time for which the app keeps each element. The signed data
            // does not contain this time, so any value gives the same comparison.
            return try IdentityDescriptor(document, elements.map { ($0, .willNotStore) }).itemsRequest
        } catch {
            throw .usage("--element: \(error.explanation)")
        }
    }
}

/// The argument of `--nonce`: a nonce in base64url without padding, as the daemon issues it.
package struct NonceArgument: ExpressibleByArgument {
    package let nonce: PresentationNonce

    package init?(argument: String) {
        guard let bytes = Base64URL.decode(argument.utf8), let nonce = try? PresentationNonce(bytes) else {
            return nil
        }
        self.nonce = nonce
    }
}

extension IdentityDocument: ExpressibleByArgument {}

extension IdentityElement: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension IdentityDescriptorError {
    fileprivate var explanation: String {
        switch self {
        case .noElements: "give at least one element"
        case .elementTwice: "the same element is given twice; give each element once"
        case .ageTwice: "age and age(atLeast:) cannot be requested together; give one of them"
        case .ageOutOfRange: "an age must be from 1 to 125"
        case .elementNotOfDocument(let element):
            "the document type given with --document has no element \(element.name)"
        }
    }
}
