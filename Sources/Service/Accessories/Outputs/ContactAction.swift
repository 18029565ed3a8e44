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
    /// Ask the daemon whether the try may close the contact, then call `claimed`.
    case claimTry(AccessoryTry)
    /// Report the end of the try to the daemon.
    case finishTry(AccessoryTry, OutputEnd)
    /// Report the state of the accessory to the daemon.
    case report(AccessoryState)
    /// Call `expire` at this time. Always the last action, and replaced by the next answer: an answer without
    /// it has nothing to wait for.
    case wait(until: Duration)
    /// Close the device and open it again, then call `connected` or `lost`.
    case reconnect
}

/// The output or the try for which a contact is closed.
enum ContactCause: Equatable, Sendable {
    case output(DueOutput)
    case attempt(AccessoryTry)

    /// The action that asks the daemon whether the contact may be closed.
    var claim: ContactAction {
        switch self {
        case .output(let output): .claim(output)
        case .attempt(let attempt): .claimTry(attempt)
        }
    }

    /// The action that reports the end to the daemon.
    func finish(_ end: OutputEnd) -> ContactAction {
        switch self {
        case .output(let output): .finish(output, end)
        case .attempt(let attempt): .finishTry(attempt, end)
        }
    }
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
