internal import Hummingbird

/// A page at a lane, which a code or a cookie is for.
struct PagePlace: Hashable, Sendable {
    enum Page: String, CaseIterable, Sendable {
        case kiosk, clerk

        /// What the page needs.
        var scope: Scope {
            switch self {
            case .kiosk: .screen
            case .clerk: .clerk
            }
        }
    }

    private static let longest = 80

    let page: Page
    let lane: String

    /// Where the page finds its lane, with the code for the way there.
    func path(code: String) -> String { "/\(page.rawValue)?lane=\(lane)#code=\(code)" }

    /// As the page sends it in `Countersign-Page`, and after `countersign-` in the name of its cookie: `kiosk-counter-1`.
    var name: String { "\(page.rawValue)-\(lane)" }

    init(_ page: Page, lane: String) {
        self.page = page
        self.lane = lane
    }

    /// The place that a request says it comes from; nil where it says none.
    init?(of request: Request) {
        guard let name = request.headers.first("countersign-page"), name.utf8.count <= Self.longest,
            let hyphen = name.firstIndex(of: "-"), let page = Page(rawValue: String(name[..<hyphen]))
        else { return nil }
        self.init(page, lane: String(name[name.index(after: hyphen)...]))
    }
}
