package import Accessories
package import JSON
package import MdocModel
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
    /// The revocation policy of the order or its lane is less strict than the policy of the purpose, or
    /// the policy of the order is less strict than the policy of the lane.
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
    /// The caller has already used the reference for a different order.
    case referenceTaken
    /// The reference belongs to a presentation that allowed a test document, and test documents are no longer
    /// accepted.
    case referenceOfTest
    /// The caller has begun `limit` presentations within an hour, and may not begin another one yet.
    /// `retryAfter` is in seconds.
    case tooManyOrders(limit: Int, retryAfter: Int64)
    /// The order asks for data and has no reader token.
    case readerTokenRequired
    /// The order has a reader token, but no brand is set up in the daemon.
    case readerTokenWithoutBrands
    /// The reader token of the order was not accepted.
    case readerTokenRefused(ReaderTokensError)
    /// The daemon refused to make a reader token, either for a caller who requested the token or for a preset
    /// that asks for data.
    case readerTokenNotMade(TokenRefusal)
    /// The brand registry in the store's folder cannot be read.
    case brandsUnreadable(BrandRegistryError)
    /// A reader identity cannot be read or used.
    case identityRefused(IdentityStoreError)
    /// The order has a reader token and also the name of a reader identity. The token alone determines the
    /// identity.
    case identityBesideToken
    /// The order has the name of a reader identity that signs only for a brand.
    case identityOfBrand

    // MARK: Lanes

    /// The order has no lane, and the daemon has several lanes.
    case laneRequired
    /// There is no such lane, or the caller may not use it.
    case laneUnknown
    /// The lane has no such preset, or no longer has the preset whose order is to be repeated.
    case presetUnknown
    /// The lane of the order does not exist, or the caller may not use it.
    case orderedLaneUnknown
    /// Another presentation is running at the lane.
    ///
    /// - Parameter isOwn: whether the caller ordered that presentation, and so may cancel it.
    case laneBusy(PresentationID, isOwn: Bool)
    /// A person has to decide on the lane's earlier presentation first.
    case decisionOpen(PresentationID, isOwn: Bool)
    /// The lane has a standing order and is waiting for a phone. A presentation of a standing order cannot be
    /// cancelled during this wait.
    case standingOrder
    /// The reader or the Bluetooth adapter of the lane cannot be used.
    case readerUnavailable(DeviceFault)
    /// The lane has an output that is required and cannot act. The value is the name of the accessory.
    case accessoryNotReady(String)

    // MARK: Presentations

    /// There is no such presentation, or the caller may not see it.
    case presentationUnknown
    /// The presentation is over, or waits for a decision. No phone can join it.
    case presentationOver
    /// Another phone has begun the exchange already.
    case alreadyEngaged
    /// The lane does not wait for a phone.
    case laneNotArmed
    /// The text of a scanned code is not a device engagement.
    case engagementMalformed(MdocModelError)
    /// A session was established with this code before.
    case engagementReused
    /// The lane has accepted as many codes as it may within a minute. `retryAfter` is in seconds.
    case tooManyEngagements(retryAfter: Int64)
    /// The presentation waits for no decision, or a different decision was made already.
    case decisionNotDue
    /// There is no portrait, or the portrait was handed out or wiped.
    case portraitGone
    /// Somebody has repeated the order of this presentation already.
    case askedAgain
    /// The checks alone decided the outcome, and no needed element is missing. The order is not repeated.
    case nothingToAskAgain
    /// Every presentation in memory is still running, and there is no room for another.
    case tooManyPresentations
    /// The limit of event listeners is reached.
    case tooManyListeners
    /// There is no such accessory, or the caller does not serve its lane.
    case accessoryUnknown
    /// The caller reports about an accessory, and has no open event stream.
    case accessoryNotConnected
    /// The output is unknown, over its time, or was given before.
    case outputNotDue
    /// The accessory is not tried, and did nothing.
    case tryRefused(TryRefusal)
    /// The accessory was tried too often. `retryAfter` is in seconds.
    case tooManyTries(retryAfter: Int64)
    /// The end of a try is not known: its program has left, or has not reported the end in time.
    case tryUnanswered(TryAction)
    /// The try is unknown or over its time, was permitted before, or cannot end as its program reports.
    case tryNotDue
    /// The daemon is ending.
    case shuttingDown

    // MARK: Time, trust and records

    /// The clock shows a time before `WallClock.earliest`.
    case clockNotSet
    /// The store contains no trusted root certificate.
    case trustNotSetUp
    /// The trust cannot be read from the store.
    case trustUnavailable(ReaderStoreError)
    /// The store cannot be read or written.
    case recordsUnavailable(ReaderStoreError)
    /// A presentation with this reference is not over, so data may still be retained under the reference.
    case referenceBusy(PresentationID)
    /// No data is retained for the reference.
    case nothingRetained
    /// There is no unfinished export with this id.
    case exportUnknown

    // MARK: Apps and web pages

    /// No merchant or no web origin is configured.
    case onlineNotSetUp
    /// The order has no merchant, and several merchants are configured.
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
