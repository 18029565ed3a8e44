extension MobileDocumentReader.Event {
    /// What changed from one look at a presentation to the next.
    static func changes(from old: PagePresentation?, to new: PagePresentation) -> [Self] {
        var events: [Self] = []
        if new.state != old?.state, let event = Self(state: new.state) { events.append(event) }
        if new.hint != old?.hint, let hint = new.hint.flatMap(MobileDocumentReader.Hint.init(word:)) {
            events.append(.hint(hint))
        }
        return events
    }

    private init?(state: String) {
        switch state {
        case "armed": self = .armed
        case "engaged": self = .engaged
        case "awaitingConsent": self = .awaitingConsent
        case "receiving": self = .receiving
        case "awaitingDecision": self = .presenting
        default: return nil
        }
    }
}

extension MobileDocumentReader.Hint {
    fileprivate init?(word: String) {
        switch word {
        case "phoneLocked": self = .phoneLocked
        case "notAnID": self = .notAnID
        case "tapAgain": self = .tapAgain
        case "confirmThenTapAgain": self = .confirmThenTapAgain
        case "offerQR": self = .offerQR
        case "mayLift": self = .mayLift
        case "connecting": self = .connecting
        case "checkBluetooth": self = .checkBluetooth
        case "hold": self = .hold
        default: return nil
        }
    }
}
