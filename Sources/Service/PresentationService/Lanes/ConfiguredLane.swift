package import MdocTrust
package import ReaderService

/// A lane with the settings of its page.
package struct ConfiguredLane: Sendable {
    package let lane: Lane
    package let page: LanePage
    /// Deadlines and ways of retrieval.
    package let settings: LaneSettings
    /// What the buttons of its clerk's page ask, in their order.
    package let presets: [Preset]
    /// What the lane asks the next phone by itself; nil if it waits for orders.
    package let standing: Preset?

    package init(
        _ lane: Lane, page: LanePage = LanePage(), settings: LaneSettings = LaneSettings(),
        presets: [Preset] = [], standing: Preset? = nil
    ) {
        self.lane = lane
        self.page = page
        self.settings = settings
        self.presets = presets
        self.standing = standing
    }
}

/// How phones are asked at a lane.
package struct LaneSettings: Equatable, Sendable {
    package var deadlines = PresentationDeadlines()
    package var retrieval = RetrievalPlan()
    package var requestVersion = RequestVersion.automatic
    /// The revocation policy of its orders, where it is stricter than that of their purpose.
    package var policy: RevocationPolicy?

    package init() {}
}

/// The operator's own words and settings for the page of a lane.
package struct LanePage: Equatable, Sendable {
    package struct Antenna: Equatable, Sendable {
        package enum Place: String, CaseIterable, Sendable {
            case left, right, above, below, here
        }

        /// In percent of the reader's face, as the customer sees it.
        package let x: Int
        package let y: Int
        /// The position of the reader relative to the screen.
        package let place: Place

        package init(x: Int, y: Int, place: Place) {
            self.x = x
            self.y = y
            self.place = place
        }
    }

    package struct Notice: Equatable, Sendable {
        package let controller: String
        package let purpose: String
        package let kept: String
        package let contact: String

        package init(controller: String, purpose: String, kept: String, contact: String) {
            self.controller = controller
            self.purpose = purpose
            self.kept = kept
            self.contact = contact
        }
    }

    /// How the reader looks, for the drawings.
    package enum Reader: String, CaseIterable, Sendable {
        /// A square pad with a cable.
        case square
        /// A pad that is longer than wide, with a cable.
        case upright
        /// Set into the counter or the kiosk: only its mark is seen.
        case builtIn
    }

    package var language: String?
    package var brand: LaneBrand?
    package var reader = Reader.square
    package var antenna: Antenna?
    /// How long the customer's page shows a result, and a lane that asks by itself then waits.
    package var resultSeconds = 12
    package var notice: Notice?
    /// The names of the wallets that are accepted, as the operator writes them; shown while nothing is asked.
    package var accepts: [String] = []
    /// What will be asked, by the names of elements; shown while nothing is asked.
    package var asks: [String] = []
    /// Whether the customer's page speaks its words.
    package var speaks = false
    package var texts = PageTexts()

    package init() {}
}

/// The operator's own words in place of those of the customer's page. What an outcome is called is not among them: a head
/// keeps its meaning on every screen.
package struct PageTexts: Equatable, Sendable {
    /// The languages of the pages.
    package enum Language: String, CaseIterable, Sendable {
        case ar, de, en, es, fr, it, pt, zh
    }

    /// The keys whose words may be replaced, as `strings.json` has them.
    package static let keys: Set<String> = Set(
        [
            "idle", "armed", "phoneLocked", "notAnID", "tapAgain", "confirmThenTapAgain", "offerQR",
            "mayLift",
            "connectingPhone", "checkBluetooth", "look", "keep", "receiving", "keepOn", "yes", "compare",
            "decide",
            "notConfirmed", "declined", "cancelled", "failed", "unavailable",
        ].map { "customer.\($0).text" } + ["customer.idle.head"])

    package private(set) var words: [String: [String: String]] = [:]

    package init() {}

    /// - Parameter key: one of `keys`.
    package mutating func replace(_ key: String, in language: Language, by text: String) {
        words[language.rawValue, default: [:]][key] = text
    }
}
