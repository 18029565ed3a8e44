internal import PresentationService

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
