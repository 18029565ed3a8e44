internal import VersionNumber
internal import Accessories
internal import PresentationService
internal import HTTPServing
internal import Hummingbird
internal import JSON
internal import MdocVerification
internal import ReaderService
internal import Reports

extension PresentationCoordinator {
    /// The routes for supervisors and metrics collectors, and the route of the OpenAPI document.
    nonisolated func systemRoutes(_ http: HTTPMetrics) -> [APIRoute] {
        [
            APIRoute(.get, "/healthz", for: .everybody) { _ in .json(["status": "ok"]) },
            APIRoute(.get, "/readyz", for: .everybody) { _ in
                let report = await self.readinessReport()
                return .json(report.json, status: report.isReady ? .ok : .serviceUnavailable)
            },
            APIRoute(.get, "/metrics", for: .scopes([.admin])) { _ in
                .bytes(await self.metricsText(http).utf8, type: MetricsText.contentType)
            },
            APIRoute(.get, "/v1/openapi.json", for: .everybody) { _ in
                .bytes(APIDocument.bytes, type: "application/json")
            },
        ]
    }

    /// Returns whether presentations can be ordered, and the faults that were found. The daemon is ready
    /// if a root is trusted, at least one lane can read phones, the store accepts records, and no receipt
    /// waits to be written.
    func readinessReport() async -> ReadinessReport {
        var faults: [ReadinessReport.Fault] = []
        var isTrustSetUp = true
        do throws(PresentationServiceError) {
            // The values are not used. These calls throw if an order could not use the trust or the
            // identities.
            _ = try await basis.basis()
            _ = try await basis.identities(at: now)
        } catch {
            isTrustSetUp = false
            let problem = APIProblem(error)
            faults.append(ReadinessReport.Fault(id: problem.id.rawValue, text: problem.detail))
        }
        await inspectLanes()
        var isAnyLaneReady = false
        for name in laneNames {
            // The lane may have been removed meanwhile.
            guard let readiness = await readiness(ofLane: name) else { continue }
            if readiness.state == "ready" { isAnyLaneReady = true }
            if let advice = readiness.advice {
                faults.append(ReadinessReport.Fault(id: readiness.state, lane: name, text: advice))
            }
        }
        faults += accessoryFaults
        // `presentFault` tries to write to the store. A till sends no order to a daemon that is not ready, so
        // no other write would show that the store works again.
        let fault = await archive?.presentFault().map { APIProblem.recordsUnavailable($0) }
        let problem = fault ?? (hasDelayedReceipts ? APIProblem.receiptsDelayed : nil)
        if let problem {
            faults.append(ReadinessReport.Fault(id: problem.id.rawValue, text: problem.detail))
        }
        let isReady = isAnyLaneReady && isTrustSetUp && problem == nil && !isEnding
        return ReadinessReport(
            isReady: isReady, acceptsTestDocuments: basis.acceptsTestDocuments, faults: faults)
    }

    /// The required outputs that cannot act. They pause the standing orders of their lanes, and the daemon is
    /// ready nevertheless: other lanes and tills do not need them.
    private var accessoryFaults: [ReadinessReport.Fault] {
        laneNames.compactMap { name in
            guard let problem = accessoryFault(atLane: name).map({ APIProblem($0) }) else { return nil }
            return ReadinessReport.Fault(id: problem.id.rawValue, lane: name, text: problem.detail)
        }
    }

    /// The state of each lane, the ids of faults of the whole computer, and the age of the newest trust list
    /// in seconds. The faults come from the check of readiness and from the last run of `countersign doctor`.
    ///
    /// - Parameter store: the folder of the daemon's store.
    package func health(
        in store: String
    ) async -> (lanes: [(name: String, state: String)], findings: [String], trustAge: Int64?) {
        let report = await readinessReport()
        var lanes: [(name: String, state: String)] = []
        for name in laneNames {
            // The lane may be removed while it is inspected.
            lanes.append((name, await readiness(ofLane: name)?.state ?? "stopped"))
        }
        let own = report.faults.filter { $0.lane == nil }.map(\.id)
        let doctor = await OwnerRecords(store: store).doctorFindings()
        let findings = own + doctor.map(\.id)
        // Trust that cannot be read is one of the findings.
        return (lanes, findings, try? await basis.basis().age(at: now))
    }

    /// The lanes that can read phones now.
    package func readyLanes() async -> Set<String> {
        await inspectLanes()
        var ready: Set<String> = []
        for name in laneNames where await readiness(ofLane: name)?.state == "ready" { ready.insert(name) }
        return ready
    }

    /// All metrics in Prometheus' text format: of presentations, of HTTP and of the daemon's present state.
    private func metricsText(_ http: HTTPMetrics) async -> String {
        var text = MetricsText()
        metrics.write(to: &text)
        http.write(to: &text)
        await inspectLanes()
        text.begin(
            "countersign_lane_ready", type: "gauge", about: "Whether the lane is ready to read phones.")
        for name in laneNames {
            // `nil` if the lane was removed meanwhile.
            let readiness = await readiness(ofLane: name)
            text.add(
                readiness?.state == "ready" ? 1 : 0,
                [("lane", name), ("state", readiness?.state ?? "stopped")])
        }
        text.begin(
            "countersign_lane_busy", type: "gauge", about: "Whether a presentation is running at the lane.")
        for name in laneNames {
            text.add(isBusy(lane: name) ? 1 : 0, [("lane", name)])
        }
        text.begin(
            "countersign_accessory_state", type: "gauge",
            about: "The state of each accessory: 1 for its present state, and 0 for every other one.")
        for accessory in accessoryReports() {
            for state in AccessoryState.allCases {
                text.add(
                    state == accessory.state ? 1 : 0,
                    [
                        ("accessory", accessory.name), ("lane", accessory.lane ?? ""),
                        ("kind", accessory.kind), ("state", state.rawValue),
                    ])
            }
        }
        text.begin(
            "countersign_outputs_total", type: "counter",
            about: "Outputs that have ended, by accessory and final state.")
        for accessory in accessoryReports() where !accessory.isScanner {
            for (state, count) in metrics.endedOutputs(of: accessory.name) {
                text.add(Double(count), [("accessory", accessory.name), ("state", state)])
            }
        }
        text.begin(
            "countersign_trust_age_seconds", type: "gauge",
            about: "The age of the newest list of the trust store.")
        let now = now
        // If the trust cannot be read, or the trust store has no list, the metric has no sample.
        if let age = try? await basis.basis().age(at: now) { text.add(Double(age)) }
        text.begin(
            "countersign_event_listeners", type: "gauge",
            about: "The number of clients that listen to events.")
        text.add(Double(listenerCount))
        text.begin("countersign_info", type: "gauge", about: "The version of the daemon.")
        text.add(1, [("version", Version.number)])
        return text.text
    }
}

/// The answer of `/readyz`: whether presentations can be ordered, and the faults.
struct ReadinessReport: Sendable {
    let isReady: Bool
    let acceptsTestDocuments: Bool
    let faults: [Fault]

    /// A fault, with the advice for the operator.
    struct Fault: Sendable {
        let id: String
        /// The lane with the fault; `nil` for a fault of the whole computer.
        var lane: String?
        let text: String

        var json: JSONValue {
            .object(
                [("id", .string(id))] + (lane.map { [("lane", .string($0))] } ?? [])
                    + [("text", .string(text))])
        }
    }

    var json: JSONValue {
        [
            "ready": .boolean(isReady), "acceptsTestDocuments": .boolean(acceptsTestDocuments),
            "faults": .array(faults.map(\.json)),
        ]
    }
}

/// The OpenAPI 3.1 document of the API, which is served at `/v1/openapi.json`.
enum APIDocument {
    static let bytes = PackageResources.openapi_json
}
