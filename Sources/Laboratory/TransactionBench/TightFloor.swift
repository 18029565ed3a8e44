internal import BenchFloor
internal import CBOR
internal import COSE
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// The reference measurement: the shortest sequence of OpenSSL calls that does the cryptography of one
/// response. The time of Countersign's own work is compared with the time of this sequence.
@safe final class TightFloor {
    private let floor: OpaquePointer

    /// An error for a failed call of OpenSSL.
    struct Failure: Error {}

    /// Makes the keys and messages that all runs use.
    init(_ sizes: FloorSizes) throws(Failure) {
        let request =
            switch sizes.wrapper {
            case .session(let request): request
            // For `bench_floor_make`, a request of 0 bytes means an envelope.
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

    /// Runs the cryptography of one response.
    ///
    /// - Parameter knowsSigner: whether the document signer's certificate was verified before.
    func run(knowsSigner: Bool) throws(Failure) {
        guard unsafe bench_floor_run(floor, knowsSigner ? 1 : 0) == 1 else { throw Failure() }
    }

    /// The measurements with an unknown document signer (cold), and with a signer that was verified before
    /// (warm).
    var measurements: [Measurement] {
        [
            ("tightFloorCold", { try ProcessorClock.measure { try self.run(knowsSigner: false) } }),
            ("tightFloorWarm", { try ProcessorClock.measure { try self.run(knowsSigner: true) } }),
        ]
    }
}

/// The sizes, in bytes, of the data of one response that are decrypted, hashed or signed. `TightFloor` and
/// `FormerFloor` use these sizes.
struct FloorSizes {
    /// The encryption around a response.
    enum Wrapper {
        /// The session encryption. `TightFloor` also seals a request of this size in each run.
        case session(request: Int)
        /// HPKE to the recipient's long-term key, with the transcript as `info`.
        case envelope
    }

    let wrapper: Wrapper
    let response: Int
    let transcript: Int
    let items: [Int]
    /// The bytes that the root's signature on the document signer's certificate covers.
    let certificate: Int
    /// The bytes that the issuer's signature covers.
    let issuer: Int
    /// The bytes that the device's signature covers.
    let device: Int

    /// Reads the sizes from one document of the response, and from `issuerAuth` of that document.
    init(
        _ wrapper: Wrapper, response: Int, of document: UnverifiedDocument, issuerAuth: CBORItem,
        in transcript: SessionTranscript
    ) throws {
        let signature = try COSESign1(issuerAuth)
        // This is roughly the number of bytes that COSE's Sig_structure adds to its payload, and
        // DeviceAuthentication to its parts. A few bytes more or less hardly change the time of a hash.
        let structureHead = 24
        self.wrapper = wrapper
        self.response = response
        self.transcript = transcript.encoded.count
        items = document.nameSpaces.flatMap { $0.items.map(\.bytes.bytes.count) }
        // The first certificate of x5chain is the document signer's.
        certificate = try Certificate(der: signature.headers.x5chain()[0]).tbsCertificate.count
        issuer = (signature.payload?.count ?? 0) + structureHead
        device = transcript.encoded.count + document.docType.utf8.count + 2 * structureHead
    }
}
