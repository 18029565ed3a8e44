internal import PresentationService
internal import HTTPServing
internal import Hummingbird

/// A page, which a code or a cookie is for: the customer's or the clerk's at a lane, or the owner's.
struct PagePlace: Hashable, Sendable {
    enum Page: String, CaseIterable, Sendable {
        case kiosk, clerk, owner

        /// What the page needs.
        var scope: Scope {
            switch self {
            case .kiosk: .screen
            case .clerk: .clerk
            case .owner: .admin
            }
        }
    }

    private static let longest = 80

    let page: Page
    /// Nil for the owner's page, which is for all lanes.
    let lane: String?

    /// Where the page finds its lane, with the code for the way there.
    func path(code: String) -> String { "/\(page.rawValue)\(lane.map { "?lane=\($0)" } ?? "")#code=\(code)" }

    /// As the page sends it in `Countersign-Page`, and after `countersign-` in the name of its cookie: `kiosk-counter-1`,
    /// `owner`.
    var name: String { lane.map { "\(page.rawValue)-\($0)" } ?? page.rawValue }

    static let owner = PagePlace(.owner, lane: nil)

    init(_ page: Page, lane: String?) {
        self.page = page
        self.lane = lane
    }

    /// The place that a request says it comes from; nil if it says none.
    init?(of request: Request) {
        guard let name = request.headers.first("countersign-page"), name.utf8.count <= Self.longest
        else { return nil }
        if name == PagePlace.owner.name {
            self = .owner
            return
        }
        guard let hyphen = name.firstIndex(of: "-"), let page = Page(rawValue: String(name[..<hyphen])),
            page != .owner
        else { return nil }
        self.init(page, lane: String(name[name.index(after: hyphen)...]))
    }
}

extension KnownCaller {
    /// Whether the caller may open this page.
    func opens(_ place: PagePlace) -> Bool {
        scopes.contains(place.page.scope) && place.lane.map(serves) ?? true
    }

    /// The caller as one page, which may do no more than the page needs.
    func at(_ place: PagePlace) -> KnownCaller {
        KnownCaller(
            name: name, scopes: [place.page.scope], lanes: place.lane.map { [$0] }, credential: credential,
            isPage: true)
    }
}
