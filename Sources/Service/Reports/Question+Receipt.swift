internal import MdocModel
internal import MdocVerification
package import ReaderStore

extension Question.Subject {
    /// What results and receipts call it; nil where no plan would ask it so.
    package var receiptSubject: ReceiptQuestion.Subject? {
        switch self {
        case .ageOver(let years, _): AgeAttestation(years: years).map { .ageOver($0) }
        case .drive(.category(let code)): VehicleCode(code).map { .category($0) }
        case .drive(.domesticClass(let code)): VehicleCode(code).map { .domesticClass($0) }
        case .portrait: .portrait
        }
    }
}
