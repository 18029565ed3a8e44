extension RequestIntent {
    /// Checks the rules that do not depend on the document.
    ///
    /// - Throws: `RequestPlannerError` for an intent that has no claim or no document, repeats a claim or
    ///   document type, or asks for too much.
    func check() throws(RequestPlannerError) {
        guard !claims.isEmpty, !documents.isEmpty else { throw .nothingAsked }
        var seen: Set<Claim> = []
        for claim in claims where !seen.insert(claim).inserted { throw .claimTwice(claim) }
        for claim in required {
            guard claims.contains(claim) else { throw .requiredNotAsked(claim) }
            // The claim is removed from the set, so that a claim that is required twice is found.
            guard seen.remove(claim) != nil else { throw .claimTwice(claim) }
        }
        var docTypes: Set<String> = []
        for type in documents.flatMap(\.types) where !docTypes.insert(type.docType).inserted {
            throw .documentTwice(docType: type.docType)
        }
        try checkAges()
        for claim in claims { try check(claim) }
    }

    /// Checks the range of each age, and that the intent asks about at most two ages (ISO/IEC 18013-5 7.2.5).
    private func checkAges() throws(RequestPlannerError) {
        var count = 0
        for claim in claims {
            guard let years = claim.years else { continue }
            guard (0...99).contains(years) else { throw .ageOutOfRange(years) }
            count += 1
            guard count <= 2 else { throw .overAsking(.twoAgesAtMost, claim) }
        }
    }

    /// Checks that the purpose of the request needs `claim`.
    private func check(_ claim: Claim) throws(RequestPlannerError) {
        let isBesideAge = claims.contains { $0.years != nil } && !allowsBirthDateBesideAge
        if claim.isDateOfBirth, purpose == .age || isBesideAge {
            throw .overAsking(.attestationAnswersAge, claim)
        }
        if claim.isBiometricTemplate { throw .overAsking(.biometricTemplate, claim) }
        guard purpose.needs(claim.kind) else { throw .overAsking(.notNeededForPurpose, claim) }
        if claim.isPortrait, !purpose.impliesComparison, claim != .portrait(isCompared: true) {
            throw .overAsking(.portraitNobodyCompares, claim)
        }
    }
}
