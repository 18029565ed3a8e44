package import MdocVerification

/// A second question to the same phone in the same session, put only where the answer to the first leads on to it.
package struct FurtherQuestion: Sendable {
    package let question: PresentationQuestion
    /// Whether it is put after this answer to the first.
    package let isDue: @Sendable (VerifiedResponse) -> Bool

    package init(_ question: PresentationQuestion, isDue: @escaping @Sendable (VerifiedResponse) -> Bool) {
        self.question = question
        self.isDue = isDue
    }
}
