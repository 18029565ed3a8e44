package import ArgumentParser
package import MdocModel
package import WalletPresentation

/// A presentation through an app (Verify with Wallet), for the command that judges it and the wallet that makes it.
package struct AppArguments: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The envelope of an app: what encryptedData of PassKit holds.", valueName: "file"))
    package var envelope: String?

    @Option(
        name: .customLong("merchant-id"),
        help: ArgumentHelp("The merchant identifier in the app's request.", valueName: "identifier"))
    package var merchantIdentifier: String?

    @Option(
        name: .customLong("team-id"),
        help: ArgumentHelp("The team identifier of the app.", valueName: "identifier"))
    package var teamIdentifier: String?

    // One in 64 begins with a hyphen.
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

    /// Who asked, with which nonce; nil if no app did.
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

    /// What the app asked for, in the terms of ISO/IEC 18013-5; nil if not given.
    package func itemsRequest() throws(CommandFailure) -> ItemsRequest? {
        guard !elements.isEmpty else { return nil }
        do throws(IdentityDescriptorError) {
            // For how long it may be kept is between app and holder, and not in what is signed.
            return try IdentityDescriptor(document, elements.map { ($0, .willNotStore) }).itemsRequest
        } catch {
            throw .usage("--element: \(error.explanation)")
        }
    }
}

/// A nonce as the daemon gives it.
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
        case .elementTwice: "an element is given twice"
        case .ageTwice: "age and age(atLeast:) cannot be asked for together"
        case .ageOutOfRange: "an age must be from 1 to 125"
        case .elementNotOfDocument(let element): "this document has no \(element.name)"
        }
    }
}
