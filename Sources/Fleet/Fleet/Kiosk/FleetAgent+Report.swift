internal import JSON
internal import Logging

/// What a kiosk says of itself.
extension FleetAgent {
    /// More receipts than these that the hub does not have are a finding: an audit would miss them. The kiosk continues, and its disk
    /// is what bounds them.
    package static let mostWaitingReceipts: Int64 = 100_000
    /// What is said of that.
    package static let waitingFinding = "receiptsWaiting"

    /// Over how many seconds kiosks spread what they say of lanes: a cut of power meets many of them.
    private static let spread: Int64 = 10

    /// Says what is obeyed, and how the kiosk is, where that is not what was said last. What the hub does not take is said again with
    /// the next question.
    func report(to client: HubClient) async {
        var entries = accepted.documents.values.map {
            KioskReport.Entry(level: $0.document.level, version: $0.document.version, result: "applied")
        }
        for (level, refusal) in refusals {
            entries.removeAll { $0.level == level }
            entries.append(KioskReport.Entry(level: level, version: refusal.version, result: refusal.id))
        }
        entries.sort { $0.level.order < $1.level.order }
        let report = KioskReport(
            software: settings.software, documents: entries, receipts: receiptFault, health: await health())
        guard report != lastReport else { return }
        do throws(HubError) {
            _ = try await client.post("/fleet/v1/report", report.json.utf8, type: "application/json")
            lastReport = report
        } catch {
            await stop(after: error)
            log.warning("the hub does not take the report", metadata: ["why": "\(error.explanation)"])
        }
    }

    func health() async -> KioskHealth {
        let own = await actions.health()
        let waiting = receiptsWaiting ?? 0
        return KioskHealth(
            lanes: own.lanes,
            findings: (waiting > Self.mostWaitingReceipts ? [Self.waitingFinding] : []) + own.findings,
            trustAgeHours: own.trustAgeHours,
            // Those of the last seconds are on their way.
            receiptsWaiting: receiptFault.isEmpty && waiting <= Int64(Self.receiptsPerPush) ? 0 : waiting)
    }

    /// Reports within a minute that a lane is not ready, or is ready again.
    func watchHealth() async {
        while await rest(for: settings.healthInterval) {
            if lastReport != nil, await health().isNews(after: lastReport?.health) {
                notice(spread: Self.spread)
            }
        }
    }

    func receipts(fault: String) {
        guard fault != receiptFault else { return }
        receiptFault = fault
        notice(spread: 0)
    }

    /// Says how many receipts wait, once where they become too many.
    func receipts(waiting: Int64) {
        let isTooMany = waiting > Self.mostWaitingReceipts
        let wasTooMany = (receiptsWaiting ?? 0) > Self.mostWaitingReceipts
        receiptsWaiting = waiting
        actions.setWaiting(waiting)
        guard isTooMany != wasTooMany else { return }
        if isTooMany {
            log.error(
                "more than \(Self.mostWaitingReceipts) receipts wait for the hub: see why they do not arrive")
        }
        notice(spread: Self.spread)
    }
}
