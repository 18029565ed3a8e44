internal import CBOR
package import JSON
internal import MdocModel
internal import MdocTrust
package import MdocVerification
internal import ReaderStore
internal import ReaderService
internal import RequestPlanner

/// The form of the portrait in JSON.
package enum PortraitForm: Sendable {
    /// The bytes of the portrait, written like any other element.
    case bytes
    /// The number of bytes. The portrait itself is written to a file or not at all.
    case size
}

extension TransactionReport {
    /// Returns the report as JSON, in the form that `Documentation/command-line.md` describes.
    package func json(portrait: PortraitForm) -> JSONValue {
        .object(
            [("verdict", .string(verdict.rawValue))] + conclusion.members(missing: missing)
                + members(portrait: portrait))
    }

    package func documentsJSON(portrait: PortraitForm) -> JSONValue {
        .array(documents.map { $0.json(portrait: portrait) })
    }

    /// Returns all members except the verdict and the outcome.
    func members(portrait: PortraitForm) -> [(String, JSONValue)] {
        let members: [(String, JSONValue)] = [
            ("request", asked?.json ?? .null), ("requestCompared", .boolean(requestCompared)),
            ("trustSnapshot", JSONValue(basis?.trustSnapshot.description)),
            ("policy", basis?.policyJSON ?? .null),
            ("documents", documentsJSON(portrait: portrait)),
            (
                "errors",
                .array(
                    errors.map {
                        ["id": .string($0.id), "detail": .string(Terminal.safe($0.detail, limit: 1000))]
                    })
            ),
            (
                "phases",
                .array(phases.map { ["name": .string($0.name), "ms": .number($0.duration.milliseconds)] })
            ),
        ]
        // The member `notes` exists only if there are remarks.
        guard !notes.isEmpty else { return members }
        let list = notes.map { note -> JSONValue in
            ["id": .string(note.id.rawValue), "detail": .string(note.explanation)]
        }
        return members + [("notes", .array(list))]
    }
}

extension Conclusion {
    /// Returns the members about the outcome, on which a program acts. These members are the same for a
    /// presentation over NFC or Bluetooth and for one through an app or a web page.
    func members(missing: [MissingElement]) -> [(String, JSONValue)] {
        [
            ("outcome", .string(outcome.rawValue)), ("reasons", .array(reasons.map { .string($0.id) })),
            ("missing", .array(missing.map(\.json))),
        ]
    }
}

extension VerificationBasis {
    /// The revocation policy and the tolerated clock skew with which the response was judged.
    fileprivate var policyJSON: JSONValue {
        // `tolerated` is the time in seconds for which an outdated revocation list is still used.
        let (undetermined, tolerated): (JSONValue, JSONValue) =
            switch policy.revocation.undetermined {
            case .accept: ("accept", .null)
            case .refuse(let tolerated): ("refuse", .integer(tolerated))
            }
        return [
            "name": .string(policy.revocation.name), "undetermined": undetermined, "staleSeconds": tolerated,
            "clockSkewSeconds": .integer(policy.clockSkew),
        ]
    }
}

extension VerdictParts {
    package var json: JSONValue {
        [
            "authentic": .string(authentic.rawValue), "fresh": .string(fresh.rawValue),
            "documentCurrent": .string(documentCurrent.rawValue),
            "revocation": [
                "state": .string(revocation.state.rawValue), "cause": JSONValue(revocation.cause),
                "ageSeconds": revocation.ageSeconds.map(JSONValue.integer) ?? .null,
            ],
            "holderBound": .string(holderBound.rawValue),
        ]
    }
}

extension Duration {
    /// The duration in milliseconds, with the digits below a microsecond cut off.
    package var milliseconds: Double {
        // A microsecond has 10¹² attoseconds.
        let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        return Double(microseconds) / 1000
    }
}

extension DocumentOutcome {
    fileprivate func json(portrait: PortraitForm) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("docType", .string(report.docType)),
            ("family", JSONValue(DocumentFamily.word(of: report.docType))),
            ("issuer", report.issuer.map { $0.json } ?? .null),
            ("deviations", .array(report.deviations.map { .string($0.rawValue) })),
            ("parts", report.parts.json),
            ("checks", .array(report.checks.map { $0.json })),
            // Unlike the member `documentCurrent` of `parts`, this member is `unknown` if the elements must
            // not be used.
            ("documentCurrent", .string((verified?.isCurrent ?? .unknown).rawValue)),
        ]
        if let verified {
            members.append(("deviceAuthentication", .string(verified.deviceBinding.word)))
            members.append(("elements", verified.elementsByNameSpace { $0.json(portrait: portrait) }))
            members.append(("selfAsserted", .array(verified.selfAsserted.map { .string($0.text) })))
        }
        return .object(members + answerMembers)
    }
}

extension VerifiedDocument {
    /// The elements that the phone signed itself and that no issuer signed.
    var selfAsserted: [ElementName] { elements.filter { $0.signedBy == .device }.map(\.name) }

    /// Returns an object with a member for each namespace. The member is an object with a value for each
    /// element of the namespace.
    fileprivate func elementsByNameSpace(_ value: (VerifiedElement) -> JSONValue) -> JSONValue {
        var spaces: [(name: String, elements: [(String, JSONValue)])] = []
        for element in elements {
            let member = (name: element.name.identifier, value: value(element))
            if let index = spaces.firstIndex(where: { $0.name == element.name.nameSpace }) {
                spaces[index].elements.append(member)
            } else {
                spaces.append((element.name.nameSpace, [member]))
            }
        }
        return .object(spaces.map { ($0.name, .object($0.elements)) })
    }
}

extension VerifiedElement {
    /// Returns the value, or the size of a portrait. A portrait that is no byte string is written like any
    /// other value.
    fileprivate func json(portrait: PortraitForm) -> JSONValue {
        if case .size = portrait, name.identifier == "portrait", let bytes = try? value.byteString() {
            return ["bytes": .integer(Int64(bytes.count))]
        }
        return JSONValue(value)
    }
}

extension DocumentIssuer {
    fileprivate var json: JSONValue {
        [
            "country": JSONValue(country), "state": JSONValue(state), "dsSubject": .string(dsSubject),
            "dsSerial": .string(dsSerial.hexadecimal), "anchorSubject": JSONValue(anchorSubject),
            "anchorSha256": JSONValue(anchorSHA256?.hexadecimal),
        ]
    }
}

extension CheckReport {
    fileprivate var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("id", .string(id.rawValue)), ("outcome", .string(outcome.word)),
            ("detail", .string(Terminal.safe(explanation, limit: 1000))),
        ]
        if let reason { members.append(("reason", .string(reason.rawValue))) }
        return .object(members)
    }
}

extension DocumentOutcome {
    /// The members with the answers of this document: to the age questions, to the questions about driving,
    /// and to the question whether the document is in date.
    var answerMembers: [(String, JSONValue)] {
        var ages: [(key: String, answer: ReasonedAnswer)] = []
        var vehicles: [(key: String, answer: ReasonedAnswer)] = []
        var inDate: ReasonedAnswer?
        for (subject, answer) in answers {
            switch subject {
            case .ageOver(let years, _): ages.append(("\(years)", answer))
            case .drive(let vehicle): vehicles.append((vehicle.text, answer))
            case .inDate: inDate = answer
            // The answer about the portrait has no member here, but influences the member `outcome` of the
            // report.
            case .portrait: break
            }
        }
        return [
            ("ageOver", .object(ages.map { ($0.key, .string($0.answer.word.verifyWord)) })),
            ("ageReason", .object(ages.map { ($0.key, .string($0.answer.reason)) })),
            ("mayDrive", .object(vehicles.map { ($0.key, .string($0.answer.word.verifyWord)) })),
            ("mayDriveReason", .object(vehicles.map { ($0.key, .string($0.answer.reason)) })),
            ("inDate", JSONValue(inDate?.word.verifyWord)), ("inDateReason", JSONValue(inDate?.reason)),
        ]
    }
}

extension Answer {
    /// The answer's word in the results of `countersign verify`, which use `cannotTell` where receipts and
    /// the API use `unknown`.
    fileprivate var verifyWord: String { self == .unknown ? "cannotTell" : rawValue }
}

extension DocumentFamily {
    static func word(of docType: String) -> String? {
        known.first { $0.types.contains { $0.docType == docType } }?.word
    }
}
