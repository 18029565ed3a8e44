/// The JSON of `verify`, as its documentation describes it.
struct VerdictJSON: Decodable {
    struct Document: Decodable {
        let docType: String
        let issuer: Issuer?
        let deviations: [String]
        let parts: Parts
        let checks: [Check]
        let documentCurrent: String
        let deviceAuthentication: String?
        let selfAsserted: [String]?
        let ageOver: [String: String]
        let ageReason: [String: String]
        let family: String?
        let mayDrive: [String: String]
        let mayDriveReason: [String: String]
    }

    struct Issuer: Decodable {
        let country: String?
        let state: String?
        let dsSubject: String
        let dsSerial: String
        let anchorSubject: String?
        let anchorSha256: String?
    }

    struct Check: Decodable, Equatable {
        let id: String
        let outcome: String
        let detail: String
    }

    struct Parts: Decodable, Equatable {
        let authentic: String
        let fresh: String
        let documentCurrent: String
        let revocation: Revocation
        let holderBound: String
    }

    struct Revocation: Decodable, Equatable {
        let state: String
        let cause: String?
        let ageSeconds: Int?
    }

    struct Policy: Decodable, Equatable {
        let name: String
        let undetermined: String
        let staleSeconds: Int?
        let clockSkewSeconds: Int
    }

    struct Problem: Decodable, Equatable {
        let id: String
        let detail: String
    }

    struct Phase: Decodable {
        let name: String
        let ms: Double
    }

    struct Request: Decodable {
        let intent: String
        let keep: String
        let docTypes: [String]
        let identity: String?
        let readerAuthentication: String?
    }

    struct AgeStandIn: Decodable, Equatable {
        let docType: String
        let years: Int
    }

    let verdict: String
    let outcome: String
    /// These three of presentations through an app or the web alone.
    let mockSign: String?
    let isReplayChecked: Bool?
    let ageStandIns: [AgeStandIn]?
    let request: Request?
    let requestCompared: Bool
    let trustSnapshot: String?
    let policy: Policy?
    let documents: [Document]
    let errors: [Problem]
    let phases: [Phase]

    /// The checks that did not pass, of all documents.
    var failedChecks: [String] {
        documents.flatMap(\.checks).filter { $0.outcome == "failed" || $0.outcome == "undetermined" }.map(
            \.id)
    }
}
