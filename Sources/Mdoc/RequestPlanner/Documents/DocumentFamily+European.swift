internal import MdocModel

extension DocumentFamily {
    /// The European person identification data (PID).
    package static let personID = DocumentFamily(
        word: "pid", title: "EU person identification data",
        types: [
            DocumentType(
                .personID,
                // In the PID, the element with the date of issue has another name.
                answers: DocumentType.usualAnswers.merging([.issueDate: ["issuance_date"]]) { $1 })
        ])

    /// The European age verification document, which has only age attestations.
    package static let ageVerification = DocumentFamily(
        word: "av", title: "EU age verification",
        types: [DocumentType(.ageVerification, answers: [.age: []])])
}
