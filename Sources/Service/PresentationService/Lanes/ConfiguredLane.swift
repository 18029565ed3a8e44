package import MdocTrust
package import ReaderService
package import ReaderStore

/// A lane with its settings: page, deadlines, retrieval, presets, and the preset that the lane repeats by
/// itself.
package struct ConfiguredLane: Sendable {
    package let lane: Lane
    package let page: LanePage
    /// The deadlines, the retrieval methods and the revocation policy of the lane.
    package let settings: LaneSettings
    /// The presets behind the buttons of the clerk's page, in their order. They ask for no data.
    package let presets: [Preset]
    /// The presets behind the buttons of the desk's page, in their order. They ask for data.
    package let dataPresets: [Preset]
    /// The preset that the lane repeats for one phone after the other without an order, or `nil` if the lane
    /// waits for orders.
    package let standing: Preset?

    /// Creates a lane, and separates the presets that ask for data from the others.
    ///
    /// - Parameter presets: all presets of the lane, in the order of the buttons.
    package init(
        _ lane: Lane, page: LanePage = LanePage(), settings: LaneSettings = LaneSettings(),
        presets: [Preset] = [], standing: Preset? = nil
    ) {
        self.lane = lane
        self.page = page
        self.settings = settings
        self.presets = presets.filter { !$0.asksForData }
        dataPresets = presets.filter(\.asksForData)
        self.standing = standing
    }
}

extension ConfiguredLane {
    /// Checks that the lane still has the preset that made this order. Other orders always pass.
    ///
    /// - Throws: `presetUnknown` if the lane no longer has the preset.
    func checkPreset(of order: PresentationOrder) throws(PresentationServiceError) {
        guard order.isOfPreset else { return }
        let all = presets + dataPresets + [standing].compactMap(\.self)
        guard all.contains(where: { order.isOrder(of: $0) }) else { throw .presetUnknown }
    }

    /// The retention that `presets` and `standing` have in common; `nil` if their retention differs, or if
    /// there is no preset. Presets that ask for data are not considered.
    package var retentionOfPresets: RetentionProfile? {
        let all = (presets + [standing].compactMap(\.self)).map(\.retention)
        return all.allSatisfy { $0 == all.first } ? all.first : nil
    }
}

/// The settings for presentations at a lane: deadlines, ways of retrieval, version of the request and
/// revocation policy.
package struct LaneSettings: Equatable, Sendable {
    package var deadlines = PresentationDeadlines()
    package var retrieval = RetrievalPlan()
    package var requestVersion = RequestVersion.automatic
    /// A revocation policy that is at least as strict as the policy for the purpose of the request; `nil` to
    /// use that policy.
    package var policy: RevocationPolicy?

    package init() {}
}

/// The operator's settings and texts for the pages of a lane.
package struct LanePage: Equatable, Sendable {
    /// The position of the reader's antenna, for the drawing on the customer's page.
    package struct Antenna: Equatable, Sendable {
        /// A direction from the screen to the reader. `here` means that the page draws no arrow.
        package enum Place: String, CaseIterable, Sendable {
            case left, right, above, below, here
        }

        /// The distance of the antenna from the left edge of the reader's face, in percent of its width.
        package let x: Int
        /// The distance of the antenna from the upper edge of the reader's face, in percent of its height.
        package let y: Int
        /// The position of the reader relative to the screen.
        package let place: Place

        package init(x: Int, y: Int, place: Place) {
            self.x = x
            self.y = y
            self.place = place
        }
    }

    /// The owner's texts of the privacy notice. For an absent text the page uses a built-in text.
    package struct Notice: Equatable, Sendable {
        package let controller: String?
        package let purpose: String?
        package let kept: String?
        package let contact: String?

        package init(controller: String?, purpose: String?, kept: String?, contact: String?) {
            self.controller = controller
            self.purpose = purpose
            self.kept = kept
            self.contact = contact
        }
    }

    /// The shape of the reader in drawings.
    package enum Reader: String, CaseIterable, Sendable {
        /// A square pad with a cable.
        case square
        /// A pad that is longer than wide, with a cable.
        case upright
        /// A reader inside the counter or the kiosk. Only the contactless symbol on the surface is visible.
        case builtIn
    }

    /// The language of the lane's pages; `nil` for the browser's language.
    package var language: String?
    package var brand: LaneBrand?
    package var reader = Reader.square
    package var antenna: Antenna?
    /// The seconds for which the customer's page shows a result. A lane with a standing order begins to wait
    /// for the next phone after that time.
    package var resultSeconds = 12
    /// The owner's texts of the privacy notice for languages that are not in `notices`.
    package var notice: Notice?
    /// The owner's texts of the privacy notice in single languages.
    package var notices: [PageTexts.Language: Notice] = [:]
    /// The names of accepted wallets, shown while no presentation is running.
    package var accepts: [String] = []
    /// The names of the elements that will be requested, shown while no presentation is running.
    package var asks: [String] = []
    /// Whether the customer's page reads its texts aloud.
    package var speaks = false
    package var texts = PageTexts()

    package init() {}
}

/// The operator's texts that replace texts of the customer's page. The headings of outcomes cannot be
/// replaced: each outcome has the same heading on every screen.
package struct PageTexts: Equatable, Sendable {
    /// The languages of the pages.
    package enum Language: String, CaseIterable, Sendable {
        case ar, de, en, es, fr, it, pt, zh
    }

    /// The keys of `strings.json` whose texts may be replaced.
    package static let keys: Set<String> = Set(
        [
            "idle", "armed", "phoneLocked", "notAnID", "tapAgain", "confirmThenTapAgain", "offerQR",
            "codeNotAnID", "codeOfReader", "codeUnreadable", "mayLift",
            "connectingPhone", "checkBluetooth", "look", "keep", "receiving", "keepOn", "yes", "compare",
            "decide",
            "notConfirmed", "notAccepted", "declined", "cancelled", "failed", "unavailable",
        ].map { "customer.\($0).text" } + ["customer.idle.head"])

    /// The replacing texts: by language, then by key.
    package private(set) var words: [String: [String: String]] = [:]

    package init() {}

    /// Replaces a text in one language.
    ///
    /// - Parameter key: a member of `keys`.
    package mutating func replace(_ key: String, in language: Language, by text: String) {
        words[language.rawValue, default: [:]][key] = text
    }
}
