extension ReceiptStatement {
    /// How the phone was met.
    ///
    /// Lanes write only the first four values. `app` and `web` are reserved for presentations without a lane,
    /// so that a hub of this version accepts them.
    package enum Engagement: String, CaseIterable, Sendable {
        /// A tap at the reader: NFC handover of ISO/IEC 18013-5.
        case nfc
        /// A tap at the reader: the NFC engagement of the second edition.
        case nfcV2
        /// The phone showed a QR code.
        case qr
        /// The reader showed a QR code.
        case readerQR
        /// An app on the phone that asks.
        case app
        /// A web page.
        case web
    }

    /// How a response proves its elements.
    package enum Proof: Hashable, Sendable {
        /// The phone disclosed the elements, with the issuer's signature.
        case plain
        /// The phone proved statements about the elements. The associated value is the version of the circuit,
        /// from 1.
        case zeroKnowledge(circuitVersion: Int64)

        /// The word in receipts and in JSON.
        package var name: String {
            switch self {
            case .plain: "plain"
            case .zeroKnowledge: "zeroKnowledge"
            }
        }

        /// The version of the circuit; `nil` for a proof without a circuit.
        package var circuitVersion: Int64? {
            if case .zeroKnowledge(let version) = self { version } else { nil }
        }

        /// Creates the proof from its word; `nil` for another word. The proof `zeroKnowledge` needs the version of
        /// its circuit, and `plain` refuses it.
        init?(_ name: String, circuitVersion: Int64?) {
            switch (name, circuitVersion) {
            case ("plain", nil): self = .plain
            case ("zeroKnowledge", let version?): self = .zeroKnowledge(circuitVersion: version)
            default: return nil
            }
        }
    }

    /// The method by which the answer was found.
    package enum Method: Hashable, Sendable {
        /// This program verified a phone's response. The only method of version 1.
        case machineValidation
        /// A scanner read the barcode of a plastic card. The barcode proves nothing about the person.
        case barcode
        /// A person looked at the customer or at a document.
        case person(ManualCheck)
        /// A signed stamp that an earlier check of an age made.
        case stamp
        /// This program verified a phone's response, and a comparator decided instead of a person.
        case face

        /// The word in receipts and in JSON.
        package var name: String {
            switch self {
            case .machineValidation: "machine-validation"
            case .barcode: "barcode"
            case .person: "person"
            case .stamp: "stamp"
            case .face: "face"
            }
        }

        /// Creates the method from its word; `nil` for another word. The method `person` needs `manual`, and
        /// every other method refuses it.
        init?(_ name: String, manual: ManualCheck?) {
            switch (name, manual) {
            case ("machine-validation", nil): self = .machineValidation
            case ("barcode", nil): self = .barcode
            case ("person", let manual?): self = .person(manual)
            case ("stamp", nil): self = .stamp
            case ("face", nil): self = .face
            default: return nil
            }
        }

        /// What a person saw and why the person checked; `nil` for every other method.
        package var manual: ManualCheck? { if case .person(let manual) = self { manual } else { nil } }
    }

    /// A check by a person, in words from closed lists. There is no free text, because people write names into
    /// free text.
    package struct ManualCheck: Hashable, Sendable {
        /// The thing that the person looked at.
        package enum Seen: String, CaseIterable, Sendable {
            case drivingLicence, idCard, passport, military, residencePermit
            /// The customer looks old enough.
            case visibleAge
            case none
        }

        /// The reason for a check by a person.
        package enum Why: String, CaseIterable, Sendable {
            case noPhone, phoneFailed, customerWish, readerDown
            /// The person overrides the outcome of an earlier presentation, whose receipt is in `repeats`.
            case override
        }

        package let seen: Seen
        package let why: Why

        package init(seen: Seen, why: Why) {
            self.seen = seen
            self.why = why
        }
    }

    /// The page or program from which a decision came.
    package enum DecisionSource: Hashable, Sendable {
        /// The clerk's page of the lane, with the pseudonym of the person if people sign in.
        case clerk(PersonPseudonym?)
        /// The attendant's page for several lanes, with the pseudonym of the person if people sign in.
        case attendant(PersonPseudonym?)
        /// A program that compares faces.
        case comparator

        /// The word in receipts and in JSON.
        package var name: String {
            switch self {
            case .clerk: "clerk"
            case .attendant: "attendant"
            case .comparator: "comparator"
            }
        }

        /// Creates the source from its word; `nil` for another word, and for a person at a comparator.
        init?(_ name: String, person: PersonPseudonym?) {
            switch (name, person) {
            case ("clerk", let person): self = .clerk(person)
            case ("attendant", let person): self = .attendant(person)
            case ("comparator", nil): self = .comparator
            default: return nil
            }
        }

        /// The pseudonym of the person who decided; `nil` if people do not sign in, and for a comparator.
        package var person: PersonPseudonym? {
            switch self {
            case .clerk(let person), .attendant(let person): person
            case .comparator: nil
            }
        }
    }

    /// The pseudonym of a person of the shop: the first 8 bytes of a keyed digest. Only the shop, which has the
    /// key of the year, can find the person.
    package struct PersonPseudonym: Hashable, Sendable {
        package static let size = 8

        package let bytes: [UInt8]

        /// Creates the pseudonym; `nil` unless `bytes` has `size` bytes.
        package init?(_ bytes: [UInt8]) {
            guard bytes.count == Self.size else { return nil }
            self.bytes = bytes
        }
    }

    /// The version of the statement's form: 2 if the statement has a member of version 2, otherwise 1.
    package var version: Int64 {
        let isFirst =
            engagement == nil && proof == nil && decisionSource == nil && method == .machineValidation
        return isFirst ? 1 : 2
    }
}

extension ReceiptStatement {
    /// Returns this statement. Throws `receiptMalformed` if its members contradict one another, so that the
    /// store writes no statement that a verifier or a hub refuses.
    func checked() throws(ReaderStoreError) -> ReceiptStatement {
        guard isConsistent else { throw .receiptMalformed }
        return self
    }

    /// Whether the members of version 2 fit together and fit the other members.
    var isConsistent: Bool {
        if case .zeroKnowledge(let circuit)? = proof, circuit < 1 { return false }
        // Only a judged response proves something, and a response is judged with a trust snapshot.
        if proof != nil, trust == nil { return false }
        if decisionSource != nil, decision == nil, method.manual == nil { return false }
        // An override without the earlier receipt would hide what it overrides.
        if method.manual?.why == .override, repeats == nil { return false }
        switch method {
        case .machineValidation: return decisionSource != .comparator
        case .face: return decisionSource == .comparator && decision == .approved
        case .barcode, .stamp: return !isAboutPhone && decisionSource != .comparator
        case .person: return !isAboutPhone && decisionSource != .comparator && kind == .display
        }
    }

    /// Whether a member shows that a phone was met or that its response was judged.
    private var isAboutPhone: Bool {
        engagement != nil || proof != nil || trust != nil || !documents.isEmpty || hasTestDocument
    }
}
