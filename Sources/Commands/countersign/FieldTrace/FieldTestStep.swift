internal import ReaderService

/// One way of asking a phone that a field test tries.
struct FieldTestStep: Equatable {
    let title: String
    var retrieval = RetrievalPlan()
    var requestVersion = RequestVersion.automatic
    var isSigned = false

    private init(_ title: String, _ change: (inout FieldTestStep) -> Void) {
        self.title = title
        change(&self)
    }

    /// Every way once, and then the usual one as often as `repeats` says.
    ///
    /// - Parameter isSigned: whether there is an identity to sign with.
    static func all(isSigned: Bool, repeats: Int) -> [FieldTestStep] {
        let ways = [
            FieldTestStep("NFC only, not signed") { $0.retrieval.transport = .nfc },
            FieldTestStep("Bluetooth: the phone connects, not signed") {
                $0.retrieval.transport = .bluetoothLE
            },
            FieldTestStep("Bluetooth: whichever side is first, not signed") {
                $0.retrieval.transport = .bluetoothLE
                $0.retrieval.mode = .race
            },
            FieldTestStep("request of version 1.0, not signed") { $0.requestVersion = .first },
        ]
        let signed = [
            FieldTestStep("signed") { $0.isSigned = true },
            FieldTestStep("signed, request of version 1.0") {
                $0.isSigned = true
                $0.requestVersion = .first
            },
        ]
        let repeated = (0..<repeats).map { number in
            FieldTestStep("as usual, \(number + 1) of \(repeats)") { $0.isSigned = isSigned }
        }
        return ways + (isSigned ? signed : []) + repeated
    }
}
