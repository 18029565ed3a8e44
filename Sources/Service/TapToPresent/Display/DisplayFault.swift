/// A reason why a display cannot show a result. The raw value of a fault is the `id` in the error reason
/// `displayUnavailable(id:)`.
package enum DisplayFault: String, CaseIterable {
    case terminalAbsent = "terminal.absent"
    case terminalLost = "terminal.lost"

    case viewerAbsent = "viewer.absent"
    case viewerLost = "viewer.lost"
    case viewerOfOwnUser = "viewer.own_user"

    case pageDaemonMissing = "page.daemon_missing"
    case pageBrowserMissing = "page.browser_missing"
    case pageScreenMissing = "page.screen_missing"
    case pageFilesMissing = "page.files_missing"
    case pageRoots = "page.roots"
    case pagePresenter = "page.presenter"
    case pageElements = "page.elements"
    case pageDaemonFailed = "page.daemon_failed"
    case pageBrowserFailed = "page.browser_failed"
    case pageRefused = "page.refused"
    case pageLost = "page.lost"

    /// A message that says what happened and what to do.
    package var explanation: String {
        switch self {
        case .terminalAbsent:
            "this program has no terminal: start the program from a terminal, or set another setup.display"
        case .terminalLost: "the terminal closed: start the program again"
        case .viewerAbsent: "no viewer listens at the socket: start the viewer, or check the path"
        case .viewerLost: "the viewer closed the connection, or sent an unknown word: start the viewer again"
        case .viewerOfOwnUser:
            "the viewer runs as the same user as this program: run the viewer as another user"
        case .pageDaemonMissing: "countersignd is not in PATH: install the package countersign"
        case .pageBrowserMissing: "xdg-open is not in PATH: install the package xdg-utils and a browser"
        case .pageScreenMissing:
            "this program has no desktop (neither DISPLAY nor WAYLAND_DISPLAY is set): start the program from a desktop, or set another setup.display"
        case .pageFilesMissing: "countersignd has no clerk's page: install the package countersign again"
        case .pageRoots:
            "the clerk's page works only with the trust store: set setup.trust to .store, or set another setup.display"
        case .pagePresenter:
            "on the clerk's page only the clerk decides: set setup.presenter to nil, or set another setup.display"
        case .pageElements:
            """
            the clerk's page cannot show an age in years, nor a single name if several document types are accepted: \
            request ageAtLeast and both names, or set another setup.display
            """
        case .pageDaemonFailed:
            "the daemon of the clerk's page did not start: see the daemon's messages on the standard error"
        case .pageBrowserFailed: "xdg-open cannot open the page: set a default browser"
        case .pageRefused: "the daemon of the clerk's page refused the request"
        case .pageLost: "the daemon of the clerk's page ended: prepare the reader again"
        }
    }
}

extension MobileDocumentReaderError.Reason {
    static func displayUnavailable(_ fault: DisplayFault) -> Self { .displayUnavailable(id: fault.rawValue) }
}
