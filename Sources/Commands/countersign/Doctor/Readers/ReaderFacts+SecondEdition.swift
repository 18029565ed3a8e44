internal import Doctor
internal import JSON
internal import ReaderService

extension ReaderFacts {
    /// How many lanes the daemon's file has, and how many of them begin a tap with NFC v2.
    struct Lanes: Equatable, Sendable {
        var all = 0
        var version2 = 0

        private static let largestFile = 1 << 18
        private static let off = RetrievalPlan.NFCVersion2.off.rawValue

        /// Nil if the file is absent, may not be read, or is malformed.
        init?(in system: SystemFolder) {
            guard let file = system.text(of: TestDocumentFacts.daemonFile),
                let text = try? JSONText(Array(file.utf8)[...], limit: Self.largestFile),
                let lanes = try? text.entries(upTo: 256).first(where: { $0.name == "lanes" }),
                let list = try? lanes.value.array(upTo: 256)
            else { return nil }
            all = list.count
            version2 = list.count { lane in
                let entries = (try? lane.entries(upTo: 256)) ?? []
                let word = entries.first { $0.name == "nfcV2" }
                return word.map { (try? $0.value.string(upTo: 16)) != Self.off } ?? false
            }
        }

        init(all: Int, version2: Int) {
            (self.all, self.version2) = (all, version2)
        }
    }

    /// What is known of the second edition: whether lanes try NFC v2, and what the reader's APDUs mean for it.
    var secondEditionCheck: DoctorCheck {
        let lanes: CheckText =
            switch self.lanes {
            case nil: "the daemon's file is absent or cannot be read"
            case let lanes? where lanes.version2 == 0: "no lane of the daemon begins with NFC v2"
            case let lanes?: "\(lanes.version2) of \(lanes.all) lanes of the daemon begin with NFC v2 (nfcV2)"
            }
        guard case .answers(let readers, let chosen?) = service else {
            return .ok(.secondEdition, "\(lanes); no reader to try it with")
        }
        guard readers[chosen].allowsExtended else {
            let text: CheckText =
                "\(lanes); with short APDUs its request and answer need a command for each 255 bytes"
            return (self.lanes?.version2 ?? 0) > 0
                ? .note(.secondEdition, text) : .ok(.secondEdition, text)
        }
        return .ok(.secondEdition, "\(lanes); with extended APDUs its request needs one command")
    }
}
