import BlueZTransport
import CBOR
import CommandBench
import COSE
import Foundation
import JSON
import MdocModel
import MdocTrust
import MdocVerification
import OpenSSLCrypto
import PKIX
import ReaderIdentityStore
import ReaderService
import ReaderStore
import Reports
import RequestPlanner
import Testing
import VectorFiles
import WalletPresentation

@testable import Doctor
@testable import CommandLineInterface
@testable import countersign

@Suite("JSON")
struct JSONTests {
    @Test(
        "An element's value is written as documented",
        arguments: [
            ("1b001fffffffffffff", "9007199254740991"), ("1b0020000000000000", "\"9007199254740992\""),
            ("3b001ffffffffffffe", "-9007199254740991"), ("3b001fffffffffffff", "\"-9007199254740992\""),
            ("3bffffffffffffffff", "\"-18446744073709551616\""),
            ("c249010000000000000000", "\"18446744073709551616\""),
            ("43fbff00", "\"-_8A\""), ("40", "\"\""), ("f5", "true"), ("f6", "null"), ("f7", "null"),
            ("c074323031332d30332d32315432303a30343a30305a", "\"2013-03-21T20:04:00Z\""),
            ("d903ec6a323031332d30332d3231", "\"2013-03-21\""), ("f93e00", "1.5"), ("f97e00", "\"NaN\""),
            ("f9fc00", "\"-Infinity\""), ("f0", "\"simple(16)\""), ("d8184100", "\"AA\""),
        ])
    func values(_ hex: String, _ expected: String) throws {
        #expect(JSONValue(try CBORItem.parse([UInt8](hex: hex)[...])).text == expected)
    }

    @Test("Arrays and maps are JSON; a map whose keys would be the same name is an array of pairs")
    func containers() throws {
        func json(_ hex: String) throws -> Any {
            let text = JSONValue(try CBORItem.parse([UInt8](hex: hex)[...])).text
            return try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        }
        #expect(try json("a2616101616282f5f4") as? NSDictionary == ["a": 1, "b": [true, false]])
        #expect(try json("a20102616103") as? NSDictionary == ["1": 2, "a": 3])
        #expect(try json("a2010261310a") as? NSArray == [[1, 2], ["1", 10]])
    }

    @Test("What does not print is escaped, and reads back as it was")
    func escapes() throws {
        let text = "a\"\\\n\u{1b}\u{9b}\u{202e}\u{2028}\u{e0001}é水"
        let written = JSONValue.string(text).text
        #expect(written.unicodeScalars.allSatisfy { $0.prints })
        let read = try JSONSerialization.jsonObject(with: Data(written.utf8), options: .fragmentsAllowed)
        #expect(read as? String == text)
    }

    @Test("A report has the members that are documented, and no others")
    func shape() throws {
        let annex = AnnexD()
        let run = try CommandRun(
            annex.decrypted(
                "--reader-key", annex.readerKey(), "--request", annex.file("deviceRequest"), "--json"))
        let report = try run.json()
        #expect(report["request"] is NSNull)
        #expect(
            Set(report.keys) == [
                "verdict", "outcome", "reasons", "missing", "request", "requestCompared", "trustSnapshot",
                "policy", "documents", "errors", "phases",
            ])
        #expect(report["outcome"] as? String == "allow")
        #expect((report["reasons"] as? [String]) == [] && (report["missing"] as? [Any])?.isEmpty == true)
        #expect(
            report["policy"] as? NSDictionary == [
                "name": "age", "undetermined": "accept", "staleSeconds": NSNull(), "clockSkewSeconds": 60,
            ])
        let documents = try #require(report["documents"] as? [[String: Any]])
        let document = try #require(documents.first)
        #expect(
            Set(document.keys) == [
                "docType", "issuer", "deviations", "parts", "checks", "documentCurrent",
                "deviceAuthentication", "elements",
                "selfAsserted", "family", "ageOver", "ageReason", "mayDrive", "mayDriveReason",
                "inDate", "inDateReason",
            ])
        #expect(document["inDate"] as? String == "yes")
        #expect(
            document["parts"] as? NSDictionary == [
                "authentic": "yes", "fresh": "yes", "documentCurrent": "yes",
                "revocation": [
                    "state": "undetermined", "cause": "signer.list_absent", "ageSeconds": NSNull(),
                ], "holderBound": "yes",
            ])
        let issuer = try #require(document["issuer"] as? [String: Any])
        #expect(
            Set(issuer.keys) == [
                "country", "state", "dsSubject", "dsSerial", "anchorSubject", "anchorSha256",
            ])
        #expect(issuer["country"] as? String == "US")
        #expect(issuer["state"] is NSNull)
        let checks = try #require(document["checks"] as? [[String: Any]])
        #expect(
            checks.compactMap { $0["id"] as? String }
                == VerificationRules.interoperable.checks.map(\.rawValue))
        #expect(checks.allSatisfy { Set($0.keys) == ["id", "outcome", "detail"] })
        let elements = try #require(document["elements"] as? [String: [String: Any]])
        #expect(elements["org.iso.18013.5.1"]?["issue_date"] as? String == "2019-10-20")
        #expect(elements["org.iso.18013.5.1"]?["portrait"] as? String != nil)
        let phases = try #require(report["phases"] as? [[String: Any]])
        #expect(phases.compactMap { $0["name"] as? String } == ["verify"])
    }

    @Test("A document that is not verified has no elements, and answers no question")
    func rejectedShape() throws {
        let annex = AnnexD()
        let report = try CommandRun(annex.decrypted("--json")).json()
        let documents = try #require(report["documents"] as? [[String: Any]])
        let document = try #require(documents.first)
        #expect(
            Set(document.keys) == [
                "docType", "family", "issuer", "deviations", "parts", "checks", "documentCurrent", "ageOver",
                "ageReason", "mayDrive", "mayDriveReason", "inDate", "inDateReason",
            ])
        #expect(report["outcome"] as? String == "unclear")
        #expect(document["documentCurrent"] as? String == "unknown")
    }

    @Test("In a request the portrait is only its size")
    func portraitSize() throws {
        let sized = try portraitJSON(.size)
        #expect(sized as? NSDictionary == ["bytes": 1042])
        #expect(try portraitJSON(.bytes) is String)
    }

    private func portraitJSON(_ form: PortraitForm) throws -> Any {
        let annex = AnnexD()
        let transaction = StoredTransaction(
            transcript: try SessionTranscript(stored: annex.transcript()[...]),
            readerKey: COSEKeyPair(try PrivateKey(curve: .p256, scalar: annex.bytes("eReaderKey_d")[...])),
            message: .response(try annex.bytes("deviceResponse")), limits: .standard)
        let root = try TrustAnchor(Certificate(der: annex.bytes("iacaCertificate")[...]))
        let now = try #require(DateText(AnnexD.time.utf8)).instant
        let text = try transaction.judged(
            trusting: TrustStore(anchors: [root]), by: VerificationPolicy(), at: now
        ).json(portrait: form).text
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let documents = try #require(report["documents"] as? [[String: Any]])
        let elements = try #require(documents.first?["elements"] as? [String: [String: Any]])
        return try #require(elements["org.iso.18013.5.1"]?["portrait"])
    }
}

/// `Documentation/command-line.md` names everything that a program may meet.
@Suite("JSON documentation")
struct JSONDocumentationTests {
    let page: String

    init() throws {
        let file = VectorFiles.repository.appending(path: "Documentation/command-line.md")
        page = try String(contentsOf: file, encoding: .utf8)
    }

    @Test("Every id of a check, an error and a deviation stands in it")
    func ids() {
        let ids =
            CheckID.allCases.map(\.rawValue) + Deviation.allCases.map(\.rawValue) + TransactionError.knownIDs
            + RequestRule.allCases.map(\.rawValue) + PresentationNote.ID.allCases.map(\.rawValue)
        for id in ids { #expect(page.contains("| `\(id)` |"), "\(id)") }
    }

    @Test(
        "Every id of a finding about trust stands in it, as what it is; so do those of refusals and bundles")
    func trust() {
        for condition in TrustCondition.samples {
            let kind = condition.isFault ? "fault" : "remark"
            #expect(page.contains("| `\(condition.id)` | \(kind): "), "\(condition.id)")
        }
        let issue = ListIssueName(number: nil, date: Timestamp(secondsSince1970: 0))
        for refusal in [AdmissionRefusal.older(issue, than: issue), .shrunken(from: 2, to: 1)] {
            #expect(page.contains("| `\(refusal.id)` | refused: "), "\(refusal.id)")
        }
        for error in [
            TrustBundleError.malformed(.truncated(at: 0)), .cose(.keyNotUsable), .typeWrong, .older,
            .notYetValid, .snapshotDiffers,
        ] {
            #expect(page.contains("`\(error.id)`"), "\(error.id)")
        }
    }

    @Test("Every cause of revocation, and of not knowing, stands in it")
    func revocation() {
        let ids = RevokedCause.allCases.map(\.rawValue) + UndeterminedCause.oneOfEach.map(\.id)
        #expect(Set(ids).count == ids.count)
        for id in ids { #expect(page.contains("`\(id)`"), "\(id)") }
    }

    @Test("Every fault of a chain of receipts stands in it")
    func receiptChain() {
        let ids = [
            "receipt_chain.malformed", "receipt_chain.key_unknown", "receipt_chain.changed",
            "receipt_chain.missing", "receipt_chain.out_of_order", "receipt_chain.predecessor_differs",
            "receipt_chain.end_missing", "receipt_chain.head_differs",
        ]
        let faults: [ReceiptChainFault] = [
            .malformed, .changed, .missing(from: 3, through: 5), .outOfOrder(expected: 3),
            .predecessorDiffers, .endMissing, .headDiffers,
        ]
        #expect(faults.map(\.id) == ids.filter { $0 != "receipt_chain.key_unknown" })
        for id in ids { #expect(page.contains("`\(id)`"), "\(id)") }
    }

    @Test("Every warning, note and quirk of Bluetooth stands in it, as what it is")
    func bluetooth() {
        for id in DaemonFinding.knownIDs { #expect(page.contains("| `\(id)` | warning: "), "\(id)") }
        for note in DaemonNote.allCases { #expect(page.contains("| `\(note.rawValue)` | note: "), "\(note)") }
        for quirk in AdapterQuirk.allCases {
            #expect(page.contains("| `\(quirk.rawValue)` | quirk: "), "\(quirk)")
        }
    }

    @Test("Every exit code and verdict stands in it")
    func codes() {
        for status in ExitStatus.allCases { #expect(page.contains("\n| \(status.rawValue) | "), "\(status)") }
        for verdict in TransactionReport.Verdict.allCases { #expect(page.contains("`\(verdict.rawValue)` ")) }
    }

    @Test("What it says of checks and deviations is what the command says")
    func meanings() {
        for deviation in Deviation.allCases {
            #expect(page.contains("| `\(deviation.rawValue)` | \(deviation.meaning) |"), "\(deviation)")
        }
        for rule in RequestRule.allCases {
            #expect(page.contains("| `\(rule.rawValue)` | \(rule.meaning) |"), "\(rule)")
        }
        for id in CheckID.allCases where id != .issuerCertificate {
            #expect(page.contains("| `\(id.rawValue)` | \(id.meaning) |"), "\(id)")
        }
    }

    @Test("Every refusal of what came through an app or a page stands in it, and every sign of a mock")
    func channels() {
        let errors: [WalletPresentationError] = [
            .malformed(.envelope, .truncated(at: 0)), .sizeWrong(.envelope), .notBase64URL(.envelope),
            .algorithmUnknown, .modeUnknown(1), .recipientKeyUnknown, .merchantOther, .teamOther,
            .infoHashWrong, .originOther, .encryptionInfoReencoded, .nonceOther, .encapsulatedKeyInvalid,
            .notOpened,
        ]
        let failures = ChannelFailure.allCases.map(\.rawValue)
        for id in errors.map(\.id) + failures + NonceRefusal.allCases.map(\.rawValue) {
            #expect(page.contains("`\(id.split(separator: ".").last ?? "")`"), "\(id)")
        }
        for sign in MockSign.allCases { #expect(page.contains("`\(sign.rawValue)`"), "\(sign)") }
    }

    @Test("It has every way in which an identity cannot be used", arguments: IdentityStoreError.knownIDs)
    func identities(_ id: String) {
        #expect(page.contains("\n| `\(id)` | "))
    }

    @Test("It has every check of doctor", arguments: DoctorCheck.ID.allCases)
    func doctor(_ check: DoctorCheck.ID) {
        #expect(page.contains("\n| `\(check.rawValue)` | "))
    }

    @Test("It names no id that there is not")
    func nothingElse() {
        let known = Set(
            CheckID.allCases.map(\.rawValue) + Deviation.allCases.map(\.rawValue) + TransactionError.knownIDs
                + RequestRule.allCases.map(\.rawValue) + IdentityStoreError.knownIDs
                + DoctorCheck.ID.allCases.map(\.rawValue) + PresentationNote.ID.allCases.map(\.rawValue))
        let rows = page.split(separator: "\n").filter {
            $0.hasPrefix("| `") && !$0.hasPrefix("| `--") && $0.contains(".")
        }
        let ids = rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        let trust = Set(TrustCondition.knownIDs + AdmissionRefusal.oneOfEach.map(\.id))
        let bluetooth = Set(
            DaemonFinding.knownIDs + DaemonNote.allCases.map(\.rawValue)
                + AdapterQuirk.allCases.map(\.rawValue))
        for id in ids where !id.hasPrefix("-") && (id.contains(".") || id.contains("_")) {
            #expect(known.contains(id) || trust.contains(id) || bluetooth.contains(id), "\(id)")
        }
    }
}

extension IdentityStoreError {
    /// One of each.
    fileprivate static let samples: [IdentityStoreError] = [
        .fileRefused(path: "", errno: 1), .notAFile(path: ""), .exposed(path: "", mode: 0o644),
        .ownedByOther(path: ""), .busy(path: ""), .tooLong(path: ""), .unknown(""),
        .keyUnusable(.tpmUnreachable),
        .keyUnusable(.keyMalformed), .noCertificates, .certificatesUnreadable(.limitExceeded(at: 0)),
        .keyNotCertified,
        .chainUnusable(.empty), .notYetValid(subject: "", from: 0), .expired(subject: "", since: 0),
        .profileBroken([]), .rulesMalformed(line: nil, .notWritten), .noSuchRule,
    ]

    fileprivate static let knownIDs =
        samples.map(\.id) + (IdentityName("a").map { [IdentityStoreError.nameTaken($0).id] } ?? [])
}

extension TrustCondition {
    /// One of each.
    fileprivate static let samples: [TrustCondition] = [
        .certificateUnreadable(.limitExceeded(at: 0)), .notACertificateAuthority(subject: ""),
        .selfIssuedWithoutAuthority(subject: "", hasBasicConstraints: false),
        .keyNotUsable(subject: ""), .anchorKeyUsage(subject: ""), .anchorNameConstraints(subject: ""),
        .anchorUnknownExtension(subject: "", .nameConstraints),
        .linkCertificate(subject: ""), .selfSignatureInvalid(subject: ""),
        .anchorTwice(
            subject: "",
            other: TrustSource(
                .anchor, name: "", provenance: .file(path: ""), obtained: Timestamp(secondsSince1970: 0),
                bytes: []
            ).identity), .anchorProfile(subject: "", []), .anchorNotYetValid(subject: ""),
        .anchorExpired(subject: ""), .anchorExpiresSoon(subject: "", days: 1), .vicalRefused(.expired),
        .vical(.listEmpty), .vicalSigner([]), .vicalWithoutNextUpdate,
        .revocationListUnreadable(.limitExceeded(at: 0)), .revocationListIncomplete(.deltaCRL),
        .revocationListIssuerUnknown(issuer: ""), .revocationListSignatureInvalid(issuer: ""),
        .statusListUnreadable(.typeWrong), .statusListSignerUnknown, .statusListSubjectWrong,
        .statusListIncomplete(.identifierUnreadable), .listNotYetValid, .listStale(overdueSeconds: 1),
    ]

    fileprivate static let knownIDs = samples.map(\.id)
}

extension UndeterminedCause {
    /// One of each.
    fileprivate static let oneOfEach: [UndeterminedCause] = [
        .notChecked, .nothingPublished, .referenceUnreadable, .listAbsent, .listStale(overdueSeconds: 1),
        .listNotYetValid, .listMalformed, .listSignerWrong, .listSignerInvalid, .listSubjectWrong,
        .indexOutOfRange, .statusNotDefined, .trustListOverdue(seconds: 1),
    ]
}

extension AdmissionRefusal {
    private static let issue = ListIssueName(number: nil, date: Timestamp(secondsSince1970: 0))

    /// One of each.
    fileprivate static let oneOfEach: [AdmissionRefusal] = [
        .unusable(.listNotYetValid), .older(issue, than: issue), .otherIssuer, .shrunken(from: 10, to: 7),
        .tooManyIncomplete(16),
    ]
}
