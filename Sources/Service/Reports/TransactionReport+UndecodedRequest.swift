internal import MdocVerification

extension TransactionReport {
    /// Adds the remedy to the fault of a phone that could not decode the request: status 11 of the session or of the
    /// answer.
    ///
    /// - Parameter isExtended: whether the request was of version 1.1; `nil` if the request is not known.
    package mutating func adviseOnUndecodedRequest(isExtended: Bool?) {
        let advice =
            switch isExtended {
            case true?: "the request was of version 1.1: try --request-version 1.0"
            case nil: "if the request was of version 1.1, try --request-version 1.0"
            case false?: "the request was of version 1.0 already: tap again, and keep a trace if it repeats"
            }
        advise(advice, about: [.transaction(.sessionStatus11), .response(.statusNotOK)])
    }
}
