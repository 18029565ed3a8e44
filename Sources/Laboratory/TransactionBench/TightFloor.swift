internal import BenchFloor
internal import CBOR
internal import COSE
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// The shortest sequence of OpenSSL calls that does the cryptography of one response.
@safe final class TightFloor {
    private let floor: OpaquePointer

    /// A call of OpenSSL failed.
    struct Failure: Error {}

    init(_ sizes: FloorSizes) throws(Failure) {
        let request =
            switch sizes.wrapper {
            case .session(let request): request
            case .envelope: 0
            }
        let floor = unsafe bench_floor_make(
            bench_floor_sizes(
                request: request, response: sizes.response, transcript: sizes.transcript,
                certificate: sizes.certificate, issuer: sizes.issuer, device: sizes.device),
            sizes.items, sizes.items.count)
        guard let floor = unsafe floor else { throw Failure() }
        unsafe self.floor = floor
    }

    deinit { unsafe bench_floor_free(floor) }

    /// - Parameter knowsSigner: whether the document signer's certificate was verified before.
    func run(knowsSigner: Bool) throws(Failure) {
        guard unsafe bench_floor_run(floor, knowsSigner ? 1 : 0) == 1 else { throw Failure() }
    }

    /// Without and with a signer that was verified before, in nanoseconds of processor time.
    var measurements: [Measurement] {
        [
            ("tightFloorCold", { try ProcessorClock.measure { try self.run(knowsSigner: false) } }),
            ("tightFloorWarm", { try ProcessorClock.measure { try self.run(knowsSigner: true) } }),
        ]
    }
}

/// What the cryptography under one response covers, in bytes. Both floors take it.
struct FloorSizes {
    /// In what a response comes.
    enum Wrapper {
        /// A session, which also seals a request of this many bytes.
        case session(request: Int)
        /// HPKE to a key that lasts, with the transcript as its info.
        case envelope
    }

    let wrapper: Wrapper
    let response: Int
    let transcript: Int
    let items: [Int]
    /// What the certificate's, the issuer's and the device's signature cover.
    let certificate: Int
    let issuer: Int
    let device: Int

    init(
        _ wrapper: Wrapper, response: Int, of document: UnverifiedDocument, issuerAuth: CBORItem,
        in transcript: SessionTranscript
    ) throws {
        let signature = try COSESign1(issuerAuth)
        let structureHead = 24
        self.wrapper = wrapper
        self.response = response
        self.transcript = transcript.encoded.count
        items = document.nameSpaces.flatMap { $0.items.map(\.bytes.bytes.count) }
        certificate = try Certificate(der: signature.headers.x5chain()[0]).tbsCertificate.count
        issuer = (signature.payload?.count ?? 0) + structureHead
        device = transcript.encoded.count + document.docType.utf8.count + 2 * structureHead
    }
}
