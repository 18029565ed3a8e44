package import PresentationService

extension PresentationCoordinator {
    /// Ends the streams of callers whom these rules do not know any more, or allow less.
    package func endStreams(under rules: AccessRules) {
        endStreams { rules.allow($0) }
    }
}
