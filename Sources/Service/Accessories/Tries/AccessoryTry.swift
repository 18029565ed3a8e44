/// A try of an accessory: the operator asks whether the device works, without a presentation.
///
/// `countersignd` sends a try to the program of the accessory once, and the program reports a `TryResult`. A try is no
/// output: it has no outcome, no record in the store and no place in a receipt.
package struct AccessoryTry: Equatable, Sendable {
    /// The time for which a scanner waits for a code.
    package static let scanTime = Duration.seconds(30)
    /// The time in which the program has to begin a pulse. The operator does not expect a later one.
    package static let beginTime = Duration.seconds(2)
    /// The time for the report, beyond the time of the action.
    package static let reportTime = Duration.seconds(5)

    /// The number of the try, which is drawn at random: a report of an earlier run of the daemon fits no later try.
    package let number: Int64
    package let accessory: String
    package let lane: String
    package let action: TryAction

    package init(number: Int64, accessory: String, lane: String, action: TryAction) {
        self.number = number
        self.accessory = accessory
        self.lane = lane
        self.action = action
    }
}

/// The action with which an accessory is tried. The raw values are the words of the HTTP API.
package enum TryAction: String, CaseIterable, Sendable {
    /// A contact is closed for one pulse.
    case pulse
    /// The next code is described, and not passed to the lane.
    case scan
}

/// The end of a try. It never contains the text of a code.
package enum TryResult: Equatable, Sendable {
    /// The contact was closed for its whole pulse and opened again, and the device confirmed both.
    case pulsed
    /// The contact may have been closed.
    case unknown
    /// The accessory did nothing: its device was not ready, or its lane was in use meanwhile.
    case refused
    /// A phone's code was scanned.
    case phoneCode(characters: Int)
    /// Another code was scanned. The number is `nil` if the code was too long or incomplete.
    case otherCode(characters: Int?)
    /// No code was scanned in `AccessoryTry.scanTime`.
    case noCode

    /// The kind of a result. The raw values are the words of the HTTP API.
    package enum Kind: String, CaseIterable, Sendable {
        case pulsed, unknown, refused, phoneCode, otherCode, noCode
    }

    package var kind: Kind {
        switch self {
        case .pulsed: .pulsed
        case .unknown: .unknown
        case .refused: .refused
        case .phoneCode: .phoneCode
        case .otherCode: .otherCode
        case .noCode: .noCode
        }
    }

    /// The length of the code that was scanned, or `nil` if there is none.
    package var characters: Int? {
        switch self {
        case .phoneCode(let characters): characters
        case .otherCode(let characters): characters
        case .pulsed, .unknown, .refused, .noCode: nil
        }
    }

    /// Creates the result of this kind. `nil` if the kind needs a number of characters or permits none.
    package init?(_ kind: Kind, characters: Int?) {
        switch (kind, characters) {
        case (.pulsed, nil): self = .pulsed
        case (.unknown, nil): self = .unknown
        case (.refused, nil): self = .refused
        case (.noCode, nil): self = .noCode
        case (.phoneCode, let characters?): self = .phoneCode(characters: characters)
        case (.otherCode, let characters): self = .otherCode(characters: characters)
        case (.phoneCode, nil), (.pulsed, _?), (.unknown, _?), (.refused, _?), (.noCode, _?): return nil
        }
    }

    /// Creates the result of a contact's pulse.
    package init(_ end: OutputEnd) {
        self =
            switch end {
            case .done: .pulsed
            case .unknown: .unknown
            case .refused: .refused
            }
    }

    /// Whether a try with this action can end in this way.
    package func fits(_ action: TryAction) -> Bool {
        switch (self, action) {
        case (.refused, _), (.pulsed, .pulse), (.unknown, .pulse): true
        case (.phoneCode, .scan), (.otherCode, .scan), (.noCode, .scan): true
        case (.pulsed, .scan), (.unknown, .scan): false
        case (.phoneCode, .pulse), (.otherCode, .pulse), (.noCode, .pulse): false
        }
    }
}

extension Accessory {
    /// The action with which this accessory is tried, or `nil` for a kind that is not tried: a till, a door
    /// controller or a subscriber cannot tell a try from an answer.
    package var tryAction: TryAction? {
        switch role {
        case .scanner: .scan
        case .output(let output): if case .relay = output.device { .pulse } else { nil }
        }
    }

    /// The time after which a try of this accessory is over, whatever its program reports.
    package var tryTime: Duration {
        if case .relay(let relay)? = output?.device {
            AccessoryTry.beginTime + relay.pulse + AccessoryTry.reportTime
        } else {
            AccessoryTry.scanTime + AccessoryTry.reportTime
        }
    }
}
