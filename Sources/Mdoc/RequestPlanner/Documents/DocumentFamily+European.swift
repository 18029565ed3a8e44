internal import MdocModel

extension DocumentFamily {
    package static let personID = DocumentFamily(
        word: "pid", title: "EU person identification data",
        types: [
            DocumentType(
                .personID,
                answers: DocumentType.usualAnswers.merging([.issueDate: ["issuance_date"]]) { $1 })
        ])

    package static let ageVerification = DocumentFamily(
        word: "av", title: "EU age verification",
        types: [DocumentType(.ageVerification, answers: [.age: []])])
}
