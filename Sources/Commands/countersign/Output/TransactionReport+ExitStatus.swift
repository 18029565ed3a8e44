internal import MdocVerification
internal import Reports

extension TransactionReport {
    var exitStatus: ExitStatus {
        switch verdict {
        case .verified: questions.allSatisfy(isAnsweredYes) ? .success : .answerNotYes
        case .rejected: .rejected
        case .malformed: .malformed
        case .incomplete: .incomplete
        }
    }

    /// Whether a document of one of the types came and each that came says yes.
    private func isAnsweredYes(_ question: Question) -> Bool {
        let answers = documents.filter { question.docTypes.contains($0.report.docType) }
            .map { Answer(question, by: $0.verified) }
        return !answers.isEmpty && answers.allSatisfy { $0.word == .yes }
    }
}
