internal import ReaderStore

/// A caller of the service who was recognised by a token or as a user of this computer, with scopes and
/// lanes.
package struct KnownCaller: Equatable, Sendable {
    /// The proof by which the caller was recognised.
    package enum Credential: Hashable, Sendable {
        /// The SHA-256 of a token.
        case token([UInt8])
        /// The number of a user of this computer.
        case user(UInt32)
    }

    /// The token's name, or `uid:` and the user's number. Presentations that the caller orders belong to this
    /// name.
    package let name: String
    package let scopes: Set<Scope>
    /// The lanes to which the scopes `app`, `screen`, `clerk`, `order`, `desk` and `accessory` are limited; `nil`
    /// for all lanes.
    package let lanes: Set<String>?
    package let credential: Credential
    /// Whether the caller is a browser page. Then `credential` is the token or user for which the page's
    /// cookie was made, and the page has some of the rights of that token or user.
    package let isPage: Bool

    package init(
        name: String, scopes: Set<Scope>, lanes: Set<String>?, credential: Credential, isPage: Bool = false
    ) {
        self.name = name
        self.scopes = scopes
        self.lanes = lanes
        self.credential = credential
        self.isPage = isPage
    }

    /// The source of this caller's decisions, as receipts name it; `nil` for a caller that is not the clerk's
    /// page of a lane. A program with the scope `clerk` is no page: nobody knows where its user decides.
    var decisionSource: ReceiptStatement.DecisionSource? {
        isPage && scopes.contains(.clerk) ? .clerk(nil) : nil
    }

    /// Whether the caller may show a page of this lane.
    package func serves(lane: String) -> Bool {
        !scopes.isDisjoint(with: [.screen, .clerk]) && covers(lane: lane)
    }

    /// Whether this lane is among the caller's lanes.
    package func covers(lane: String) -> Bool { lanes?.contains(lane) ?? true }

    /// Whether the caller has the scope `app` at this lane, with which it orders presentations there and sees
    /// the presentations that it ordered.
    package func usesApp(at lane: String) -> Bool { scopes.contains(.app) && covers(lane: lane) }

    /// Whether the caller has the scope `desk` at this lane, with which it starts the presets that ask for
    /// data, and sees the presentations that it started.
    package func usesDesk(at lane: String) -> Bool { scopes.contains(.desk) && covers(lane: lane) }

    /// Whether the presentation belongs to the caller, and the caller may see it. A caller with the scope
    /// `desk` sees only presentations that its presets started, and not the presentations that a program with
    /// the same name ordered.
    func owns(_ record: PresentationRecord) -> Bool {
        owns(record.owner, at: record.lane, isOfDesk: record.isOfDesk)
    }

    /// Whether a presentation that is only in the store belongs to the caller, and the caller may see it.
    func owns(_ stored: StoredPresentation) -> Bool {
        owns(stored.owner, at: stored.lane, isOfDesk: stored.isOfDesk)
    }

    private func owns(_ owner: String, at lane: String, isOfDesk: Bool) -> Bool {
        owner == name && (usesApp(at: lane) || (isOfDesk && usesDesk(at: lane)))
    }

    /// Whether the caller may start the presets of this lane that ask for no data.
    package func mayStartPresets(at lane: String) -> Bool {
        !scopes.isDisjoint(with: [.order, .clerk, .accessory]) && covers(lane: lane)
    }

    /// Whether the caller has the scope `accessory` at this lane, with which it serves the lane's scanners and
    /// outputs.
    package func usesAccessories(at lane: String) -> Bool {
        scopes.contains(.accessory) && covers(lane: lane)
    }

    /// Whether the caller may start this preset at a lane. A preset that asks for data needs the scope `desk`,
    /// and any other preset needs `order`, `clerk` or `accessory`.
    package func mayStart(_ preset: Preset, at lane: String) -> Bool {
        preset.asksForData ? usesDesk(at: lane) : mayStartPresets(at: lane)
    }

    /// Whether an order of the caller may begin at this lane.
    package func mayOrder(at lane: String) -> Bool {
        usesApp(at: lane) || mayStartPresets(at: lane) || usesDesk(at: lane)
    }

    /// Whether the caller may read the description and the events of this lane.
    package func sees(lane: String) -> Bool { serves(lane: lane) || mayOrder(at: lane) }

    /// Returns the caller's scopes that give access to a presentation:
    /// - `app`, `order` and `desk` if the caller ordered the presentation;
    /// - `screen` and `clerk` while the presentation is the latest of a lane that the caller serves;
    /// - `admin` always.
    func scopes(over record: PresentationRecord, latest: PresentationID?) -> Set<Scope> {
        scopes.filter { scope in
            switch scope {
            case .app: record.owner == name && usesApp(at: record.lane)
            case .desk: record.owner == name && record.isOfDesk && usesDesk(at: record.lane)
            case .screen, .clerk: record.id == latest && serves(lane: record.lane)
            case .admin: true
            case .order: record.owner == name && mayStartPresets(at: record.lane)
            // These scopes give no access to presentations. An accessory learns an outcome only from the outputs
            // that it has to give.
            case .readerTokens, .online, .accessory: false
            }
        }
    }
}

/// A right of a caller.
package enum Scope: String, CaseIterable, Sendable {
    /// Orders presentations, and follows, cancels and reads the presentations that it ordered. Never receives
    /// the portrait of a display request.
    case app
    /// Shows the customer's page of a lane.
    case screen
    /// Shows the clerk's page of a lane, on which a clerk compares portraits, decides, cancels and scans QR
    /// codes.
    case clerk
    /// Starts the presets of a lane, and follows and cancels presentations that it started. Sees only their
    /// outcome.
    case order
    /// Shows the desk's page of a lane: starts the lane's presets that ask for data, and follows, decides
    /// on, cancels and reads the presentations that it started, with their documents. Exports and deletes
    /// the data that they retained. Never receives a receipt or a reader token.
    case desk
    /// Serves the scanners and outputs of a lane: posts engagements, starts the lane's presets that ask for no
    /// data, receives the outputs that are due, and reports how they ended. Sees no presentation, receipt,
    /// portrait or trust.
    case accessory
    /// Requests reader tokens for the brands and readers that the configuration names for this caller
    /// (`readerTokens.grants`).
    case readerTokens
    /// Makes requests for a shop's app and web page, and receives the reports on the responses. Has no rights
    /// at a lane.
    case online
    /// Reads metrics and receipts. Also reads all presentations, but not their answers. A user of this computer with
    /// this scope may try accessories.
    case admin
}
