internal import COpenSSL

/// A public key. The initialisers check that a point is on its Weierstrass curve.
package struct PublicKey: ~Copyable, Sendable {
    package let curve: Curve
    /// The point 04‖x‖y (SEC 1 2.3.3), or the raw key on a Montgomery or Edwards curve (RFC 7748, RFC 8032).
    package let encodedPoint: [UInt8]
    let handle: KeyHandle

    /// Creates a key from coordinates of exactly `curve.coordinateSize` bytes (RFC 9053 7.1.1). `y` is empty
    /// for Montgomery and Edwards curves.
    package init(
        curve: Curve, x: ArraySlice<UInt8>, y: ArraySlice<UInt8>
    ) throws(OpenSSLCryptoError) {
        let isPoint = curve.family == .weierstrass
        guard x.count == curve.coordinateSize, y.count == (isPoint ? curve.coordinateSize : 0) else {
            throw .keyMalformed
        }
        var encoded: [UInt8] = []
        encoded.reserveCapacity(1 + 2 * curve.coordinateSize)
        if isPoint { encoded.append(0x04) }
        encoded += x
        encoded += y
        try self.init(curve: curve, encodedPoint: encoded)
    }

    /// Creates a key from x and the lowest bit of y (RFC 9053 7.1.1; SEC 1 2.3.4).
    package init(curve: Curve, x: ArraySlice<UInt8>, yIsOdd: Bool) throws(OpenSSLCryptoError) {
        guard curve.family == .weierstrass, x.count == curve.coordinateSize else { throw .keyMalformed }
        let compressed = try KeyHandle(curve: curve, encodedPoint: [yIsOdd ? 0x03 : 0x02] + x)
        var y = [UInt8](repeating: 0, count: curve.coordinateSize)
        // `qy` is OpenSSL's name of the y coordinate, which was computed from the compressed point.
        let found = unsafe y.withUnsafeMutableBytes {
            unsafe compressed.number("qy", size: curve.coordinateSize, into: $0)
        }
        guard found else { throw cleared(.openSSLFailed) }
        try self.init(curve: curve, x: x, y: y[...])
    }

    /// Creates a key from the raw key of a Montgomery or Edwards curve. An Edwards key that does not decode
    /// to a point is accepted here, and every verification with it fails.
    package init(curve: Curve, raw: ArraySlice<UInt8>) throws(OpenSSLCryptoError) {
        guard curve.family != .weierstrass, raw.count == curve.coordinateSize else { throw .keyMalformed }
        try self.init(curve: curve, encodedPoint: [UInt8](raw))
    }

    /// Creates a key from the point 04‖x‖y (SEC 1 2.3.3), the form in X.509 certificates.
    package init(curve: Curve, uncompressedPoint point: ArraySlice<UInt8>) throws(OpenSSLCryptoError) {
        guard curve.family == .weierstrass, point.count == 1 + 2 * curve.coordinateSize, point.first == 0x04
        else { throw .keyMalformed }
        try self.init(curve: curve, encodedPoint: [UInt8](point))
    }

    /// Creates a key from an encoded point, whose form the caller has checked.
    private init(curve: Curve, encodedPoint: [UInt8]) throws(OpenSSLCryptoError) {
        handle = try KeyHandle(curve: curve, encodedPoint: encodedPoint)
        self.curve = curve
        self.encodedPoint = encodedPoint
    }

    /// The x coordinate, `curve.coordinateSize` bytes, or the raw key.
    package var x: [UInt8] { curve.x(of: encodedPoint) }

    /// The y coordinate, `curve.coordinateSize` bytes; empty for Montgomery and Edwards curves.
    package var y: [UInt8] { curve.y(of: encodedPoint) }
}

extension Curve {
    func x(of point: [UInt8]) -> [UInt8] {
        family == .weierstrass ? [UInt8](point.dropFirst().prefix(coordinateSize)) : point
    }

    func y(of point: [UInt8]) -> [UInt8] {
        family == .weierstrass ? [UInt8](point.suffix(coordinateSize)) : []
    }
}
