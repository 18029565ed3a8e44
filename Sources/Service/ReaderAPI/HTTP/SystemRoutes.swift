internal import Hummingbird
internal import JSON
internal import MdocVerification
internal import ReaderService
internal import Reports

extension PresentationCoordinator {
    /// What supervisors and collectors ask.
    nonisolated var systemRoutes: [APIRoute] {
        [
            APIRoute(.get, "/healthz", .everybody) { _ throws(APIProblem) in .json(["status": "ok"]) },
            APIRoute(.get, "/readyz", .everybody) { _ throws(APIProblem) in
                let report = await self.readinessReport()
                return .json(report.json, status: report.isReady ? .ok : .serviceUnavailable)
            },
            APIRoute(.get, "/metrics", .scopes([.admin])) { _ throws(APIProblem) in
                .bytes(await self.metricsText().utf8, type: MetricsText.contentType)
            },
            APIRoute(.get, "/v1/openapi.json", .everybody) { _ throws(APIProblem) in
                .bytes(APIDocument.bytes, type: "application/json")
            },
        ]
    }

    /// Ready where somebody is trusted, a phone can be asked at one lane at least, the store takes what is kept, and no receipt
    /// waits to be written.
    func readinessReport() async -> ReadinessReport {
        var faults: [JSONValue] = []
        var isTrustSetUp = true
        do throws(APIProblem) {
            _ = try await basis.basis()
            _ = try await basis.identities(at: now)
        } catch {
            isTrustSetUp = false
            faults.append(["id": .string(error.id.rawValue), "text": .string(error.detail)])
        }
        await lookAtLanes()
        var isAnyLaneReady = false
        for name in laneNames {
            guard let readiness = await readiness(ofLane: name) else { continue }
            if readiness.state == "ready" { isAnyLaneReady = true }
            if let advice = readiness.advice {
                faults.append([
                    "id": .string(readiness.state), "lane": .string(name), "text": .string(advice),
                ])
            }
        }
        let fault = await archive?.presentFault().map { APIProblem.recordsUnavailable($0) }
        let problem = fault ?? (retrying.isEmpty ? nil : APIProblem.receiptsDelayed)
        if let problem {
            faults.append(["id": .string(problem.id.rawValue), "text": .string(problem.detail)])
        }
        let isReady = isAnyLaneReady && isTrustSetUp && problem == nil && !isEnding
        return ReadinessReport(
            isReady: isReady, acceptsTestDocuments: basis.acceptsTestDocuments, faults: faults)
    }

    /// The lanes at which a phone can be asked now.
    package func readyLanes() async -> Set<String> {
        await lookAtLanes()
        var ready: Set<String> = []
        for name in laneNames where await readiness(ofLane: name)?.state == "ready" { ready.insert(name) }
        return ready
    }

    private func metricsText() async -> String {
        var text = MetricsText()
        metrics.write(to: &text)
        await lookAtLanes()
        text.begin("countersign_lane_ready", "gauge", "Whether phones can be asked at the lane.")
        for name in laneNames {
            let readiness = await readiness(ofLane: name)
            text.add(
                readiness?.state == "ready" ? 1 : 0,
                [("lane", name), ("state", readiness?.state ?? "stopped")])
        }
        text.begin("countersign_lane_busy", "gauge", "Whether a presentation is running at the lane.")
        for name in laneNames {
            text.add(book.isBusy(lane: name) ? 1 : 0, [("lane", name)])
        }
        text.begin("countersign_trust_age_seconds", "gauge", "The age of the newest list of the trust store.")
        let now = now
        if let age = try? await basis.basis().age(at: now) { text.add(Double(age)) }
        text.begin("countersign_event_listeners", "gauge", "Who listens to events now.")
        text.add(Double(listenerCount))
        text.begin("countersign_info", "gauge", "What runs.")
        text.add(1, [("version", Version.number)])
        return text.text
    }
}
