internal import Foundation
internal import Glibc
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import ReaderIdentityStore
internal import ReaderService
internal import ReaderStore

/// What a reader is made of on this computer: whom it trusts, who it is, and what time it is.
struct ReaderInstallation: Sendable {
    let setup: MobileDocumentReader.Setup
    let clock: @Sendable () -> Timestamp
    var deadlines = PresentationDeadlines()

    /// No build of this library is older: a clock that shows less was not set (Q189).
    private static let earliest = Timestamp(secondsSince1970: 1_767_225_600)

    init(
        _ setup: MobileDocumentReader.Setup,
        clock: @escaping @Sendable () -> Timestamp = {
            Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
        }
    ) {
        self.setup = setup
        self.clock = clock
        deadlines.engagement = setup.patience
    }

    func now() throws(MobileDocumentReaderError) -> Timestamp {
        let now = clock()
        guard now >= Self.earliest else { throw .serviceUnavailable(.clockNotSet) }
        return now
    }

    /// The day of an instant where this computer stands, by its time zone: the premises' (Q161).
    func day(at instant: Timestamp) -> FullDate {
        let zone = TimeZone.current
        let date = Date(timeIntervalSince1970: TimeInterval(instant.secondsSince1970))
        return instant.advanced(bySeconds: Int64(zone.secondsFromGMT(for: date))).dayInUTC
    }

    var revocationPolicy: RevocationPolicy {
        switch setup.revocation {
        case .age: .age
        case .rental: .rental(staleDays: 0)
        }
    }

    func trust() throws(MobileDocumentReaderError) -> TrustStore {
        switch setup.trust {
        case .roots(let roots): return TrustStore(anchors: try Self.anchors(in: roots))
        case .store:
            do throws(ReaderStoreError) {
                let store = try ReaderStore(at: setup.storeFolder, for: .reading)
                return TrustStore(try store.currentTrust().snapshot)
            } catch {
                throw MobileDocumentReaderError(error)
            }
        }
    }

    private static func anchors(in roots: [Data]) throws(MobileDocumentReaderError) -> [TrustAnchor] {
        var anchors: [TrustAnchor] = []
        for root in roots {
            guard let certificates = try? certificates(fromPEMOrDER: [UInt8](root)[...]) else {
                throw .serviceUnavailable(.trustUnavailable(id: "root.misshapen"))
            }
            for certificate in certificates {
                guard let anchor = try? TrustAnchor(certificate) else {
                    throw .serviceUnavailable(.trustUnavailable(id: "root.refused"))
                }
                anchors.append(anchor)
            }
        }
        guard !anchors.isEmpty else { throw .serviceUnavailable(.trustUnavailable(id: "store.empty")) }
        return anchors
    }

    /// Who signs: the identity that a token or the setup names, else whom the identities' own rules choose.
    func identities(
        named name: String?, at now: Timestamp
    ) throws(MobileDocumentReaderError) -> ReaderIdentityChoice {
        let folder = IdentityFolder(store: setup.storeFolder)
        do throws(IdentityStoreError) {
            guard let name = name ?? setup.identity else {
                return try ReaderIdentities(in: folder, at: now).choice
            }
            let identity = try ReaderIdentities.identity(named: name, in: folder, at: now)
            return ReaderIdentityChoice([.init(identity: identity)])
        } catch {
            throw .serviceUnavailable(.identityUnavailable(id: error.id))
        }
    }

    /// Made at first use and kept in the store's folder.
    func instanceIdentifier() throws(MobileDocumentReaderError) -> String {
        try InstanceIdentifier(in: setup.storeFolder).text
    }
}

extension MobileDocumentReaderError {
    fileprivate init(_ error: ReaderStoreError) {
        self =
            switch error {
            case .busy, .changedMeanwhile: .systemBusy(.trustUnavailable(id: "store.busy"))
            case .absent: .serviceUnavailable(.trustUnavailable(id: "store.absent"))
            case .empty: .serviceUnavailable(.trustUnavailable(id: "store.empty"))
            case .notPermitted: .notAllowed(.trustUnavailable(id: "store.not_permitted"))
            case .writableByOthers, .ownedByAnother:
                .serviceUnavailable(.trustUnavailable(id: "store.exposed"))
            case .notAStore, .versionUnknown, .damaged, .snapshotDamaged:
                .serviceUnavailable(.trustUnavailable(id: "store.damaged"))
            default: .unknown(.trustUnavailable(id: "store.failed"))
            }
    }
}

extension IdentityStoreError {
    /// The condition alone, without paths and names.
    fileprivate var id: String {
        switch self {
        case .fileRefused: "identity.file_refused"
        case .notAFile, .exposed, .ownedByOther: "identity.exposed"
        case .busy: "identity.busy"
        case .unknown: "identity.unknown"
        case .noCertificates: "identity.no_certificates"
        case .notYetValid, .expired: "identity.not_valid"
        case .rulesMisshapen, .noSuchRule: "identity.rules"
        default: "identity.unusable"
        }
    }
}
