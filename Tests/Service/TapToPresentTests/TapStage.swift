import COSE
import Foundation
import MdocModel
import MdocWallet
import OpenSSLCrypto
import PresentationStage
import ReaderService
import ReaderStore
import ReaderTokens
import Synchronization
import Testing
import Transport

@testable import TapToPresent

/// A reader whose phones come over a bench link, with an issuer that it trusts.
struct TapStage {
    static let now = Scene.now
    /// How long a session lasts, in seconds.
    static let life = ReaderToken.sessionLength

    let issuer: TestIssuer
    let reader: MobileDocumentReader
    let log = PhoneLog()
    /// What the reader's clock shows.
    let clock: TestClock
    let folder: String
    private let tokens = TokenBox()

    /// What the phones were asked.
    final class PhoneLog: Sendable {
        private let requests = Mutex<[[UInt8]]>([])

        var all: [DeviceRequest] {
            get throws { try requests.withLock { $0 }.map { try DeviceRequest($0[...]) } }
        }

        func append(_ new: [[UInt8]]) { requests.withLock { $0 += new } }
    }

    private final class TokenBox: Sendable {
        private let tokens = Mutex<[Int64: MobileDocumentReader.Token]>([:])

        func withLock<R: Sendable>(_ body: (inout [Int64: MobileDocumentReader.Token]) -> R) -> R {
            tokens.withLock { body(&$0) }
        }
    }

    final class TestClock: Sendable {
        private let time = Mutex(TapStage.now)

        var now: Timestamp { time.withLock { $0 } }

        func advance(bySeconds seconds: Int64) {
            time.withLock { $0 = $0.advanced(bySeconds: seconds) }
        }
    }

    /// - Parameter isPresent: whether there is a phone at all.
    init(
        _ documents: [TestDocument] = [TestLicence().document(on: TapStage.now.dayInUTC)],
        isPresent: Bool = true, trusting isTrusted: Bool = true,
        deadlines: PresentationDeadlines = .ample, phone changePhone: (inout Wallet) -> Void = { _ in },
        setup change: (inout MobileDocumentReader.Setup) -> Void = { _ in }
    ) throws {
        let issuer = try TestIssuer(now: Self.now)
        let other = try TestIssuer(now: Self.now)
        self.issuer = issuer
        let issued = try documents.map { try issuer.issue($0, for: COSEKeyPair(PrivateKey.generate(.p256))) }
        var wallet = Wallet(holder: Holder(documents: issued))
        changePhone(&wallet)
        folder = FileManager.default.temporaryDirectory.appending(path: "tap-\(UUID().uuidString)").path
        var setup = MobileDocumentReader.Setup()
        setup.storeFolder = folder
        setup.trust = .roots([Data(isTrusted ? issuer.root : other.root)])
        // The wallet's issuer is a test's, and has no revocation list.
        setup.acceptsTestDocuments = true
        setup.revocation[.elements] = .age
        change(&setup)
        let clock = TestClock()
        self.clock = clock
        var installation = ReaderInstallation(setup, clock: WallClock { clock.now })
        installation.deadlines = deadlines
        reader = MobileDocumentReader(
            installation, sharedReader: Self.sharedReader(wallet, isPresent: isPresent, log))
    }

    private static func sharedReader(_ wallet: Wallet, isPresent: Bool, _ log: PhoneLog) -> SharedReader {
        SharedReader { transaction in
            let (channel, holder) = InMemoryChannel.pair()
            let phone = Task {
                guard isPresent else { return }
                let link = try WalletBenchLink(wallet, handover: .qr, now: .now)
                log.append(await HolderEnd.serve(link, over: holder).requests)
            }
            let presentation = await transaction.run(over: channel)
            phone.cancel()
            await holder.close()
            _ = await phone.result
            return presentation
        }
    }

    /// A session that may ask for elements.
    func prepared() async throws -> MobileDocumentReaderSession {
        try await reader.prepare(using: token())
    }

    /// The token of this minute, made where there is none.
    func token() async throws -> MobileDocumentReader.Token {
        let minute = clock.now.secondsSince1970 / 60
        if let token = tokens.withLock({ $0[minute] }) { return token }
        let token = try await newToken()
        tokens.withLock { $0[minute] = token }
        return token
    }

    /// A token of a brand that this reader knows, for it or for another.
    func newToken(
        for instance: ReaderInstance? = nil, audience: TokenText = ReaderToken.defaultAudience
    ) async throws -> MobileDocumentReader.Token {
        try await Self.newToken(in: folder, at: clock.now, for: instance, audience: audience)
    }

    /// The same for a reader whose store is in `folder`.
    static func newToken(
        in folder: String, at now: Timestamp, for instance: ReaderInstance? = nil,
        audience: TokenText = ReaderToken.defaultAudience
    ) async throws -> MobileDocumentReader.Token {
        let (brand, kid) = (try #require(TokenText("test")), try #require(TokenText("key-1")))
        let key = try PrivateKey(curve: .p256, scalar: [UInt8](repeating: 9, count: 32)[...])
        let own = try ReaderStore(at: folder, for: .changing).readerInstance()
        let name = try #require(BrandName("Test brand"))
        let brandKey = try BrandKey(kid, key.publicKey())
        _ = try BrandFolder(store: folder).change { registry throws(BrandFault) in
            guard registry.brand(brand) == nil else { return }
            try registry.add(Brand(identifier: brand, name: name, keys: [brandKey]))
        }
        let signer = try ReaderTokenSigner(key, kid, of: brand)
        return .init(try signer.sign(for: instance ?? own, audience: audience, at: now))
    }

    func clean() { try? FileManager.default.removeItem(atPath: folder) }
}

extension [DeviceRequest] {
    /// The elements of the first document of the last request, each with whether it is to be kept.
    var lastAsked: [String: Bool] {
        let spaces = last?.docRequests.first?.itemsRequest.nameSpaces ?? []
        return Dictionary(
            spaces.flatMap { space in
                space.elements.map { ("\(space.name)/\($0.identifier)", $0.intentToRetain) }
            }, uniquingKeysWith: { $0 || $1 })
    }
}

extension TestDocument {
    /// A My Number Card of nobody.
    static func nationalIDCard(named name: String = "試験　花子") -> TestDocument {
        var card = TestDocument(docType: "org.iso.23220.1.jp.mnc")
        card.add(
            to: "org.iso.23220.1.jp",
            [
                "full_name_unicode": .text(name), "individual_number_unicode": "123456789012",
                "portrait": .bytes(TestPortrait.jpeg(size: 2400)),
            ])
        card.add(
            to: "org.iso.23220.1",
            ["birth_date": .fullDate("1986-01-01"), "age_in_years": 40, "age_over_20": true, "sex": 2])
        return card
    }
}

extension TestLicence {
    /// A license with everything that the library reads.
    static func full(_ change: (inout TestDocument) -> Void = { _ in }) -> TestDocument {
        var document = TestLicence().document(on: TapStage.now.dayInUTC)
        document.add(
            to: nameSpace,
            [
                "eye_colour": "brown", "hair_colour": "auburn", "weight": 64,
                "resident_address": "1 Test Road",
                "resident_city": "Testville", "resident_state": "UT-1", "resident_postal_code": "12345",
                "resident_country": "UT", "issuing_jurisdiction": "UT-1",
            ])
        document.add(to: aamvaNameSpace, ["organ_donor": 1, "veteran": 1, "name_suffix": "JR"])
        document["driving_privileges"] = [
            [
                "vehicle_category_code": "B", "issue_date": .fullDate("2020-02-29"),
                "expiry_date": .fullDate("2035-02-28"),
                "codes": [["code": "01"], ["code": "S01", "sign": "<=", "value": "2500"]],
            ]
        ]
        document["domestic_driving_privileges"] = [
            [
                "domestic_vehicle_class": [
                    "domestic_vehicle_class_code": "C", "domestic_vehicle_class_description": "Car",
                    "issue_date": .fullDate("2020-02-29"), "expiry_date": .fullDate("2035-02-28"),
                ],
                "domestic_vehicle_restrictions": [
                    [
                        "domestic_vehicle_restriction_code": "B",
                        "domestic_vehicle_restriction_description": "Lenses",
                    ]
                ],
                "domestic_vehicle_endorsements": [
                    [
                        "domestic_vehicle_endorsement_code": "M",
                        "domestic_vehicle_endorsement_description": "Motorcycle",
                    ]
                ],
            ]
        ]
        change(&document)
        return document
    }
}

extension MobileDriversLicenseDataRequest.Element {
    /// All but the questions about age.
    static let all: [Self] = [
        .address, .dateOfBirth, .documentDHSComplianceStatus, .documentExpirationDate, .documentIssueDate,
        .documentNumber, .drivingPrivileges, .eyeColor, .familyName, .givenName, .hairColor, .height,
        .issuingAuthority, .organDonorStatus, .portrait, .sex, .veteranStatus, .weight,
    ]
}
