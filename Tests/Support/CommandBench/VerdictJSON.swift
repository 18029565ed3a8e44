/// The JSON of `verify`, as its documentation describes it.
package struct VerdictJSON: Decodable {
    package struct Document: Decodable {
        package let docType: String
        package let issuer: Issuer?
        package let deviations: [String]
        package let parts: Parts
        package let checks: [Check]
        package let documentCurrent: String
        package let deviceAuthentication: String?
        package let selfAsserted: [String]?
        package let ageOver: [String: String]
        package let ageReason: [String: String]
        package let family: String?
        package let mayDrive: [String: String]
        package let mayDriveReason: [String: String]
    }

    package struct Issuer: Decodable {
        package let country: String?
        package let state: String?
        package let dsSubject: String
        package let dsSerial: String
        package let anchorSubject: String?
        package let anchorSha256: String?
    }

    package struct Check: Decodable, Equatable {
        package let id: String
        package let outcome: String
        package let detail: String
    }

    package struct Parts: Decodable, Equatable {
        package let authentic: String
        package let fresh: String
        package let documentCurrent: String
        package let revocation: Revocation
        package let holderBound: String
    }

    package struct Revocation: Decodable, Equatable {
        package let state: String
        package let cause: String?
        package let ageSeconds: Int?
    }

    package struct Policy: Decodable, Equatable {
        package let name: String
        package let undetermined: String
        package let staleSeconds: Int?
        package let clockSkewSeconds: Int

        package init(name: String, undetermined: String, staleSeconds: Int?, clockSkewSeconds: Int) {
            self.name = name
            self.undetermined = undetermined
            self.staleSeconds = staleSeconds
            self.clockSkewSeconds = clockSkewSeconds
        }
    }

    package struct Problem: Decodable, Equatable {
        package let id: String
        package let detail: String
    }

    package struct Phase: Decodable {
        package let name: String
        package let ms: Double
    }

    package struct Request: Decodable {
        package let intent: String
        package let keep: String
        package let docTypes: [String]
        package let identity: String?
        package let readerAuthentication: String?
    }

    package struct AgeStandIn: Decodable, Equatable {
        package let docType: String
        package let years: Int

        package init(docType: String, years: Int) {
            self.docType = docType
            self.years = years
        }
    }

    package let verdict: String
    package let outcome: String
    /// These three of presentations through an app or the web alone.
    package let mockSign: String?
    package let isReplayChecked: Bool?
    package let ageStandIns: [AgeStandIn]?
    package let request: Request?
    package let requestCompared: Bool
    package let trustSnapshot: String?
    package let policy: Policy?
    package let documents: [Document]
    package let errors: [Problem]
    package let phases: [Phase]

    /// The checks that did not pass, of all documents.
    package var failedChecks: [String] {
        documents.flatMap(\.checks).filter { $0.outcome == "failed" || $0.outcome == "undetermined" }.map(
            \.id)
    }
}
