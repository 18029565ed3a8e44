internal import COSE
package import MdocModel
package import MdocSession
package import MdocTrust
internal import MdocVerification
internal import CBOR
internal import OpenSSLCrypto
internal import PKIX
package import TestCredentials

/// One issuer, one phone and one session with fixed keys, so that a seed which verifies today verifies always, and what
/// verifies beyond the seeds is forged.
package final class FuzzWorld: Sendable {
    package static let standard: FuzzWorld = {
        do { return try FuzzWorld() } catch { fatalError("the fuzz targets have no world: \(error)") }
    }()

    /// What the phone answers in the world's session.
    package static let plaintext: [UInt8] = Array("response".utf8)

    package let now = Timestamp(secondsSince1970: TestAuthority.now)
    package let session: TestSession
    package let trust: TrustStore
    /// The key in the world's documents.
    package let deviceKey: TestKey
    package let issuer: TestIssuer
    /// The document signer's signed part, which has no random bytes.
    let signerTBS: ArraySlice<UInt8>
    /// The root of the provider of the world's VICAL.
    package let provider: TestAuthority
    /// What signs the world's VICAL, status lists, intermediate authority and bundles.
    let listKey: TestKey
    let roots: [TrustSource]
    private let forgetfulTrust: TrustStore
    private let eDeviceKey: COSEKeyPair
    private let engagement: DeviceEngagement

    private init() throws {
        eDeviceKey = COSEKeyPair(try PrivateKey(curve: .p256, scalar: Self.scalar(1)[...]))
        engagement = try DeviceEngagement(Self.engagement(eDeviceKey)[...])
        session = TestSession(
            deviceEngagement: Array(engagement.bytes),
            readerKey: COSEKeyPair(try PrivateKey(curve: .p256, scalar: Self.scalar(2)[...])))
        deviceKey = try TestKey(scalar: Self.scalar(3))
        let authority = try TestAuthority(key: TestKey(scalar: Self.scalar(4)))
        issuer = try TestIssuer(authority: authority, key: TestKey(scalar: Self.scalar(5)))
        signerTBS = try Certificate(der: issuer.certificate[...]).tbsCertificate
        trust = try authority.store()
        forgetfulTrust = try authority.store(remembering: 0)
        provider = try TestAuthority([(.commonName, "Provider")], key: TestKey(scalar: Self.scalar(6)))
        listKey = try TestKey(scalar: Self.scalar(7))
        roots = [.test(.anchor, "root", authority.der), .test(.provider, "provider", provider.der)]
    }

    private static func scalar(_ byte: UInt8) -> [UInt8] {
        [UInt8](repeating: byte, count: 32)
    }

    private static func engagement(_ key: COSEKeyPair) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: 2)
            encoder.unsigned(0)
            encoder.text("1.0")
            encoder.unsigned(1)
            encoder.array(count: 2)
            encoder.unsigned(1)
            encoder.encoded(key.publicKeyBytes.bytes)
        }
    }

    func readerSession() throws(SessionError) -> ReaderSession {
        try ReaderSession(engagement: engagement, handover: .qr, eReaderKey: session.readerKey)
    }

    package func holderSession() -> HolderSession {
        HolderSession(deviceEngagement: encodedEngagement, handover: .qr, eDeviceKey: eDeviceKey)
    }

    package var encodedEngagement: [UInt8] { Array(engagement.bytes) }

    /// What a response is verified against: the world's session and issuer. Under strict rules no certificate is
    /// believed because it was before.
    func context(_ comparison: RequestComparison, _ rules: VerificationRules) -> VerificationContext {
        VerificationContext(
            transcript: session.transcript, comparison: comparison, readerKey: session.readerKey,
            trust: rules == .strict ? forgetfulTrust : trust, now: now,
            policy: VerificationPolicy(rules: rules))
    }
}
