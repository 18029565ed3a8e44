import MdocModel
import MdocVerification
import MdocWallet
import Testing
import VectorFiles

@Suite("Each rule that the wallet breaks is found where it belongs")
struct FaultTests {
    @Test("By default and under strict rules, in what the issuer signed", arguments: IssuerFault.allCases)
    func issuer(fault: IssuerFault) throws {
        try expect(fault.expectation, of: PresentationCase(fault))
    }

    @Test(
        "Each fault in the phone's answer gets the expected verdict, by default and under strict rules",
        arguments: HolderFault.allCases)
    func holder(fault: HolderFault) throws {
        try expect(fault.expectation, of: PresentationCase(fault))
    }

    @Test(
        "Each fault in the session has the expected end, by default and under strict rules",
        arguments: SessionFault.allCases)
    func session(fault: SessionFault) throws {
        try expect(fault.expectation, of: PresentationCase(fault))
    }

    @Test("Every departure that a reader lists can be had from the wallet")
    func everyDeviation() {
        let names = Set(PresentationCase.all.map(\.name))
        let others: [Deviation: String] = [.dateFormInMSO: "mso.tdate_fraction"]
        // These come of the root's key or name, of an element, a key or an encoding in a form that the wallet does
        // not write.
        let ofOtherCredentials: Set<Deviation> = [
            .dsSignatureAlgorithm, .dsPublicKey, .dsCountryForm, .dsAuthorityKeyIdentifierMissing,
            .keyUsageTrailingZeros, .booleanTrueNotFF, .indefiniteResponse, .chunkedItem,
            .elementForm, .elementWrongType, .issuingCountry, .unreadableErrors,
        ]
        for deviation in Deviation.allCases where !ofOtherCredentials.contains(deviation) {
            let isThere = names.contains(others[deviation] ?? deviation.rawValue)
            #expect(isThere, "\(deviation.rawValue)")
        }
    }

    @Test("No two cases have the same name")
    func names() {
        #expect(Set(PresentationCase.all.map(\.name)).count == PresentationCase.all.count)
    }

    private func expect(_ expectation: FaultExpectation, of presentation: PresentationCase) throws {
        let written = try WrittenCase(presentation)
        try expect(expectation, .interoperable, judged: written.judge(.interoperable))
        try expect(expectation, .strict, judged: written.judge(.strict))
    }

    private func expect(
        _ expectation: FaultExpectation, _ rules: VerificationRules, judged judgement: WalletOutcome
    ) throws {
        switch (expectation, judgement) {
        case (.tolerated(let deviations), .verdict(.verified(let response))):
            #expect(rules == .interoperable)
            #expect(response.reports.flatMap(\.deviations) == deviations)
        case (.tolerated(let deviations), .verdict(.rejected(let response))):
            #expect(rules == .strict)
            #expect(response.failures.isEmpty)
            #expect(response.reports.failures.count == 1)
            for failure in response.reports.failures.values {
                guard case .deviations(let found) = failure else {
                    Issue.record("\(failure)")
                    continue
                }
                #expect(Set(found) == Set(deviations))
            }
        case (.checks(let checks), .verdict(.rejected(let response))):
            #expect(response.failures.isEmpty)
            let failures = response.reports.failures.filter { $0.value.isMoreThanADeviation }
            #expect(Set(failures.keys) == Set(checks.keys), "\(failures)")
            for (id, failure) in failures { #expect(checks[id]?(failure) == true, "\(id): \(failure)") }
        case (.response(let failure), .verdict(.rejected(let response))):
            #expect(response.failures == [failure])
            #expect(response.reports.failures.isEmpty)
        case (.malformed(let structure), .malformed(.malformed(let found, _))): #expect(found == structure)
        case (.session(let matches, let expected), .ended(let end, let terminationStatus)):
            #expect(matches(end), "\(end)")
            #expect(terminationStatus == expected)
        default: Issue.record("judged otherwise under \(rules) rules: \(judgement)")
        }
    }
}

extension CheckFailure {
    /// A fault may come with a departure that strict rules report beside it.
    fileprivate var isMoreThanADeviation: Bool {
        if case .deviations = self { false } else { true }
    }
}
