internal import BenchFloor

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
