package import JSON
internal import WalletPresentation

extension ChannelReport {
    /// The members that `countersign verify` has, with what a channel adds.
    package func json(portrait: PortraitForm) -> JSONValue {
        .object(
            [
                ("verdict", .string(verdict.word)), ("mockSign", JSONValue(mockSign?.rawValue)),
                ("isReplayChecked", .boolean(isReplayChecked)),
                (
                    "ageStandIns",
                    .array(
                        ageStandIns.map {
                            ["docType": .string($0.docType), "years": .integer(Int64($0.years))]
                        })
                ),
            ] + response.members(portrait: portrait))
    }

    private var mockSign: MockSign? {
        if case .mock(let sign) = verdict { sign } else { nil }
    }

    /// Where an age came in place of an answer.
    var ageStandIns: [AgeStandIn] {
        if case .verified(let standIns) = verdict { standIns } else { [] }
    }
}
