package import JSON
package import ReaderIdentityStore
package import ReaderStore
package import ReaderTokens
package import RequestPlanner
package import Transport
package import WalletPresentation

/// A condition under which the presentation service refuses a caller's request.
///
/// A case contains the details of the condition. Each interface chooses status, id and text for its callers;
/// for HTTP, `APIProblem` does that.
package enum PresentationServiceError: Error, Equatable, Sendable {
    /// A part of an order that has an intent.
    package enum OrderPart: Equatable, Sendable {
        /// The first request.
        case first
        /// The second request of the same session (`then`).
        case further
    }

    /// A fault of a lane's reader or Bluetooth adapter.
    package enum DeviceFault: Equatable, Sendable {
        case reader(ReaderFault)
        case radio(RadioFault)
    }

    // MARK: Orders

    /// The JSON of an order is malformed, or has a member that is not permitted. An empty set means that the
    /// permitted members are not listed.
    case orderMalformed(JSONFault, permitted: Set<String>)
    /// The intent cannot be parsed or planned.
    case intentRefused(RequestPlannerError, in: OrderPart)
    /// The revocation policy of the order or its lane accepts more than the policy of the purpose, or the
    /// policy of the order accepts more than the policy of the lane.
    case policyRefused
    /// The order wants to retain data of a display request.
    case displayRetainsNoData
    /// The retention needs the holder's consent, and the order does not state it.
    case consentMissing
    /// The order cannot be repeated, because it retains data with the holder's consent, which is valid for
    /// one presentation.
    case consentNotRepeated
    /// The order wants a receipt or retained data, and the daemon has no store.
    case retentionWithoutStore
    /// The order wants a clerk to compare the portrait of a data request.
    case portraitNotCompared
    /// Both requests of the order need a portrait.
    case portraitAskedTwice
    /// The webhook's URL is not under a configured origin.
    case webhookRefused
    /// The caller used the reference for a different order.
    case referenceTaken
    /// The reference belongs to a presentation that allowed a test document, and test documents are no longer
    /// accepted.
    case referenceOfTest
    /// The caller has begun `limit` presentations within an hour, and may begin no more. `retryAfter` is in
    /// seconds.
    case tooManyOrders(limit: Int, retryAfter: Int64)
    /// The order asks for data and has no reader token.
    case readerTokenRequired
    /// The order has a reader token, and no brands are set up.
    case readerTokenWithoutBrands
    /// The reader token of the order was not accepted.
    case readerTokenRefused(ReaderTokensError)
    /// The brand registry in the store's folder cannot be read.
    case brandsUnreadable(BrandRegistryError)
    /// A reader identity cannot be read or used.
    case identityRefused(IdentityStoreError)
    /// The order names a reader identity beside a reader token, which decides the identity.
    case identityBesideToken
    /// The order names an identity that signs only for a brand.
    case identityOfBrand

    // MARK: Lanes

    /// The order names no lane, and there are several.
    case laneRequired
    /// There is no such lane, or the caller may not use it.
    case laneUnknown
    /// The order names a lane that does not exist or that the caller may not use.
    case orderedLaneUnknown
    /// Another presentation is running at the lane.
    ///
    /// - Parameter isOwn: whether the caller ordered that presentation, and so may cancel it.
    case laneBusy(PresentationID, isOwn: Bool)
    /// A person has to decide on the lane's earlier presentation first.
    case decisionOpen(PresentationID, isOwn: Bool)
    /// The lane asks each next phone by itself (a standing order) and waits for one. Its presentation cannot
    /// be cancelled.
    case standingOrder
    /// The reader or the Bluetooth adapter of the lane cannot be used.
    case readerUnavailable(DeviceFault)

    // MARK: Presentations

    /// There is no such presentation, or the caller may not see it.
    case presentationUnknown
    /// The presentation is over, or waits for a decision. No phone can join it.
    case presentationOver
    /// Another phone has begun the exchange already.
    case alreadyEngaged
    /// No decision is open, or another decision was made.
    case decisionNotDue
    /// There is no portrait, or the portrait was handed out or wiped.
    case portraitGone
    /// Somebody has asked for the missing elements again already.
    case askedAgain
    /// No needed element is missing.
    case nothingToAskAgain
    /// Every presentation in memory is still running, and there is no room for another.
    case tooManyPresentations
    /// The limit of event listeners is reached.
    case tooManyListeners
    /// The daemon is ending.
    case shuttingDown

    // MARK: Time, trust and records

    /// The clock shows a time before `WallClock.earliest`.
    case clockNotSet
    /// The store has no root.
    case trustNotSetUp
    /// The trust cannot be read from the store.
    case trustUnavailable(ReaderStoreError)
    /// The store cannot be read or written.
    case recordsUnavailable(ReaderStoreError)
    /// No data is retained for the reference.
    case nothingRetained
    /// There is no unfinished export with this id.
    case exportUnknown

    // MARK: Apps and web pages

    /// No merchant or no web origin is configured.
    case onlineNotSetUp
    /// The order names no merchant, and there are several.
    case merchantRequired
    /// No merchant with this name is configured.
    case merchantUnknown
    /// The web page's origin is not configured.
    case originUnknown
    /// The app's elements are not a request that PassKit can make: the list is empty, an element is in the
    /// list twice, or the document does not have an element.
    case descriptorRefused(IdentityDescriptorError)
    /// The nonce cannot be issued or was not accepted.
    case nonceRefused(NonceStoreError)
    /// The response of the app or page cannot be opened or belongs to another request.
    case answerRefused(WalletPresentationError)

    /// Random bytes, a signature or a request could not be made.
    case failed
}

extension PresentationServiceError {
    /// The name of the condition without its details, for logs.
    var name: String { String("\(self)".prefix { $0 != "(" }) }
}
