/// An action that the driver of a `ContactMachine` has to do. The driver does the actions of an answer in
/// their order.
package enum ContactAction: Equatable, Sendable {
    /// Open the contact, then call `answered` or `failed`.
    case switchOff
    /// Close the contact, then call `answered` or `failed`.
    case switchOn
    /// Ask the device for the contact's state, then call `answered` or `failed`.
    case readBack
    /// Ask the daemon to mark the output as given, then call `claimed`.
    case claim(DueOutput)
    /// Report the end of the output to the daemon. The daemon refuses an end that it knows already.
    case finish(DueOutput, OutputEnd)
    /// Report the state of the accessory to the daemon.
    case report(AccessoryState)
    /// Call `expire` at this time. Always the last action, and replaced by the next answer: an answer without
    /// it has nothing to wait for.
    case wait(until: Duration)
    /// Close the device and open it again, then call `connected` or `lost`.
    case reconnect
}

/// The daemon's answer to a claim.
package enum ClaimAnswer: Equatable, Sendable {
    /// The time in which the answer lets an output act. Somebody who waited longer has left.
    package static let limit = Duration.seconds(2)

    /// The daemon has marked the output as given.
    case given
    /// The daemon has refused: the output is no longer due.
    case notDue
    /// The request failed, and the daemon may have marked the output as given.
    case failed
}
