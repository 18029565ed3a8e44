/// Who asks, and what for.
package struct KnownCaller: Equatable, Sendable {
    /// By what the caller is known.
    package enum Credential: Hashable, Sendable {
        /// A token, by its SHA-256.
        case token([UInt8])
        /// A user of this computer.
        case user(UInt32)
    }

    /// The token's name, or `uid:` and the user's number. What the caller orders belongs to this name.
    package let name: String
    package let scopes: Set<Scope>
    /// The lanes that `app`, `screen`, `clerk` and `order` are for; nil for all.
    package let lanes: Set<String>?
    package let credential: Credential
    /// Whether it is a page with a cookie of this credential.
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

    /// Whether a page of the caller may be at this lane.
    package func serves(lane: String) -> Bool {
        !scopes.isDisjoint(with: [.screen, .clerk]) && covers(lane: lane)
    }

    /// Whether a lane is among those of the caller.
    package func covers(lane: String) -> Bool { lanes?.contains(lane) ?? true }

    /// Whether the caller may order presentations at this lane, and see there what it ordered.
    package func usesApp(at lane: String) -> Bool { scopes.contains(.app) && covers(lane: lane) }

    /// Whether it is the caller, by scope `app`, who ordered at this lane what belongs to this name.
    package func ordered(_ owner: String, at lane: String) -> Bool { owner == name && usesApp(at: lane) }

    /// Whether the caller may start the presets of this lane.
    package func orders(at lane: String) -> Bool {
        !scopes.isDisjoint(with: [.order, .clerk]) && covers(lane: lane)
    }

    /// Whether an order of the caller may begin at this lane.
    package func begins(at lane: String) -> Bool { usesApp(at: lane) || orders(at: lane) }

    /// By which of its scopes the caller may know a presentation: as the caller who ordered it, at a page of its lane
    /// while it is the latest there, or as the administrator.
    func scopes(over record: PresentationRecord, latest: PresentationID?) -> Set<Scope> {
        scopes.filter { scope in
            switch scope {
            case .app: ordered(record.owner, at: record.lane)
            case .screen, .clerk: record.id == latest && serves(lane: record.lane)
            case .admin: true
            case .order: record.owner == name && orders(at: record.lane)
            case .readerTokens, .online: false
            }
        }
    }
}

/// What a caller may do.
package enum Scope: String, CaseIterable, Sendable {
    /// Order presentations, and follow, cancel and read those that it ordered; never a portrait of a display request.
    case app
    /// What the customer's page shows of the presentation at its lane.
    case screen
    /// What the clerk's page does with the presentation at its lane: compare, decide, cancel, scan.
    case clerk
    /// Start the presets of a lane, and follow and cancel what it started; of the result the outcome alone.
    case order
    /// Have reader tokens made, for the brands and readers that are granted.
    case readerTokens
    /// What a shop's own server does for its app and its page: nothing at a lane.
    case online
    /// Figures of the service, its receipts, and all presentations without what came of them.
    case admin
}
