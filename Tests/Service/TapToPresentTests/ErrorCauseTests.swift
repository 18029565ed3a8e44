internal import Transport
import Foundation
import MdocModel
import MdocSession
import MdocWallet
import PresentationStage
import ReaderService
import ReaderStore
import Testing

@testable import TapToPresent

@Suite("Errors come from their causes")
struct ErrorCauseTests {
    private static let data = MobileDriversLicenseDataRequest(nonRetainedElements: [.familyName])

    private func error(
        _ stage: TapStage, asking request: some MobileDocumentRequest = data
    ) async throws -> MobileDocumentReaderError? {
        defer { stage.clean() }
        let session = try await stage.prepared()
        do throws(MobileDocumentReaderError) {
            _ = try await session.requestDocument(request)
            return nil
        } catch {
            return error
        }
    }

    private func expect(
        _ found: MobileDocumentReaderError?, _ error: MobileDocumentReaderError,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(found == error, sourceLocation: location)
        #expect(found?.reason == error.reason, sourceLocation: location)
    }

    @Test("A holder who declines", arguments: [Holder.Decision.declines, .returnsNothing], [false, true])
    func declined(_ decision: Holder.Decision, isRaw: Bool) async throws {
        let stage = try TapStage { $0.holder.decision = decision }
        let found =
            isRaw
            ? try await error(stage, asking: .driversLicenseRawData(notRetaining: [.sex]))
            : try await error(stage)
        expect(found, .cancelled(.holderDeclined))
    }

    @Test("Nobody comes")
    func nobody() async throws {
        let stage = try TapStage(
            isPresent: false, deadlines: .ample.with { $0.engagement = .milliseconds(50) })
        expect(try await error(stage), .cancelled(.engagementOverdue))
    }

    @Test("A holder who never decides")
    func undecided() async throws {
        let stage = try TapStage(deadlines: .ample.with { $0.consent = .milliseconds(50) }) {
            $0.consentTime = .seconds(60)
        }
        expect(try await error(stage), .cancelled(.consentOverdue))
    }

    @Test(
        "An answer that is none, or that fails a check",
        arguments: [
            (HolderFault.truncated, "malformed"), (.notAMap, "malformed"),
            (.signatureFlipped, "device_authentication"), (.noIssuerAuth, "issuer_certificate"),
            (.noDocuments, "response.no_documents"), (.elementTwice, "request_match"),
        ] as [(HolderFault, String)])
    func invalid(_ fault: HolderFault, _ failure: String) async throws {
        let stage = try TapStage { $0.holder.fault = fault }
        let found = try await error(stage)
        #expect(found == .invalidResponse)
        switch found?.reason {
        case .responseMalformed: #expect(failure == "malformed")
        case .rejected(let verdict):
            #expect(!verdict.isVerified)
            #expect(verdict.failures.contains(failure))
        default: Issue.record("\(String(describing: found?.reason))")
        }
    }

    @Test("A display request without a display")
    func noDisplay() async throws {
        let request = MobileDriversLicenseDisplayRequest(
            elements: [.age], options: .init(validationMode: .check))
        let stage = try TapStage(setup: { $0.display = nil })
        expect(try await error(stage, asking: request), .notSupported(.displayMissing))
        #expect(try stage.log.all.isEmpty)
    }

    @Test("A clock that was never set")
    func clock() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        stage.clock.advance(bySeconds: -1_700_000_000)
        let found = await #expect(throws: MobileDocumentReaderError.serviceUnavailable) {
            try await stage.reader.prepare()
        }
        #expect(found?.reason == .clockNotSet)
    }

    @Test("A store that is not there, is empty, may be written by others or is none")
    func store() async throws {
        func prepare(_ fill: (String) throws -> Void) async throws -> MobileDocumentReaderError? {
            let stage = try TapStage(setup: { $0.trust = .store })
            defer { stage.clean() }
            try FileManager.default.createDirectory(
                atPath: stage.folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try fill(stage.folder)
            return await #expect(throws: MobileDocumentReaderError.self) { try await stage.reader.prepare() }
        }
        func setUp(_ folder: String) throws { _ = try ReaderStore(at: folder, for: .changing) }
        expect(try await prepare { _ in }, .serviceUnavailable(.storeUnavailable(id: "store.absent")))
        expect(try await prepare(setUp), .serviceUnavailable(.storeUnavailable(id: "store.empty")))
        expect(
            try await prepare { folder in
                try setUp(folder)
                try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
            }, .serviceUnavailable(.storeUnavailable(id: "store.exposed")))
        expect(
            try await prepare { folder in
                try Data(repeating: 7, count: 8192).write(to: URL(filePath: "\(folder)/countersign.sqlite"))
            }, .serviceUnavailable(.storeUnavailable(id: "store.damaged")))
    }

    @Test("Roots that are none, or no roots at all")
    func roots() async throws {
        for (roots, reason) in [
            ([Data("x".utf8)], .rootsUnusable(id: "root.malformed")),
            ([], .storeUnavailable(id: "store.empty")),
        ] as [([Data], MobileDocumentReaderError.Reason)] {
            let stage = try TapStage(setup: { $0.trust = .roots(roots) })
            defer { stage.clean() }
            let found = await #expect(throws: MobileDocumentReaderError.self) {
                try await stage.reader.prepare()
            }
            expect(found, .serviceUnavailable(reason))
        }
    }

    @Test("An identity that there is not")
    func identity() async throws {
        let stage = try TapStage(setup: { $0.identity = "nobody" })
        defer { stage.clean() }
        let found = await #expect(throws: MobileDocumentReaderError.self) {
            try await stage.reader.prepare()
        }
        expect(found, .serviceUnavailable(.identityUnavailable(id: "identity.unknown")))
    }

    @Test(
        "What pcscd refuses",
        arguments: [
            (.readerInUse, .systemBusy), (.tooManyClients, .systemBusy),
            (.serviceAccessDenied, .notAllowed), (.cardAccessDenied, .notAllowed),
            (.noReader, .serviceUnavailable), (.serviceNotRunning, .serviceUnavailable),
        ] as [(ReaderFault, MobileDocumentReaderError)])
    func pcsc(_ fault: ReaderFault, _ error: MobileDocumentReaderError) {
        #expect(MobileDocumentReaderError(.readerUnavailable(fault)) == error)
    }

    @Test(
        "Each way in which a presentation fails has its case and its reason",
        arguments: [
            (.radioUnavailable(.adapterOff), .serviceUnavailable(.radioUnavailable(id: "bluez.adapter_off"))),
            (.engagementOverdue(lastTap: nil), .cancelled(.engagementOverdue)),
            (.engagement(.notADate(at: 0)), .invalidResponse(.engagementMalformed)),
            (.noUsableRetrieval, .notSupported(.noUsableRetrieval)),
            (.linkLost, .invalidResponse(.transferIncomplete)),
            (.bluetooth(.disconnected), .invalidResponse(.transferIncomplete)),
            (.connectionOverdue, .invalidResponse(.connectionFailed(id: "connection.timed_out"))),
            (.connection(.refused), .invalidResponse(.connectionFailed(id: "connection.refused"))),
            (.messageTooLong(announced: 2, limit: 1), .invalidResponse(.messageTooLong)),
            (.requestNotSigned(identity: "x"), .serviceUnavailable(.requestNotSigned)),
            (.session(.decryptionFailed), .invalidResponse(.sessionBroken)),
            (.consentOverdue, .cancelled(.consentOverdue)), (.cancelled, .cancelled(.taskCancelled)),
        ] as [(PresentationFailure, MobileDocumentReaderError)])
    func failures(_ failure: PresentationFailure, _ error: MobileDocumentReaderError) {
        expect(MobileDocumentReaderError(failure), error)
    }
}
