package import JSON
package import ReaderIdentityStore
package import ReaderStore
package import ReaderTokens
package import RequestPlanner
package import Transport
package import WalletPresentation

/// A condition under which the service of a counter does not do what a caller asks.
///
/// A case holds what is known of the condition. The status, the id and the words that a caller reads are those of the interface
/// that the caller uses.
package enum PresentationServiceError: Error, Equatable, Sendable {
    /// A part of an order that has an intent.
    package enum OrderPart: Equatable, Sendable {
        /// The question that the order begins with.
        case first
        /// The question that follows in the same session.
        case further
    }

    /// A fault of the devices of a lane.
    package enum DeviceFault: Equatable, Sendable {
        case reader(ReaderFault)
        case radio(RadioFault)
    }

    // MARK: Orders

    /// The JSON of an order is malformed, or has a member that is not among the permitted ones. An empty set names none.
    case orderMalformed(JSONFault, permitted: Set<String>)
    case intentRefused(RequestPlannerError, in: OrderPart)
    /// The policy of the order or of its lane accepts more than the policy of its purpose.
    case policyRefused
    /// A display request is to retain data.
    case displayRetainsNoData
    /// The retention needs the holder's consent, which the order does not record.
    case consentMissing
    /// The order keeps data with the holder's consent, which holds for one presentation, and is to be repeated.
    case consentNotRepeated
    /// The order is to be kept, and there is no store.
    case retentionWithoutStore
    /// A clerk is to compare the portrait of a data request.
    case portraitNotCompared
    case portraitAskedTwice
    /// The webhook is not of a known origin.
    case webhookRefused
    /// Another order has the reference.
    case referenceTaken
    /// The reference was allowed by a test document, and test documents are not accepted any more.
    case referenceOfTest
    case tooManyOrders(limit: Int, retryAfter: Int64)
    /// An order for data has no reader token.
    case readerTokenRequired
    /// The order has a reader token, and no brand is set up.
    case readerTokenWithoutBrands
    case readerTokenRefused(ReaderTokensError)
    case brandsUnreadable(BrandRegistryError)
    case identityRefused(IdentityStoreError)
    /// The order names an identity beside a reader token, which decides that.
    case identityBesideToken
    /// The identity signs only for a brand.
    case identityOfBrand

    // MARK: Lanes

    /// There are several lanes, and the order names none.
    case laneRequired
    case laneUnknown
    /// The order names a lane that the caller does not have.
    case orderedLaneUnknown
    /// Another presentation is running at the lane.
    ///
    /// - Parameter isOwn: whether the caller ordered that presentation, and so may end it.
    case laneBusy(PresentationID, isOwn: Bool)
    /// A person is to decide on the presentation before.
    case decisionOpen(PresentationID, isOwn: Bool)
    /// The presentation is that of a lane which waits for the next phone by itself.
    case standingOrder
    case readerUnavailable(DeviceFault)

    // MARK: Presentations

    case presentationUnknown
    case presentationOver
    case alreadyEngaged
    /// There is nothing to decide.
    case decisionNotDue
    case portraitGone
    /// The missing elements were asked for again already.
    case askedAgain
    case nothingToAskAgain
    case tooManyPresentations
    case tooManyListeners
    case shuttingDown

    // MARK: Time, trust and records

    case clockNotSet
    case trustNotSetUp
    case trustUnavailable(ReaderStoreError)
    /// The store does not give or take what it should.
    case recordsUnavailable(ReaderStoreError)
    case nothingRetained
    case exportUnknown

    // MARK: Apps and web pages

    case onlineNotSetUp
    /// There are several merchants, and the order names none.
    case merchantRequired
    case merchantUnknown
    case originUnknown
    case descriptorRefused(IdentityDescriptorError)
    case nonceRefused(NonceStoreError)
    case answerRefused(WalletPresentationError)

    /// Random bytes, a signature or a request could not be made.
    case failed
}

extension PresentationServiceError {
    /// The name of the condition without its details, for logs.
    var name: String { String("\(self)".prefix { $0 != "(" }) }
}
