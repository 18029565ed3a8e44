internal import CBOR
package import MdocModel
package import MdocVerification
package import ReaderStore

/// A question about every returned document whose type is in `docTypes`. The answer is yes, no or unknown.
/// The outcome of the presentation, and so the exit code, depends on the answers.
package struct Question: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
        /// Is the holder at least this many years old?
        case ageOver(Int, by: AgeEvidence)
        /// May the holder drive this class of vehicle today?
        case drive(DrivingClass)
        /// Is the document itself in date?
        case inDate
        /// Was a portrait returned that can be compared with a face (Q158)?
        case portrait
    }

    package let docTypes: Set<String>
    package let subject: Subject
    /// The day for which the question is answered, in the time zone of the premises (Q161).
    package let day: FullDate

    package init(docTypes: Set<String>, _ subject: Subject, on day: FullDate) {
        self.docTypes = docTypes
        self.subject = subject
        self.day = day
    }
}

/// The answer to a question, and the reason for it.
package struct ReasonedAnswer: Equatable, Sendable {
    package let word: Answer
    /// The fact that gives the answer, or the reason why there is no answer; empty after the elements were
    /// removed.
    package let reason: String

    init(_ word: Answer, because reason: String) {
        self.word = word
        self.reason = reason
    }

    /// Answers a question from a document.
    ///
    /// - Parameter document: the verified document; `nil` if the response is not verified. The answer is then
    ///   unknown.
    package init(_ question: Question, by document: VerifiedDocument?) {
        guard let document else {
            self.init(.unknown, because: "the response is not verified")
            return
        }
        switch question.subject {
        case .ageOver(let years, let evidence):
            let age = document.isAgeAtLeast(years, accepting: evidence, on: question.day)
            self.init(age.answer, because: age.reason)
        case .drive(let vehicle):
            let driving = document.mayDrive(vehicle, on: question.day)
            self.init(driving.answer, because: driving.reason)
        case .inDate:
            let date = document.isInDate(on: question.day)
            self.init(date.answer, because: date.reason)
        case .portrait: self.init(portraitOf: document)
        }
    }

    /// Answers whether the document has a portrait that a person can compare with a face.
    private init(portraitOf document: VerifiedDocument) {
        // A person could not know which of several portraits to compare.
        guard document.portraits.count <= 1 else {
            self.init(.unknown, because: "several different portraits were returned")
            return
        }
        switch document.portraitForm {
        case nil: self.init(.unknown, because: document.portraitAbsence)
        case .wrongType(let wrong): self.init(.unknown, because: wrong.explanation(of: "the portrait"))
        // Whether the bytes are an image is decided later, by the decoder (`refusePortrait`).
        case .asDefined, .deviating: self.init(.yes, because: "portrait")
        }
    }
}

extension VerifiedDocument {
    /// The signed portrait from a namespace of the document's type, even if its bytes are no image; `nil` if
    /// the document has no portrait or several different portraits.
    package var portrait: ArraySlice<UInt8>? { portraits.count == 1 ? portraits.first : nil }

    /// The different portraits that a person could compare with a face. If there are none, the first returned
    /// portrait, even if its bytes are no image.
    var portraits: [ArraySlice<UInt8>] {
        portraitElements.compactMap { try? $0.byteString() }.reduce(into: []) { portraits, bytes in
            if !portraits.contains(bytes) { portraits.append(bytes) }
        }
    }

    /// The form of the portrait; `nil` if no portrait was returned. A portrait can be compared with a face
    /// unless its value has the wrong type.
    package var portraitForm: ElementForm? {
        portraitElements.first.map { DataElementType.image.form(of: $0) }
    }

    /// The portrait if a person can compare it with a face; `nil` otherwise.
    package var comparablePortrait: ArraySlice<UInt8>? {
        portraitForm?.wrongType == nil ? portrait : nil
    }

    /// The portraits that a person could compare. A document can have one portrait in each of its namespaces.
    /// If no portrait can be compared, the array contains the first returned portrait, so that its form can
    /// be reported.
    private var portraitElements: [CBORItem] {
        let elements = evidence(named: Self.isPortrait).map(\.value)
        let usable = elements.filter { DataElementType.image.form(of: $0).wrongType == nil }
        return usable.isEmpty ? Array(elements.prefix(1)) : usable
    }

    /// The reason why this document has no portrait to compare.
    fileprivate var portraitAbsence: String {
        elementElsewhere(named: Self.isPortrait).map {
            "\($0.text) is not in the namespace in which this document type has its portrait"
        } ?? "no portrait was returned for comparison"
    }

    private static func isPortrait(_ identifier: String) -> Bool { identifier == "portrait" }
}

extension Question.Subject {
    /// The subject in the form of results and receipts; `nil` if no plan asks a question about this subject.
    package var receiptSubject: ReceiptQuestion.Subject? {
        switch self {
        case .ageOver(let years, _): AgeAttestation(years: years).map { .ageOver($0) }
        case .drive(.category(let code)): VehicleCode(code).map { .category($0) }
        case .drive(.domesticClass(let code)): VehicleCode(code).map { .domesticClass($0) }
        case .inDate: .inDate
        case .portrait: .portrait
        }
    }
}
