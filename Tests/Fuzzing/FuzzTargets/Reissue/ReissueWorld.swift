internal import COSE
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import PKIX
internal import TestCredentials

/// The issuer whose key the fuzzer has, the phone, their session, and a reader that trusts the issuer and has its status lists.
final class ReissueWorld: Sendable {
    static let standard: ReissueWorld = {
        do { return try ReissueWorld() } catch { fatalError("the fuzz targets have no issuer: \(error)") }
    }()

    let issuer: TestIssuer
    /// A key that no certificate and no document has.
    let otherKey: TestKey
    let deviceKey: TestKey
    let session: TestSession
    let otherSession: TestSession
    let trust: TrustStore
    let now: Timestamp

    private init() throws {
        let world = FuzzWorld.standard
        let authority = try TestAuthority(
            [(.countryName, "XX"), (.commonName, "Utopia IACA")], key: TestKey(scalar: Self.scalar(21)),
            signerCountry: "XX")
        issuer = try TestIssuer(authority: authority, key: TestKey(scalar: Self.scalar(22)))
        otherKey = try TestKey(scalar: Self.scalar(23))
        deviceKey = world.deviceKey
        session = world.session
        otherSession = TestSession(deviceEngagement: [0xa0], readerKey: session.readerKey)
        now = world.now
        let listKey = try TestKey(scalar: Self.scalar(24))
        var identifiers = try TestStatusToken(.identifierList, authority: authority, key: listKey)
        identifiers.identifiers = [FuzzWorld.revoked]
        let statuses = try TestStatusToken(.statusList, authority: authority, key: listKey)
        trust = TrustStore(
            TrustSnapshot([
                .test(.anchor, "root", authority.der),
                .test(.statusList, TestStatusToken.uri, try statuses.encoded()),
                .test(.identifierList, TestStatusToken.uri, try identifiers.encoded()),
            ]))
    }

    private static func scalar(_ byte: UInt8) -> [UInt8] {
        [UInt8](repeating: byte, count: 32)
    }
}
