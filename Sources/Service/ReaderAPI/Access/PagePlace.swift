internal import PresentationService
internal import HTTPServing
internal import Hummingbird

/// The page for which a one-time sign-in code or a cookie is valid: the customer's, clerk's or desk's
/// page of one lane, or the owner's page.
struct PagePlace: Hashable, Sendable {
    enum Page: String, CaseIterable, Sendable {
        case kiosk, clerk, desk, owner

        /// The scope that the page needs.
        var scope: Scope {
            switch self {
            case .kiosk: .screen
            case .clerk: .clerk
            case .desk: .desk
            case .owner: .admin
            }
        }
    }

    /// The maximum number of bytes of a page's name: up to 64 bytes for the lane's name, and 16 bytes for the
    /// kind of page and the hyphen.
    private static let longest = 80

    let page: Page
    /// The lane of the page; `nil` for the owner's page, which is for all lanes.
    let lane: String?

    /// The path of the page, with its lane and a one-time sign-in code. The code is in the fragment, which
    /// browsers do not send to servers.
    func path(code: String) -> String { "/\(page.rawValue)\(lane.map { "?lane=\($0)" } ?? "")#code=\(code)" }

    /// The page's name, such as `kiosk-counter-1` or `owner`. The page sends this name in the header
    /// `Countersign-Page`. The name of the page's cookie is `countersign-`, followed by this name.
    var name: String { lane.map { "\(page.rawValue)-\($0)" } ?? page.rawValue }

    static let owner = PagePlace(.owner, lane: nil)

    init(_ page: Page, lane: String?) {
        self.page = page
        self.lane = lane
    }

    /// The page that a request names in its header, or `nil` if it names none.
    init?(of request: Request) {
        guard let name = request.headers.first("countersign-page") else { return nil }
        self.init(named: name)
    }

    /// The page with this name, or `nil` if the name is not valid.
    init?(named name: String) {
        guard name.utf8.count <= Self.longest else { return nil }
        if name == PagePlace.owner.name {
            self = .owner
            return
        }
        // The name of a lane may contain hyphens too. The owner's page has no lane. A name that begins with
        // `owner-` is therefore not valid.
        guard let hyphen = name.firstIndex(of: "-"), let page = Page(rawValue: String(name[..<hyphen])),
            page != .owner
        else { return nil }
        self.init(page, lane: String(name[name.index(after: hyphen)...]))
    }
}

extension KnownCaller {
    /// Whether the caller may open this page.
    func opens(_ place: PagePlace) -> Bool {
        // For the owner's page, which has no lane, only the scope is compared.
        scopes.contains(place.page.scope) && place.lane.map(covers) ?? true
    }

    /// Returns this caller with fewer rights: only the page's lane, and only the scope that the page needs.
    func at(_ place: PagePlace) -> KnownCaller {
        KnownCaller(
            name: name, scopes: [place.page.scope], lanes: place.lane.map { [$0] }, credential: credential,
            isPage: true)
    }
}
